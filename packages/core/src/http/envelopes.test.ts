import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { TaskboardError, type ErrorCode } from '../errors/index.js'
import { boardErrorEnvelope, boardErrorTable } from './v1/envelope.js'
import { v2ErrorEnvelope, v2ErrorTable } from './v2/envelope.js'
import type { ErrorTable } from './error-envelope.js'

const page = readFileSync(new URL('../../../../docs/errors.md', import.meta.url), 'utf8')
const [, board = '', v2 = ''] = page.split(/^## /m)

function documented(section: string): Record<string, { code: string; status: number }> {
  const rows = section.matchAll(/^\| `(\w+)` +\| `(\w+)` +\| (\d{3}) +\| \S.* \|$/gm)
  return Object.fromEntries(
    [...rows].map(([, thrown = '', code = '', status]) => [thrown, { code, status: Number(status) }]),
  )
}

const codes = Object.keys(boardErrorTable) as ErrorCode[]
const context = { requestId: 'req_7', now: Date.UTC(2026, 0, 2, 3, 4, 5, 6) }

describe('docs/errors.md', () => {
  it.each<[string, string, ErrorTable]>([
    ['board', board, boardErrorTable],
    ['v2', v2, v2ErrorTable],
  ])('lists exactly the %s table', (_, section, table) => {
    expect(documented(section)).toEqual(table)
    expect(section.match(/^\| `/gm)).toHaveLength(Object.keys(table).length)
  })

  it.each([board, v2])('does not claim what a storage without an answer has done', (section) => {
    const [row] = section.match(/^\| `SERVICE_UNAVAILABLE`.*/m) ?? []
    expect(row).toContain(
      'its response was lost: [what may have been done](#when-the-storage-does-not-respond)',
    )
    const [, advice] = page.split('## When the storage does not respond')
    expect(advice).toContain('`Idempotency-Key`')
  })
})

describe('boardErrorEnvelope', () => {
  it.each(codes)('returns %s as in its row of the table', (code) => {
    const { status, body } = boardErrorEnvelope(new TaskboardError(code, 'something'))
    expect({ status, code: body.code }).toEqual(boardErrorTable[code])
    expect(body.success).toBe(false)
  })

  it.each([
    new Error('password=hunter2'),
    'hunter2',
    null,
    undefined,
    new TaskboardError('INTERNAL_ERROR', 'hunter2'),
    new TaskboardError('INVALID_CONFIG', 'hunter2', { field: 'hunter2', retryAfterMs: 5 }),
  ])('reveals nothing of %o', (error) => {
    expect(boardErrorEnvelope(error)).toEqual({
      status: 500,
      headers: {},
      body: { success: false, error: 'internal error', code: 'INTERNAL_ERROR' },
    })
  })

  it('uses wire names of fields, also at the start of the message', () => {
    const error = new TaskboardError('INVALID_FIELD', 'dueDate must be a date', { field: 'dueDate' })
    expect(boardErrorEnvelope(error).body.error).toBe('due_date must be a date')
    const aside = new TaskboardError('INVALID_FIELD', 'not before its dueDate', { field: 'notBefore' })
    expect(boardErrorEnvelope(aside).body.error).toBe('not before its dueDate')
    const header = new TaskboardError('INVALID_FIELD', 'Idempotency-Key is odd', { field: 'Idempotency-Key' })
    expect(boardErrorEnvelope(header).body.error).toBe('Idempotency-Key is odd')
  })

  it.each([
    [0, '1'],
    [1, '1'],
    [1_000, '1'],
    [1_001, '2'],
    [59_999, '60'],
  ])('rounds a wait of %d ms up to %s s', (retryAfterMs, seconds) => {
    const { headers } = boardErrorEnvelope(new TaskboardError('RATE_LIMITED', 'slow down', { retryAfterMs }))
    expect(headers).toEqual({ 'retry-after': seconds })
  })

  it('adds Allow, and the challenge that belongs to 401', () => {
    const method = new TaskboardError('METHOD_NOT_ALLOWED', 'no', { allow: ['GET', 'HEAD'] })
    expect(boardErrorEnvelope(method).headers).toEqual({ allow: 'GET, HEAD' })
    expect(boardErrorEnvelope(new TaskboardError('UNAUTHORIZED', 'who?')).headers).toEqual({
      'www-authenticate': 'Bearer',
    })
  })
})

describe('v2ErrorEnvelope', () => {
  it.each(codes)('returns %s as in its row of the table', (code) => {
    const { status, body, headers } = v2ErrorEnvelope(new TaskboardError(code, 'something'), context)
    expect({ status, code: body.error.code }).toEqual(v2ErrorTable[code])
    expect(headers['x-request-id']).toBe('req_7')
  })

  it.each([
    ['assignedTo must be an agent', 'assigned_to must be an agent'],
    ['assignedTo[2] must be an agent', 'assigned_to[2] must be an agent'],
    ['no such agent', 'no such agent'],
  ])('has field and issue of "%s"', (thrown, message) => {
    const error = new TaskboardError('INVALID_FIELD', thrown, { field: 'assignedTo' })
    expect(v2ErrorEnvelope(error, context).body).toEqual({
      error: {
        code: 'INVALID_REQUEST',
        message,
        details: { field: 'assigned_to', issue: message },
        request_id: 'req_7',
        timestamp: '2026-01-02T03:04:05.006Z',
      },
    })
  })

  it('has both details as text without a field', () => {
    const { body } = v2ErrorEnvelope(new Error('secret'), context)
    expect(body.error.details).toEqual({ field: '', issue: 'internal error' })
  })
})
