import assert from 'node:assert/strict'
import { TaskboardError, type Storage } from '@taskboard/core'
import {
  addTask,
  assertDone,
  assertRefused,
  BOARD,
  sessionCase,
  WEBHOOKS,
  type BoardSession,
} from './board-session.js'
import type { ClientResponse } from './http-client.js'
import type { TransportCase, TransportConformanceOptions } from './transport-case.js'

type Fields = Readonly<Record<string, unknown>>
const hook = { url: 'https://example.com/hook', events: ['task.created'] }
const addFaults: readonly Fields[] = [
  { title: '' },
  { title: 7 },
  { title: '\u200b\u2060\u00ad\u3164' },
  { title: 'x'.repeat(201) },
  { title: 'nul \0' },
  { title: 'half \ud800' },
  { title: 'x', priority: 'URGENT' },
  { title: 'x', priority: 1 },
  { title: 'x', due_date: 'tomorrow' },
  { title: 'x', due_date: '2026-02-30T00:00:00Z' },
  { title: 'x', due_date: '2026-01-01' },
  { title: 'x', due_date: '2026-01-01T00:00:00' },
  { title: 'x', due_date: 1_767_225_600_000 },
  { title: 'x', due_date: {} },
  { title: 'x', not_before: 5 },
  { title: 'x', tags: 'a' },
  { title: 'x', tags: [1] },
  { title: 'x', tags: [''] },
  { title: 'x', description: 5 },
  { title: 'x', depends_on: ['task_unknown'] },
  { title: 'x', assigned_to: 'agent_unknown' },
  { title: 'x', metadata: { a: 1 } },
]
const moveFaults: readonly Fields[] = [
  { to: 'TODO' },
  { to: 'archived' },
  { to: 5 },
  { to: '__proto__' },
  { to: 'done', task_id: 7 },
]
const chatFaults: readonly Fields[] = [{ message: 5 }, { message: ' ' }, { message: 'a', user: 5 }]
const webhookFaults: readonly Fields[] = [
  { ...hook, url: 'http://example.com/' },
  { ...hook, url: 'ftp://example.com/' },
  { ...hook, url: 'https://user:pass@example.com/' },
  { ...hook, url: 'https://127.0.0.1/' },
  { ...hook, url: 'example.com' },
  { ...hook, url: 5 },
  { ...hook, events: [] },
  { ...hook, events: 'task.created' },
  { ...hook, events: ['task.unknown'] },
  { ...hook, secret: '' },
  { ...hook, secret: 5 },
]
const queryFaults = [
  'limit=0',
  'limit=1001',
  'limit=-1',
  'limit=1.5',
  'limit=x',
  'limit=',
  'cursor=',
  'cursor=x',
]

/** Every code of the board API, with its causes. */
export function errorCases(options: TransportConformanceOptions): readonly TransportCase[] {
  const define = sessionCase.bind(null, options)
  const webhook = (session: BoardSession, body: unknown): Promise<ClientResponse> =>
    session.request({ method: 'POST', path: WEBHOOKS, body })
  return [
    define('unauthorized', 'a missing or invalid key is UNAUTHORIZED', async (session) => {
      const { key } = session
      const wrong = [
        '',
        'Bearer',
        'Bearer ',
        key,
        `Basic ${key}`,
        `Bearer ${key}x`,
        `Bearer x ${key}`,
        'Bearer ✗',
      ]
      const { id, key: revoked } = await session.makeKey()
      const { accountId } = await session.taskboard.accounts.getWorkspace(session.workspaceId)
      await session.taskboard.accounts.revokeKey(accountId, id)
      for (const authorization of [...wrong, `Bearer ${revoked}`]) {
        const latin = Buffer.from(authorization).toString('latin1')
        for (const [path, method] of [
          [`${BOARD}?action=todo&key=${key}`, 'GET'],
          [WEBHOOKS, 'POST'],
        ] as const) {
          const answer = await session.request({ path, method, headers: { authorization: latin } })
          assertRefused(answer, 401, 'UNAUTHORIZED')
          assert.equal(answer.headers['www-authenticate'], 'Bearer')
          assert.equal(answer.text.includes(key), false)
        }
      }
    }),
    define('scheme-case', 'the scheme of a credential is case-insensitive', async (session) => {
      const headers = { authorization: `bearer ${session.key}` }
      assert.equal((await session.request({ path: `${BOARD}?action=todo`, headers })).status, 200)
    }),
    define('invalid-action', 'an absent or unknown action is INVALID_ACTION', async (session) => {
      const queries = [
        '',
        '?',
        '?action',
        '?action=',
        '?action=TODO',
        '?action=list',
        '?Action=todo',
        '?x=todo',
      ]
      const known = ['__proto__', 'constructor', 'toString', '%00'].map((name) => `?action=${name}`)
      for (const query of [...queries, ...known]) {
        assertRefused(await session.request({ path: BOARD + query }), 400, 'INVALID_ACTION')
      }
    }),
    define(
      'missing-field',
      'a required field that is absent or null is MISSING_FIELD, and named',
      async (session) => {
        const post = (action: string, body: unknown): Promise<ClientResponse> =>
          session.request({ method: 'POST', path: `${BOARD}?action=${action}`, body })
        const expectMissing = (answer: ClientResponse, field: string): void => {
          assertRefused(answer, 400, 'MISSING_FIELD')
          assert.equal(String(answer.json()['error']).startsWith(field), true, answer.text)
        }
        expectMissing(await post('add', {}), 'title')
        expectMissing(await post('add', { description: 'no title', priority: 'odd' }), 'title')
        expectMissing(await post('add', ''), 'title')
        expectMissing(await post('add', undefined), 'title')
        expectMissing(await post('add', { title: null }), 'title')
        expectMissing(await post('add', { titel: 'x' }), 'title')
        expectMissing(await post('move', {}), 'task_id')
        expectMissing(await post('move', { to: 'done' }), 'task_id')
        expectMissing(await post('move', { task_id: 'task_x' }), 'to')
        expectMissing(await post('move', { task_id: null, to: 'done' }), 'task_id')
        expectMissing(await post('move', { task_id: 'task_x', to: null }), 'to')
        expectMissing(await post('chat', { user: 'x' }), 'message')
        expectMissing(await post('chat', { message: null }), 'message')
        expectMissing(await post('add', { title: null, unheard_of: 1 }), 'title')
        expectMissing(await post('move', { task_id: null, to: 'done', unheard_of: 1 }), 'task_id')
        expectMissing(await webhook(session, { events: hook.events }), 'url')
        expectMissing(await webhook(session, { url: hook.url }), 'events')
        expectMissing(await webhook(session, { ...hook, url: null }), 'url')
        expectMissing(await webhook(session, { ...hook, events: null }), 'events')
      },
    ),
    define(
      'invalid-field',
      'an unacceptable field is INVALID_FIELD, named as on the wire',
      async (session) => {
        const { id } = await addTask(session, { title: 'there' })
        for (const body of addFaults) {
          const answer = await session.action('add', body)
          assertRefused(answer, 400, 'INVALID_FIELD')
          assert.match(String(answer.json()['error']), new RegExp(`^${Object.keys(body).at(-1)}\\b`))
        }
        for (const body of moveFaults) {
          assertRefused(await session.action('move', { task_id: id, ...body }), 400, 'INVALID_FIELD')
        }
        for (const body of chatFaults) assertRefused(await session.action('chat', body), 400, 'INVALID_FIELD')
        for (const body of webhookFaults) assertRefused(await webhook(session, body), 400, 'INVALID_FIELD')
        assert.deepEqual(
          (await session.storedTasks()).map((task) => [task.id, task.column]),
          [[id, 'TODO']],
        )
        assert.deepEqual(await session.taskboard.webhooks.list(session.workspaceId), [])
      },
    ),
    define(
      'due-date',
      'a due date without an offset is refused with a sentence that says so',
      async (session) => {
        const saidOf = async (due: string): Promise<unknown> => {
          const answer = await session.action('add', { title: 'x', due_date: due })
          assertRefused(answer, 400, 'INVALID_FIELD')
          return answer.json()['error']
        }
        const offset = 'due_date must end with Z (for UTC) or with an offset, such as +02:00'
        assert.deepEqual(
          await Promise.all(['2030-01-31T17:00:00', '2030-01-31T17:00', '2030-01-31T17:00:00.5'].map(saidOf)),
          [offset, offset, offset],
        )
        const time = 'due_date must have a time as well, with Z (for UTC) or an offset: 2030-01-31T17:00:00Z'
        assert.equal(await saidOf('2030-01-31'), time)
        for (const due of ['2030-01-31T17:00:00Z', '2030-01-31T19:00:00+02:00']) {
          assert.equal((await session.action('add', { title: 'x', due_date: due })).status, 200)
        }
      },
    ),
    define('invalid-query', 'an unacceptable limit or cursor is INVALID_FIELD', async (session) => {
      for (const query of queryFaults) {
        assertRefused(await session.request({ path: `${BOARD}?action=todo&${query}` }), 400, 'INVALID_FIELD')
      }
    }),
    define('invalid-json', 'a body that is no JSON object is INVALID_JSON', async (session) => {
      const broken = [
        '{',
        '{"title":"x",}',
        '{"title":"x"}{}',
        "{'title':'x'}",
        '[]',
        '"x"',
        '7',
        'null',
        ' ',
        'x',
      ]
      const bytes = [Buffer.from([0x7b, 0xff, 0x7d]), Buffer.from('{"title":"é"}', 'latin1')]
      for (const body of [...broken, ...bytes]) {
        assertRefused(await session.action('add', body), 400, 'INVALID_JSON')
      }
      assert.deepEqual(await session.storedTasks(), [])
    }),
    define('task-not-found', 'an unknown task is TASK_NOT_FOUND', async (session) => {
      const ids = [
        'task_01jz0000000000000000000000',
        'x',
        '',
        'nul\0',
        '\ud800',
        '__proto__',
        'x'.repeat(9_999),
      ]
      for (const task_id of ids) {
        assertRefused(await session.action('move', { task_id, to: 'done' }), 404, 'TASK_NOT_FOUND')
      }
    }),
    define('method', 'another method is METHOD_NOT_ALLOWED, with Allow', async (session) => {
      const rows: [string, string, string[]][] = [
        ...['todo', 'doing', 'done'].map((name): [string, string, string[]] => [
          `${BOARD}?action=${name}`,
          'GET, HEAD',
          ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
        ]),
        ...['add', 'move', 'chat'].map((name): [string, string, string[]] => [
          `${BOARD}?action=${name}`,
          'POST',
          ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
        ]),
        [WEBHOOKS, 'POST', ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']],
      ]
      const headers = { authorization: `Bearer ${(await session.makeKey()).key}` }
      for (const [path, allow, methods] of rows) {
        for (const method of methods) {
          const answer = await session.request({ path, method, headers })
          assertRefused(answer, 405, 'METHOD_NOT_ALLOWED')
          assert.equal(answer.headers['allow'], allow)
        }
      }
      const head = await session.request({ path: `${BOARD}?action=add`, method: 'HEAD', headers })
      assert.deepEqual([head.status, head.text], [405, ''])
    }),
    define('media-type', 'a body that is not declared as JSON is UNSUPPORTED_MEDIA_TYPE', async (session) => {
      const types = [
        'text/plain',
        'application/x-www-form-urlencoded',
        'application/jsonp',
        'application/ld+json',
      ]
      const odd = ['application/json; charset=latin1', 'json', ';', 'multipart/form-data; boundary=x', '*/*']
      for (const type of [...types, ...odd]) {
        const answer = await session.action('add', '{"title":"x"}', { 'content-type': type })
        assertRefused(answer, 415, 'UNSUPPORTED_MEDIA_TYPE')
      }
      const zipped = await session.action('add', '{"title":"x"}', { 'content-encoding': 'gzip' })
      assertRefused(zipped, 415, 'UNSUPPORTED_MEDIA_TYPE')
      assert.deepEqual(await session.storedTasks(), [])
    }),
    define('latin1', 'a body in latin1 is refused, be it declared or not', async (session) => {
      const body = Buffer.from('{"title":"Café"}', 'latin1')
      const undeclared = await session.action('add', body)
      assertRefused(undeclared, 400, 'INVALID_JSON')
      assert.match(undeclared.text, /the body must be UTF-8/)
      for (const charset of [
        'latin1',
        'iso-8859-1',
        'ISO-8859-1',
        '"iso-8859-1"',
        'windows-1252',
        'us-ascii',
      ]) {
        const type = { 'content-type': `application/json; charset=${charset}` }
        assertRefused(await session.action('add', body, type), 415, 'UNSUPPORTED_MEDIA_TYPE')
      }
      assert.deepEqual(await session.storedTasks(), [])
    }),
    define(
      'too-large',
      'a body over the cap is PAYLOAD_TOO_LARGE, one at it is not',
      async (session) => {
        const sized = (bytes: number): string => `{"title":"x"${' '.repeat(bytes - 13)}}`
        assert.equal((await session.action('add', sized(1_000))).status, 200)
        assertRefused(await session.action('add', sized(1_001)), 413, 'PAYLOAD_TOO_LARGE')
        assert.equal((await session.storedTasks()).length, 1)
      },
      { taskboard: { bounds: { bodyLimitBytes: 1_000 } } },
    ),
    define(
      'service-unavailable',
      'a storage that cannot be reached is SERVICE_UNAVAILABLE',
      async (session) => {
        assertRefused(await session.action('todo'), 503, 'SERVICE_UNAVAILABLE')
      },
      { wrapStorage: withFailingLists(new TaskboardError('SERVICE_UNAVAILABLE', 'the storage is away')) },
    ),
    define(
      'answer-lost',
      'a create whose answer the storage lost was done: the repeat with its Idempotency-Key returns the same',
      async (session) => {
        const add = () => session.action('add', { title: 'once' }, { 'idempotency-key': 'k' })
        assertRefused(await add(), 503, 'SERVICE_UNAVAILABLE')
        const [task, ...others] = await session.storedTasks()
        assert.deepEqual([(assertDone(await add())['task'] as { id: string }).id, others], [task?.id, []])
        assert.equal((await session.storedTasks()).length, 1)
      },
      { wrapStorage: losingAnswers },
    ),
    define(
      'internal-error',
      'a fault of the service is INTERNAL_ERROR without detail',
      async (session) => {
        const answer = await session.action('todo')
        assertRefused(answer, 500, 'INTERNAL_ERROR')
        assert.equal(/hunter2/.test(answer.text), false)
      },
      { wrapStorage: withFailingLists(new Error('password hunter2')) },
    ),
  ]
}

/** Inserts each task, and loses the response to the first. */
function losingAnswers(storage: Storage): Storage {
  let lost = false
  const insertTask: Storage['tasks']['insertTask'] = async (...given) => {
    const inserted = await storage.tasks.insertTask(...given)
    if (lost) return inserted
    lost = true
    throw new TaskboardError('SERVICE_UNAVAILABLE', 'the connection to the storage broke')
  }
  return { ...storage, tasks: { ...storage.tasks, insertTask } }
}

function withFailingLists(error: Error): (storage: Storage) => Storage {
  async function listTasks(): Promise<never> {
    throw error
  }
  return (storage) => ({ ...storage, tasks: { ...storage.tasks, listTasks } })
}
