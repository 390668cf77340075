import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createTaskboard } from '../packages/core/src/index.js'
import { toFetchHandler } from '../packages/core/src/http/fetch-handler.js'
import { memoryStorage } from '../packages/memory/src/index.js'

const page = readFileSync(new URL('limits.md', import.meta.url), 'utf8')
const CLAIM = { fencing_token: 1 }

type Body = (value: unknown) => object

/** Where a field of the page is sent, and the rest of its body. `TASK` and the like stand for ids. */
const places: Readonly<Record<string, readonly [path: string, body: Body]>> = {
  '`title`': ['POST /v2/tasks', (title) => ({ title })],
  '`description`': ['POST /v2/tasks', (description) => ({ title: 't', description })],
  '`type`': ['POST /v2/tasks', (type) => ({ title: 't', type })],
  '`tags`': ['POST /v2/tasks', (tags) => ({ title: 't', tags })],
  '`tags[]`': ['POST /v2/tasks', (tag) => ({ title: 't', tags: [tag] })],
  '`depends_on`': ['POST /v2/tasks', (ids) => ({ title: 't', depends_on: ids })],
  '`metadata`': ['POST /v2/tasks', (text) => ({ title: 't', metadata: { a: String(text).slice(8) } })],
  '`tasks` of a batch': ['POST /v2/tasks/batch', (tasks) => ({ tasks })],
  '`result` of `complete`': ['POST /v2/tasks/TASK/complete', (result) => ({ ...CLAIM, result })],
  '`message` of `logs`': ['POST /v2/tasks/TASK/logs', (message) => ({ ...CLAIM, message })],
  '`name` of an output': [
    'POST /v2/tasks/TASK/outputs',
    (name) => ({ ...CLAIM, type: 'file', name, url: 'https://a.example' }),
  ],
  '`url` of an output': [
    'POST /v2/tasks/TASK/outputs',
    (url) => ({ ...CLAIM, type: 'file', name: 'n', url: `https://a.example/${String(url).slice(18)}` }),
  ],
  '`body` of a comment': ['POST /v2/tasks/TASK/comments', (body) => ({ body })],
  '`lease_s`': ['POST /v2/tasks/TASK/heartbeat', (lease) => ({ ...CLAIM, lease_s: lease })],
  '`progress`': ['POST /v2/tasks/TASK/progress', (progress) => ({ ...CLAIM, progress })],
  '`retry_after_s`': [
    'POST /v2/tasks/TASK/fail',
    (seconds) => ({ ...CLAIM, reason: 'r', retry_after_s: seconds }),
  ],
  '`action`': ['POST /v2/tasks/TASK/approvals', (action) => ({ ...CLAIM, action, summary: 's', input: {} })],
  '`summary`': [
    'POST /v2/tasks/TASK/approvals',
    (summary) => ({ ...CLAIM, action: 'a', summary, input: {} }),
  ],
  '`name` of an agent': ['POST /v2/agents', (name) => ({ name, type: 'general' })],
  '`type` of an agent': ['POST /v2/agents', (type) => ({ name: 'A', type })],
  '`model`': ['POST /v2/agents', (model) => ({ name: 'A', type: 'general', model })],
  '`system_prompt`': ['POST /v2/agents', (text) => ({ name: 'A', type: 'general', system_prompt: text })],
  '`capabilities`': ['POST /v2/agents', (capabilities) => ({ name: 'A', type: 'general', capabilities })],
  '`tools`': ['POST /v2/agents', (tools) => ({ name: 'A', type: 'general', tools })],
  '`max_concurrent`': ['POST /v2/agents', (most) => ({ name: 'A', type: 'general', max_concurrent: most })],
  '`message` of a chat': ['POST /v2/chat', (message) => ({ message })],
  '`name` of a workspace': ['POST /v2/workspaces', (name) => ({ name })],
  '`secret` of a webhook': [
    'POST /v2/webhooks',
    (secret) => ({ url: 'https://a.example', events: ['task.created'], secret }),
  ],
  '`overlap_s` of a webhook': ['POST /v2/webhooks/wh_1/rotate-secret', (overlap) => ({ overlap_s: overlap })],
}
/** Of these the page takes the numbers from schemas: only users with a fresh login can send the field, or it is in the query. */
const described: Readonly<Record<string, readonly [path: string, name: string]>> = {
  '`name` of a key': ['POST /v2/account/api-keys', 'name'],
  '`overlap_s` of a key': ['POST /v2/account/api-keys/{key_id}/rotate', 'overlap_s'],
  '`limit` of a list': ['GET /v2/tasks', 'limit'],
  '`q` of a search': ['GET /v2/tasks', 'q'],
}

interface Row {
  readonly name: string
  readonly least: number
  readonly most: number
  readonly unit: 'characters' | 'entries' | 'number'
}

const numberOf = (text = ''): number => Number(text.replaceAll(',', ''))

const rows: readonly Row[] = [...page.matchAll(/^\| (`.*?) \| (.*?) \|$/gm)].map(
  ([, name = '', limit = '']) => {
    const [, least, most, unit] = /^(?:from )?(?:up to )?(?:([\d,]+) to )?([\d,]+) ?(\w+)?/.exec(limit) ?? []
    return {
      name,
      least: numberOf(least ?? '0'),
      most: numberOf(most),
      unit: unit === 'characters' || unit === 'entries' ? unit : 'number',
    }
  },
)

function valueOf({ name, unit }: Row, size: number): unknown {
  if (unit === 'number') return size
  // A character of two bytes, except where the body would be too large.
  if (unit === 'characters') return (size > 500_000 ? 'x' : 'é').repeat(size)
  return Array.from({ length: size }, (_, place) =>
    name.includes('batch') ? { title: 't' } : `entry ${place}`,
  )
}

async function openBoard() {
  const taskboard = createTaskboard({ storage: memoryStorage(), logger: false })
  const { account, workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'custom' })
  const { id } = await taskboard.board(workspace.id).add({ title: 'A task' })
  const scopes = ['tasks', 'agents', 'webhooks', 'account'].flatMap((of) => [`${of}:read`, `${of}:write`])
  const all = [...scopes, 'chat:write', 'approvals:write'] as never[]
  const { key } = await taskboard.accounts.createKey({ accountId: account.id, name: 'k', scopes: all })
  const handle = toFetchHandler(taskboard)
  return async (place: string, body?: object) => {
    const [method = '', path = ''] = place.replace('TASK', id).split(' ')
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) }
    const response = await handle(new Request(`http://127.0.0.1${path}`, init))
    return (await response.json()) as {
      readonly error?: {
        readonly code: string
        readonly details: { readonly field: string; readonly issue: string }
      }
    }
  }
}

/** Whether the field is rejected for its value. Other errors, such as a stale claim, come after the body. */
const isRejected = async (call: Awaited<ReturnType<typeof openBoard>>, row: Row, size: number) => {
  const [path, body] = places[row.name] ?? ['', () => ({})]
  const { error } = await call(path, body(valueOf(row, size)))
  // No task has the ids of this test, which is found out after their number.
  return error?.code === 'INVALID_REQUEST' && !error.details.issue.includes('must name other tasks')
}

describe('docs/limits.md', () => {
  it('has rows for exactly the fields that this test sends', () => {
    const names = [...Object.keys(places), ...Object.keys(described)]
    expect(rows.map(({ name }) => name).toSorted()).toEqual(names.toSorted())
  })

  it('says what the API accepts and what it rejects', async () => {
    const call = await openBoard()
    const wrong: string[] = []
    for (const row of rows.filter(({ name }) => name in places)) {
      if (await isRejected(call, row, row.most)) wrong.push(`${row.name} rejects ${row.most}`)
      if (!(await isRejected(call, row, row.most + 1))) wrong.push(`${row.name} accepts ${row.most + 1}`)
      if (row.least === 0) continue
      if (await isRejected(call, row, row.least)) wrong.push(`${row.name} rejects ${row.least}`)
      if (!(await isRejected(call, row, row.least - 1))) wrong.push(`${row.name} accepts ${row.least - 1}`)
    }
    expect(wrong).toEqual([])
  })

  it('has the limits that the OpenAPI document describes', async () => {
    const call = await openBoard()
    const document = JSON.stringify(await call('GET /v2/openapi.json'))
    for (const [name, text] of [
      ['`name` of a key', '1 to 100 characters'],
      ['`overlap_s` of a key', '"maximum":604800'],
      ['`limit` of a list', 'The most entries to return: 1 to 1000'],
      ['`q` of a search', '"maxLength":400'],
    ] as const) {
      expect(described[name]).toBeDefined()
      expect(document).toContain(text)
    }
  })
})
