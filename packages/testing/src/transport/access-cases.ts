import assert from 'node:assert/strict'
import { scopes, type Scope } from '@taskboard/core'
import {
  addTask,
  assertDone,
  assertRefused,
  BOARD,
  listTasks,
  sessionCase,
  WEBHOOKS,
} from './board-session.js'
import type { ClientRequest } from './http-client.js'
import type { TransportCase, TransportConformanceOptions } from './transport-case.js'

const post = (path: string, body: object): ClientRequest => ({ method: 'POST', path, body })
const operations: readonly { request: ClientRequest; scope: Scope; granted: number }[] = [
  { request: { path: `${BOARD}?action=todo` }, scope: 'tasks:read', granted: 200 },
  { request: { path: `${BOARD}?action=doing` }, scope: 'tasks:read', granted: 200 },
  { request: { path: `${BOARD}?action=done` }, scope: 'tasks:read', granted: 200 },
  { request: post(`${BOARD}?action=add`, { title: 'x' }), scope: 'tasks:write', granted: 200 },
  { request: post(`${BOARD}?action=move`, { task_id: 'x', to: 'done' }), scope: 'tasks:write', granted: 404 },
  { request: post(`${BOARD}?action=chat`, { message: 'x' }), scope: 'chat:write', granted: 200 },
  {
    request: post(WEBHOOKS, { url: 'https://example.com/', events: ['task.created'] }),
    scope: 'webhooks:write',
    granted: 200,
  },
]

/** Scopes, tenancy, and repeats with an `Idempotency-Key`. */
export function accessCases(options: TransportConformanceOptions): readonly TransportCase[] {
  const define = sessionCase.bind(null, options)
  return [
    define('scopes', 'each operation needs its scope, and no other gives it', async (session) => {
      for (const held of scopes) {
        const { key } = await session.makeKey([held])
        for (const { request, scope, granted } of operations) {
          const answer = await session.request({ ...request, headers: { authorization: `Bearer ${key}` } })
          if (held === scope) assert.equal(answer.status, granted, answer.text)
          else assertRefused(answer, 403, 'FORBIDDEN')
        }
      }
    }),
    define('tenancy', 'a task of another account is as unknown as a random one', async (session) => {
      const elsewhere = await session.makeWorkspace()
      const foreign = await session.taskboard.board(elsewhere).add({ title: 'theirs' })
      const random = foreign.id.slice(0, -4) + (foreign.id.endsWith('0000') ? '1111' : '0000')
      const move = (task_id: string) => session.action('move', { task_id, to: 'done' })
      const [met, missed] = [await move(foreign.id), await move(random)]
      assertRefused(met, 404, 'TASK_NOT_FOUND')
      assert.equal(met.text, missed.text)
      const depend = (id: string) => session.action('add', { title: 'x', depends_on: [id] })
      const [dependMet, dependMissed] = [await depend(foreign.id), await depend(random)]
      assertRefused(dependMet, 400, 'INVALID_FIELD')
      assert.equal(dependMet.text.replace(foreign.id, ''), dependMissed.text.replace(random, ''))
      for (const column of ['todo', 'doing', 'done']) assert.deepEqual(await listTasks(session, column), [])
      assert.equal((await session.taskboard.board(elsewhere).get(foreign.id)).column, 'TODO')
    }),
    define('repeat-add', 'a repeat with the same Idempotency-Key is the same answer', async (session) => {
      const headers = { 'idempotency-key': '!~once~!' }
      const body = { title: 'x', tags: ['a'], due_date: '2026-01-05T00:00:00Z' }
      const first = await session.action('add', body, headers)
      assertDone(first)
      await session.clock.advance({ hours: 5 })
      const reordered = { due_date: body.due_date, tags: body.tags, title: body.title }
      assert.equal((await session.action('add', reordered, headers)).text, first.text)
      assertRefused(await session.action('add', { ...body, tags: ['b'] }, headers), 409, 'CONFLICT')
      assert.equal((await session.storedTasks()).length, 1)
    }),
    define(
      'repeat-after-move',
      'a repeat answers as at the creation, whatever became of the task',
      async (session) => {
        const headers = { 'idempotency-key': 'k' }
        const first = await session.action('add', { title: 'x' }, headers)
        const { id } = assertDone(first)['task'] as { id: string }
        assertDone(await session.action('move', { task_id: id, to: 'done' }))
        assert.equal((await session.action('add', { title: 'x' }, headers)).text, first.text)
      },
    ),
    define('repeat-twins', 'twins at the same time make one task', async (session) => {
      const send = () => session.action('add', { title: 'x' }, { 'idempotency-key': 'twin' })
      const texts = (await Promise.all(Array.from({ length: 10 }, send))).map(({ text }) => text)
      assert.equal(new Set(texts).size, 1)
      assert.equal((await session.storedTasks()).length, 1)
    }),
    define(
      'repeat-scope',
      'a key of idempotency is its caller’s own, and a failed try frees it',
      async (session) => {
        const headers = { 'idempotency-key': 'k' }
        assertRefused(await session.action('add', { title: '' }, headers), 400, 'INVALID_FIELD')
        await assertAdded(session.action('add', { title: 'mine' }, headers))
        const authorization = `Bearer ${(await session.makeKey()).key}`
        await assertAdded(session.action('add', { title: 'other' }, { ...headers, authorization }))
        assert.equal((await session.storedTasks()).length, 2)
      },
    ),
    define('repeat-key', 'a malformed Idempotency-Key is INVALID_FIELD', async (session) => {
      for (const key of ['a b', 'é', 'x'.repeat(256)]) {
        const answer = await session.action('add', { title: 'x' }, { 'idempotency-key': key })
        assertRefused(answer, 400, 'INVALID_FIELD')
      }
      assert.deepEqual(await session.storedTasks(), [])
      assert.match((await addTask(session, { title: 'x' })).id, /^task_/)
    }),
  ]
}

async function assertAdded(answer: ReturnType<Parameters<typeof addTask>[0]['action']>): Promise<void> {
  assertDone(await answer)
}
