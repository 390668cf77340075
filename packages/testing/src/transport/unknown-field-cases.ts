import assert from 'node:assert/strict'
import { addTask, assertDone, assertRefused, BOARD, sessionCase, WEBHOOKS } from './board-session.js'
import type { TransportCase, TransportConformanceOptions } from './transport-case.js'

type Row = readonly [path: string, body: object | string | undefined, message: RegExp]

const hook = { url: 'https://example.com/hook', events: ['task.created'] }
const add = `${BOARD}?action=add`

/** Unknown fields and parameters, with the error for each. */
const strangers: readonly Row[] = [
  [
    add,
    { title: 'x', deadline: '2026-01-01T00:00:00Z' },
    /^deadline is not a field .*did you mean due_date\?$/,
  ],
  [
    add,
    { title: 'x', dueDate: '2026-01-01T00:00:00Z' },
    /^dueDate is not a field .*did you mean due_date\?$/,
  ],
  [add, { title: 'x', priorty: 'high' }, /^priorty is not a field .*did you mean priority\?$/],
  [add, { title: 'x', agent_id: 'agent_1' }, /did you mean assigned_to\?$/],
  [
    add,
    { title: 'x', status: 'DONE' },
    /^status is not a field of this request, which takes title, .* and budget$/,
  ],
  [add, { title: 'x', maxAttempts: 5 }, /^maxAttempts is not a field/],
  [add, { title: 'x', 'two words': 1 }, /^"two words" is not a field/],
  [add, '{"title":"x","__proto__":{"priority":"urgent"}}', /^__proto__ is not a field/],
  [add, '{"title":"x","constructor":{"a":1}}', /^constructor is not a field/],
  [
    add,
    { title: 'x', budget: { token: 5 } },
    /^budget\.token is not a field of this request; did you mean tokens\?$/,
  ],
  [add, { title: 'x', budget: { costUsd: 5 } }, /^budget\.costUsd is not a field .*did you mean cost_usd\?$/],
  [
    add,
    { title: 'x', budget: { 'two words': 5 } },
    /^budget\["two words"\] is not a field of this request; budget takes tokens and cost_usd$/,
  ],
  [add, { titel: 'x' }, /^title is required; titel is not a field of this request$/],
  [
    `${BOARD}?action=move`,
    { task_id: 'task_x', to: 'done', status: 'DONE' },
    /, which takes task_id and to$/,
  ],
  [`${BOARD}?action=chat`, { message: 'x', text: 'y' }, /^text is not a field .*did you mean message\?$/],
  [WEBHOOKS, { ...hook, event_types: [] }, /^event_types is not a field .*did you mean events\?$/],
  [WEBHOOKS, { ...hook, workspace_id: 'ws_1' }, /^workspace_id is not a field .* url, events and secret$/],
  [`${add}&title=x`, { title: 'x' }, /^title is not a query parameter of this request, which takes action$/],
  [
    `${BOARD}?action=todo&page_size=5`,
    undefined,
    /^page_size is not a query parameter .*did you mean limit\?$/,
  ],
  [
    `${BOARD}?action=todo&status=TODO`,
    undefined,
    /^status is not a query parameter .* action, limit and cursor$/,
  ],
  [`${WEBHOOKS}?action=add`, hook, /^action is not a query parameter of this request, which takes none$/],
]

/** The allowed parts of a request: unknown parts are never dropped in silence. */
export function unknownFieldCases(options: TransportConformanceOptions): readonly TransportCase[] {
  const define = sessionCase.bind(null, options)
  return [
    define('unknown-field', 'an unknown field or parameter is refused by its name', async (session) => {
      for (const [path, body, message] of strangers) {
        const answer = await session.request({ method: body === undefined ? 'GET' : 'POST', path, body })
        const isMissing = String(answer.json()['error']).includes('is required')
        assertRefused(answer, 400, isMissing ? 'MISSING_FIELD' : 'INVALID_FIELD')
        assert.match(String(answer.json()['error']), message)
      }
      assert.deepEqual(await session.storedTasks(), [])
      assert.deepEqual(await session.taskboard.webhooks.list(session.workspaceId), [])
      assert.equal(({} as { priority?: unknown }).priority, undefined)
    }),
    define('unknown-field-name', 'a name of any length is cut to what an error can show', async (session) => {
      const answer = await session.action('add', { title: 'x', ['é'.repeat(100_000)]: 1 })
      assertRefused(answer, 400, 'INVALID_FIELD')
      assert.ok(answer.text.length < 500, answer.text.slice(0, 500))
    }),
    define('documented-fields', 'every field of the contract is taken', async (session) => {
      const { id } = await addTask(session, {
        title: 'x',
        description: 'y',
        priority: 'low',
        due_date: '2026-01-08T00:00:00Z',
        tags: ['a'],
      })
      assertDone(await session.action('move', { task_id: id, to: 'done' }))
      assertDone(await session.action('chat', { message: 'x', user: 'y' }))
      const body = { ...hook, secret: 'z' }
      assertDone(await session.request({ method: 'POST', path: WEBHOOKS, body }))
      for (const action of ['todo', 'doing', 'done']) assertDone(await session.action(action))
    }),
    define(
      'query-repeated',
      'of a repeated query parameter none counts, also when it is escaped',
      async (session) => {
        const repeated = [
          'action=todo&action=todo',
          'action=todo&action=nonsense',
          '%61ction=todo&action=todo',
        ]
        for (const query of [...repeated, 'action=todo&action', 'action=todo&limit=1&action=done']) {
          assertRefused(await session.request({ path: `${BOARD}?${query}` }), 400, 'INVALID_ACTION')
        }
        for (const query of ['limit=1&limit=1', 'limit=1&limit=2', 'limit=1&l%69mit=2', 'cursor&cursor']) {
          const answer = await session.request({ path: `${BOARD}?action=todo&${query}` })
          assertRefused(answer, 400, 'INVALID_FIELD')
          assert.match(String(answer.json()['error']), /^(limit|cursor) must be given once$/)
        }
        assertDone(await session.request({ path: `${BOARD}?&%61ction=t%6fdo&&limit=1&` }))
      },
    ),
  ]
}
