import assert from 'node:assert/strict'
import type { V2Check } from './v2-case.js'
import { assertAnswer, assertError, type V2Session, type SendOptions } from './v2-session.js'

type Json = Record<string, unknown>

const UNKNOWN = '00000000000000000000000000'

async function create(session: V2Session, body: object = {}, options: SendOptions = {}): Promise<Json> {
  const answer = await session.send('POST', '/v2/tasks', { ...options, body: { title: 'A task', ...body } })
  return assertAnswer(answer, 201)
}

const pathOf = ({ id }: Json): string => `/v2/tasks/${String(id)}`

const get = async ({ send }: V2Session, task: Json): Promise<Json> =>
  assertAnswer(await send('GET', pathOf(task)))

/** The ids of a list’s tasks. */
async function list({ send }: V2Session, query = ''): Promise<readonly unknown[]> {
  const { tasks } = assertAnswer(await send('GET', `/v2/tasks${query}`)) as { tasks: Json[] }
  return tasks.map(({ id }) => id)
}

const creation: readonly V2Check[] = [
  {
    id: 'tasks.batch',
    name: 'a list of tasks is created whole, once for a key, with dependencies by position; or not at all',
    async check(session) {
      const { send } = session
      const parent = await create(session)
      const tasks = [
        { title: 'first', deadline: '2030-01-01T00:00:00Z', parent_id: parent['id'] },
        { title: 'second', depends_on: [0, parent['id']] },
      ]
      const options = { body: { tasks }, headers: { 'idempotency-key': 'batch-1' } }
      const answer = assertAnswer(await send('POST', '/v2/tasks/batch', options), 201) as { tasks: Json[] }
      const [first, second] = answer.tasks as [Json, Json]
      assert.deepEqual([first['parent_id'], second['parent_id']], [parent['id'], null])
      assert.deepEqual(second['depends_on'], [parent['id'], first['id']])
      const { usage: _, ...read } = await get(session, second)
      assert.deepEqual(read, { ...second, logs: [], outputs: [] })
      assert.deepEqual(assertAnswer(await send('POST', '/v2/tasks/batch', options), 201), answer)
      const before = await list(session)
      const faults = {
        title: { title: ' ' },
        depends_on: { depends_on: [1] },
        parent_id: { parent_id: UNKNOWN },
      }
      for (const [field, wrong] of Object.entries(faults)) {
        const body = { tasks: [{ title: 'x' }, { title: 'y', ...wrong }] }
        assertError(await send('POST', '/v2/tasks/batch', { body }), 400, 'INVALID_REQUEST', field)
      }
      assert.deepEqual(await list(session), before)
    },
  },
  {
    id: 'tasks.create',
    name: 'a title is enough: the answer has the documented fields, unknown ones null',
    async check(session) {
      const task = await create(session)
      assert.match(String(task['id']), /^task_[0-9a-z]+$/)
      assert.deepEqual(task, {
        id: task['id'],
        title: 'A task',
        status: 'pending',
        progress: 0,
        created_at: new Date(session.clock.now()).toISOString(),
        estimated_completion: null,
        agent: null,
      })
    },
  },
  {
    id: 'tasks.create-fields',
    name: 'every field of a creation is kept, and the agent that it is assigned to is shown',
    async check(session) {
      const { taskboard, workspaceId } = session
      const agent = await taskboard.agents.create(workspaceId, { name: 'Ada', type: 'research' })
      const before = await create(session)
      const fields = {
        title: 'Größe “x” 🚀',
        description: 'Line one\nline "two"',
        type: 'research',
        priority: 'urgent',
        assigned_to: agent.id,
        workspace_id: workspaceId,
        deadline: '2026-02-01T10:00:00.000Z',
        not_before: '2026-01-20T00:00:00.000Z',
        metadata: JSON.parse(
          '{"source":"mail","labels":["a","b"],"toString":"p","constructor":["c"]}',
        ) as object,
        tags: ['x', 'y'],
        depends_on: [before['id']],
      }
      const task = await create(session, { ...fields, deadline: '2026-02-01T12:00:00+02:00' })
      const shown = task['agent'] as { id: string; name: string }
      assert.deepEqual([shown.id, shown.name], [agent.id, 'Ada'])
      const detail = await get(session, task)
      const kept = Object.fromEntries(Object.keys(fields).map((name) => [name, detail[name]]))
      const names = (metadata: unknown) =>
        Object.entries(metadata as object).toSorted(([one], [other]) => (one < other ? -1 : 1))
      assert.deepEqual(names(kept['metadata']), names(fields.metadata))
      assert.deepEqual({ ...kept, metadata: null }, { ...fields, metadata: null })
      assert.deepEqual([detail['logs'], detail['outputs'], detail['hold']], [[], [], null])
    },
  },
  {
    id: 'tasks.create-faults',
    name: 'an invalid task is refused by its field, and leaves no trace',
    async check(session) {
      const { send, stranger } = session
      const refused = async (body: object, field: string) =>
        assertError(await send('POST', '/v2/tasks', { body }), 400, 'INVALID_REQUEST', field)
      await refused({}, 'title')
      const faults: readonly (readonly [string, unknown])[] = [
        ['title', ' '],
        ['title', 'x'.repeat(201)],
        ['title', null],
        ['description', 7],
        ['type', 'x'.repeat(65)],
        ['priority', 'asap'],
        ['assigned_to', `agent_${UNKNOWN}`],
        ['deadline', 'tomorrow'],
        ['deadline', '2026-02-30T00:00:00Z'],
        ['deadline', 1_767_225_600_000],
        ['not_before', '2026-01-01T00:00:00'],
        ['tags', 'x'],
        ['tags', ['']],
        ['depends_on', [`task_${UNKNOWN}`]],
        ['metadata', 'x'],
        ['metadata', []],
        ['metadata', { a: 1 }],
        ['metadata', { a: [1] }],
        ['metadata', { a: { b: 'c' } }],
        ['metadata', { a: 'x'.repeat(16_400) }],
      ]
      for (const [field, value] of faults) await refused({ title: 'x', [field]: value }, field)
      for (const workspaceId of [stranger.workspaceId, `ws_${UNKNOWN}`]) {
        const answer = await send('POST', '/v2/tasks', { body: { title: 'x', workspace_id: workspaceId } })
        assertError(answer, 404, 'RESOURCE_NOT_FOUND', 'workspace_id')
        await refused({ workspace_id: workspaceId }, 'title')
      }
      assert.deepEqual(await list(session), [])
    },
  },
  {
    id: 'tasks.create-once',
    name: 'an Idempotency-Key creates one task: the same response again, and 409 for another body',
    async check(session) {
      const headers = { 'idempotency-key': 'order-7' }
      const body = { metadata: { b: 'x', a: ['y'] } }
      const first = await create(session, body, { headers })
      await session.clock.advance({ minutes: 5 })
      assert.deepEqual(await create(session, body, { headers }), first)
      const other = await session.send('POST', '/v2/tasks', { headers, body: { title: 'Another' } })
      assertError(other, 409, 'CONFLICT')
      assert.deepEqual(await list(session), [first['id']])
      const { key } = await session.makeKey(['tasks:write'])
      const theirs = await create(session, body, { headers, as: key })
      assert.notEqual(theirs['id'], first['id'])
    },
  },
  {
    id: 'tasks.create-once-bytes',
    name: 'a repeat has the bytes of the first response, whatever happened to the task and its agent since',
    async check(session) {
      const { send, taskboard, workspaceId, clock } = session
      const agent = await taskboard.agents.create(workspaceId, { name: 'Ada', type: 'research' })
      const board = taskboard.board(workspaceId)
      const work = async (): Promise<void> => {
        const task = await board.claim({ agentId: agent.id })
        await clock.advance({ seconds: 30 })
        await board.complete(task?.id ?? '', { fencingToken: task?.fencingToken ?? 0, result: 'r' })
      }
      await board.add({ title: 'sets the typical time' })
      await work()
      const request = {
        headers: { 'idempotency-key': 'order-8' },
        body: { title: 'x', assigned_to: agent.id },
      }
      const first = await send('POST', '/v2/tasks', request)
      const { estimated_completion: estimate } = assertAnswer(first, 201)
      assert.equal(estimate, new Date(clock.now() + 30_000).toISOString())
      const waiting = await send('POST', '/v2/tasks', request)
      await work()
      await taskboard.agents.delete(workspaceId, agent.id)
      const later = await send('POST', '/v2/tasks', request)
      assert.deepEqual([waiting.text, later.text], [first.text, first.text])
    },
  },
]

const management: readonly V2Check[] = [
  {
    id: 'tasks.get',
    name: 'a task is the same in both APIs',
    async check(session) {
      const { taskboard, workspaceId } = session
      const { id } = await taskboard.board(workspaceId).add({ title: 'By the host', priority: 'low' })
      const detail = await get(session, { id })
      assert.deepEqual(
        [detail['title'], detail['status'], detail['column']],
        ['By the host', 'pending', 'todo'],
      )
      const made = await create(session)
      assert.equal((await taskboard.board(workspaceId).get(String(made['id']))).title, 'A task')
      assertError(await session.send('GET', `/v2/tasks/task_${UNKNOWN}`), 404, 'RESOURCE_NOT_FOUND')
    },
  },
  {
    id: 'tasks.update',
    name: 'PATCH changes what is given, null clears, and the rest stays',
    async check(session) {
      const { send } = session
      const task = await create(session, {
        description: 'before',
        tags: ['a'],
        deadline: '2026-02-01T00:00:00Z',
      })
      const before = await get(session, task)
      await session.clock.advance({ seconds: 1 })
      const body = {
        title: 'after',
        description: null,
        metadata: { k: 'v' },
        deadline: null,
        priority: 'high',
      }
      const changed = assertAnswer(await send('PATCH', pathOf(task), { body }))
      const now = new Date(session.clock.now()).toISOString()
      assert.deepEqual(changed, { ...before, ...body, updated_at: now })
      assert.deepEqual(assertAnswer(await send('PATCH', pathOf(task), { body: {} })), changed)
      for (const [field, value] of [
        ['title', null],
        ['title', ''],
        ['deadline', 'x'],
        ['metadata', { a: 1 }],
        ['depends_on', [task['id']]],
        ['assigned_to', `agent_${UNKNOWN}`],
      ] as const) {
        const refused = await send('PATCH', pathOf(task), { body: { tags: [], [field]: value } })
        assertError(refused, 400, 'INVALID_REQUEST', field)
      }
      assert.deepEqual(await get(session, task), changed)
      const unknown = await send('PATCH', `/v2/tasks/task_${UNKNOWN}`, { body })
      assertError(unknown, 404, 'RESOURCE_NOT_FOUND')
    },
  },
  {
    id: 'tasks.delete',
    name: 'DELETE deletes a task; one that others depend on is 409',
    async check(session) {
      const { send } = session
      const first = await create(session)
      const second = await create(session, { depends_on: [first['id']] })
      assertError(await send('DELETE', pathOf(first)), 409, 'CONFLICT')
      assertAnswer(await send('DELETE', pathOf(second)), 204)
      assertAnswer(await send('DELETE', pathOf(first)), 204)
      for (const method of ['GET', 'DELETE'] as const) {
        assertError(await send(method, pathOf(first)), 404, 'RESOURCE_NOT_FOUND')
      }
    },
  },
  {
    id: 'tasks.move',
    name: 'a task is moved, cancelled and released, and its status follows',
    async check(session) {
      const { send } = session
      const task = await create(session)
      const post = async (verb: string, body?: object) => {
        const answer = assertAnswer(await send('POST', `${pathOf(task)}/${verb}`, { body }))
        assert.deepEqual(answer, await get(session, task))
        return [answer['status'], answer['column']]
      }
      assert.deepEqual(await post('move', { to: 'doing' }), ['in_progress', 'doing'])
      assert.deepEqual(await post('cancel', { message: 'not needed' }), ['cancelled', 'todo'])
      const { hold } = (await get(session, task)) as { hold: Json }
      assert.deepEqual([hold['reason'], hold['message']], ['cancelled', 'not needed'])
      assert.deepEqual(await post('cancel'), ['cancelled', 'todo'])
      assert.deepEqual(await post('release'), ['pending', 'todo'])
      assert.deepEqual(await post('move', { to: 'done' }), ['completed', 'done'])
      assertError(await send('POST', `${pathOf(task)}/cancel`), 409, 'CONFLICT')
      const move = (body: object) => send('POST', `${pathOf(task)}/move`, { body })
      assertError(await move({}), 400, 'INVALID_REQUEST', 'to')
      assertError(await move({ to: 'later' }), 400, 'INVALID_REQUEST', 'to')
    },
  },
  {
    id: 'tasks.list',
    name: 'tasks are listed newest first, page by page, and by status, agent and workspace',
    async check(session) {
      const { send, taskboard, workspaceId, accountId, stranger } = session
      const second = await taskboard.accounts.createWorkspace(accountId, { name: 'Second' })
      const agent = await taskboard.agents.create(workspaceId, { name: 'Ada', type: 'research' })
      const [one, two, three] = [
        await create(session, { assigned_to: agent.id }),
        await create(session, { workspace_id: second.id }),
        await create(session),
      ].map(({ id }) => id)
      assertAnswer(await send('POST', `/v2/tasks/${String(three)}/move`, { body: { to: 'done' } }))
      assert.deepEqual(await list(session), [three, two, one])
      assert.deepEqual(await list(session, '?status=completed'), [three])
      assert.deepEqual(await list(session, '?status=failed'), [])
      assert.deepEqual(await list(session, `?agent_id=${agent.id}`), [one])
      assert.deepEqual(await list(session, `?workspace_id=${second.id}&status=pending`), [two])
      const page = assertAnswer(await send('GET', '/v2/tasks?limit=2'))
      const cursor = encodeURIComponent(String(page['next_cursor']))
      const rest = assertAnswer(await send('GET', `/v2/tasks?limit=2&cursor=${cursor}`))
      assert.deepEqual([(rest['tasks'] as Json[]).map(({ id }) => id), rest['next_cursor']], [[one], null])
      const whole = (page['tasks'] as Json[])[0]
      const { logs: _, outputs: __, usage: ___, ...detail } = await get(session, { id: three })
      assert.deepEqual(whole, detail)
      for (const [query, field] of [
        ['status=done', 'status'],
        ['limit=0', 'limit'],
        ['limit=x', 'limit'],
        ['cursor=x', 'cursor'],
      ] as const) {
        assertError(await send('GET', `/v2/tasks?${query}`), 400, 'INVALID_REQUEST', field)
      }
      for (const [query, field] of [
        [`workspace_id=${stranger.workspaceId}`, 'workspace_id'],
        [`workspace_id=ws_${UNKNOWN}`, 'workspace_id'],
        [`agent_id=agent_${UNKNOWN}`, 'agent_id'],
      ] as const) {
        assertError(await send('GET', `/v2/tasks?${query}`), 404, 'RESOURCE_NOT_FOUND', field)
      }
    },
  },
  {
    id: 'tasks.bound-key',
    name: 'a key of a workspace sees and changes only the tasks of that one',
    async check(session) {
      const { send, taskboard, accountId, makeKey } = session
      const second = await taskboard.accounts.createWorkspace(accountId, { name: 'Second' })
      const { key: as } = await makeKey(['tasks:read', 'tasks:write'], second.id)
      const first = await create(session)
      const own = await create(session, {}, { as })
      assert.equal((await get(session, own))['workspace_id'], second.id)
      const { tasks } = assertAnswer(await send('GET', '/v2/tasks', { as })) as { tasks: Json[] }
      assert.deepEqual(
        tasks.map(({ id }) => id),
        [own['id']],
      )
      assertError(await send('GET', pathOf(first), { as }), 404, 'RESOURCE_NOT_FOUND')
      assertError(await send('DELETE', pathOf(first), { as }), 404, 'RESOURCE_NOT_FOUND')
    },
  },
]

/** Tasks through API v2. */
export const taskCases: readonly V2Check[] = [...creation, ...management]
