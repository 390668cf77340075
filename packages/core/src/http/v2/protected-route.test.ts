import { memoryStorage } from '@taskboard/memory'
import { virtualClock } from '@taskboard/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { createTaskboard, TaskboardError, type Taskboard } from '../../index.js'
import {
  createOperationCaller,
  protectedRoute,
  type HttpRequest,
  type HttpResponse,
} from '../../entries/transport.js'

const boards: Taskboard[] = []
afterEach(() => Promise.all(boards.splice(0).map((board) => board.close())))

async function setUp() {
  const logged: string[] = []
  const log = (level: string) => (_fields: object, message: string) =>
    void logged.push(`${level}: ${message}`)
  const taskboard = createTaskboard({
    storage: memoryStorage(),
    clock: virtualClock(),
    logger: {
      debug() {},
      info() {},
      fatal() {},
      warn: log('warn'),
      error: log('error'),
    },
  })
  boards.push(taskboard)
  const { account } = await taskboard.accounts.create({ name: 'a', tier: 'professional' })
  const { key } = await taskboard.accounts.createKey({
    accountId: account.id,
    name: 'k',
    scopes: ['tasks:read'],
  })
  const request: HttpRequest = {
    method: 'POST',
    path: '/v2/other',
    params: {},
    query: '',
    header: (name) => (name === 'authorization' ? `Bearer ${key}` : undefined),
    clientAddress: '192.0.2.1',
    body: { kind: 'none' },
  }
  const answering = (answer: () => Promise<HttpResponse>) =>
    protectedRoute(taskboard, {
      path: '/v2/other',
      answer,
      refuse: ({ status, body }) => ({ status, headers: {}, body: body.error.code }),
    }).handle(request)
  return { taskboard, logged, request, answering }
}

describe('a route of another protocol', () => {
  it('answers with the limits of the account and a request id', async () => {
    const { answering } = await setUp()
    const answer = await answering(async () => ({ status: 200, headers: {}, body: 'fine' }))
    expect(answer).toMatchObject({ status: 200, body: 'fine', headers: { 'x-ratelimit-limit': '10000' } })
    expect(answer.headers['x-request-id']).toMatch(/^req_/)
  })

  it.each([
    [new Error('of the host'), 500, 'INTERNAL_ERROR', ['error: a request failed']],
    [
      new TaskboardError('SERVICE_UNAVAILABLE', 'down'),
      503,
      'SERVICE_UNAVAILABLE',
      ['warn: a request could not be served'],
    ],
    [new TaskboardError('NOT_FOUND', 'nowhere'), 404, 'RESOURCE_NOT_FOUND', []],
  ])(
    'puts %s into its own form, and logs errors that are not the caller’s',
    async (thrown, status, code, lines) => {
      const { answering, logged } = await setUp()
      expect(await answering(() => Promise.reject(thrown))).toMatchObject({ status, body: code })
      expect(logged).toEqual(lines)
    },
  )
})

it('an unknown operation is a mistake of the calling code', async () => {
  const { taskboard, request } = await setUp()
  const principal = await taskboard.services.authenticate(request)
  if (principal === null) throw new Error('the key holds')
  const call = createOperationCaller(taskboard)
  await expect(call('noSuchOperation', { principal, request })).rejects.toThrow(TypeError)
  await expect(call('listTasks', { principal, request })).resolves.toMatchObject({ tasks: [] })
})
