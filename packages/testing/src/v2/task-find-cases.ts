import assert from 'node:assert/strict'
import type { V2Check } from './v2-case.js'
import { assertAnswer, assertError, type V2Session, type SendOptions } from './v2-session.js'

type Json = Record<string, unknown>

async function create(session: V2Session, body: object = {}, options: SendOptions = {}): Promise<Json> {
  const answer = await session.send('POST', '/v2/tasks', { ...options, body: { title: 'A task', ...body } })
  return assertAnswer(answer, 201)
}

/** The ids of a list’s tasks. */
async function list({ send }: V2Session, query = ''): Promise<readonly unknown[]> {
  const { tasks } = assertAnswer(await send('GET', `/v2/tasks${query}`)) as { tasks: Json[] }
  return tasks.map(({ id }) => id)
}

/** Finding tasks through API v2. */
export const taskFindCases: readonly V2Check[] = [
  {
    id: 'tasks.find',
    name: 'tasks are found by words, fields and times, in each order, and a cursor continues only its own sort',
    async check(session) {
      const { send, taskboard, workspaceId } = session
      const agent = await taskboard.agents.create(workspaceId, { name: 'Ada', type: 'research' })
      const [one, two, three] = [
        await create(session, {
          title: 'Send the Invoice',
          tags: ['Größe & co'],
          priority: 'low',
          deadline: '2030-01-02T00:00:00Z',
        }),
        await create(session, {
          description: 'an invoice, manually',
          type: 'Market research',
          priority: 'urgent',
        }),
        await create(session, { assigned_to: agent.id, deadline: '2030-01-01T00:00:00Z' }),
      ].map(({ id }) => String(id))
      const body = { message: 'no' }
      assertAnswer(await send('POST', `/v2/tasks/${three}/cancel`, { body }))
      const after = new Date(session.clock.now() + 1).toISOString()
      for (const [query, found] of [
        ['q=INV', [two, one]],
        ['q=invoice%20man', [two]],
        ['q=voice', []],
        ['column=todo&q=send', [one]],
        ['column=done', []],
        ['hold=cancelled', [three]],
        ['type=Market%20research', [two]],
        ['tag=Gr%C3%B6%C3%9Fe%20%26%20co', [one]],
        ['priority=urgent', [two]],
        [`assigned_to=${agent.id}`, [three]],
        [`created_before=${after}`, [three, two, one]],
        [`created_after=${after}`, []],
        ['due_after=2030-01-02T00:00:00Z', [one]],
        ['due_before=2030-01-02T00:00:00Z', [three]],
        ['sort=due', [three, one, two]],
        ['sort=priority_score', [two, one, three]],
        ['sort=created', [three, two, one]],
        ['sort=updated&hold=cancelled', [three]],
      ] as const) {
        assert.deepEqual(await list(session, `?${query}`), found, query)
      }
      const part = String((await create(session, { title: 'Part', parent_id: one }))['id'])
      assert.deepEqual(await list(session, `?parent_id=${one}`), [part])
      assertAnswer(await send('DELETE', `/v2/tasks/${part}`), 204)
      const page = assertAnswer(await send('GET', '/v2/tasks?sort=due&limit=1'))
      const cursor = encodeURIComponent(String(page['next_cursor']))
      assert.deepEqual(await list(session, `?sort=due&limit=1&cursor=${cursor}`), [one])
      for (const [query, field] of [
        [`cursor=${cursor}`, 'cursor'],
        [`sort=updated&cursor=${cursor}`, 'cursor'],
        ['sort=title', 'sort'],
        ['q=%20-', 'q'],
        ['q=%00a', 'q'],
        [`q=${'a'.repeat(201)}`, 'q'],
        ['tag=%00', 'tag'],
        ['type=%00', 'type'],
        ['hold=forever', 'hold'],
        ['column=TODO', 'column'],
        ['priority=highest', 'priority'],
        ['created_after=yesterday', 'created_after'],
        ['due_before=2030-01-01', 'due_before'],
      ] as const) {
        assertError(await send('GET', `/v2/tasks?${query}`), 400, 'INVALID_REQUEST', field)
      }
    },
  },
]
