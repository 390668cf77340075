import assert from 'node:assert/strict'
import { defaultScoring, taskStatus, taskStatuses, type Task, type Reach } from '@taskboard/core'
import {
  anyTask,
  searchPlace,
  type TaskCursor,
  type TaskSearch,
  type TaskSearchPage,
} from '@taskboard/core/storage'
import { assertRefused, type StorageCheck } from '../storage-case.js'
import {
  changeTask,
  LEASE_MS,
  LOG_LIMIT,
  PERSON,
  proofOf,
  readAgent,
  readTask,
  START,
  unknownId,
  type StorageFixture,
} from '../storage-fixture.js'

const DETAIL = ['task', 'agent', 'logs', 'outputs'] as const
const ALL: Omit<TaskSearch, 'reach'> = {
  ...anyTask,
  agentId: null,
  workspaceId: null,
  sort: 'created',
  limit: 100,
  after: null,
}

/** The place behind a task, newest first. */
const behind = (task: Task): TaskCursor => searchPlace(task, 'created', START, defaultScoring)

async function search(
  { storage, accountId, at }: StorageFixture,
  filter: Partial<TaskSearch> = {},
  reach: Partial<Reach> = {},
): Promise<readonly string[]> {
  const from = { accountId, workspaceIds: 'all', ...reach } as const
  const { found } = await storage.tasks.searchTasks({ ...ALL, ...filter, reach: from }, at())
  return found.map(({ task }) => task.id)
}

async function addStranger({
  storage,
  at,
}: StorageFixture): Promise<{ accountId: string; workspaceId: string }> {
  const made = await storage.access.insertAccount(
    { name: 'stranger', tier: 'professional', workspaceName: 'theirs', agent: null },
    at(),
  )
  return { accountId: made.account.id, workspaceId: made.workspace.id }
}

const newestFirst = (tasks: readonly Task[]): readonly string[] =>
  tasks.map(({ id }) => id).toSorted((a, b) => (a > b ? -1 : 1))

/** One task in each status, the last one twice: for either hold that waits for a person. */
async function addOneOfEach(fixture: StorageFixture): Promise<readonly Task[]> {
  const { storage, add, addClaimed, finish, workspaceId, at } = fixture
  const doing = await addClaimed()
  const done = await add()
  await finish(done)
  const held = ['failed', 'cancelled', 'needs_input', 'approval'] as const
  const tasks = [doing, done, await add()]
  for (const reason of held) {
    const { id } = await add()
    tasks.push(
      await changeTask(
        storage.tasks,
        { workspaceId, id },
        { kind: 'hold', reason, message: null, actor: PERSON },
        at(),
      ),
    )
  }
  return Promise.all(tasks.map((task) => fixture.get(task)))
}

const finds: readonly StorageCheck[] = [
  {
    id: 'find.detail',
    name: 'a task is found with its agent, the newest log lines, oldest first, and its outputs',
    async check({ storage, accountId, agent, add, addClaimed, get, at }) {
      const bare = await add()
      const reach = { accountId, workspaceIds: 'all' } as const
      const found = await storage.tasks.getTask(
        { within: reach, taskId: bare.id, parts: DETAIL, logLines: 2 },
        at(),
      )
      assert.deepEqual(found, {
        workspaceId: bare.workspaceId,
        task: bare,
        agent: null,
        logs: [],
        outputs: [],
      })
      const task = await addClaimed({ priority: 'urgent' })
      for (let line = 1; line <= LOG_LIMIT; line++) {
        await storage.tasks.appendToTask(
          { proof: proofOf(task), log: { level: 'warn', message: `${line}` }, leaseMs: LEASE_MS },
          at(line),
        )
      }
      const output = { type: 'file', name: 'n', url: 'https://example.com/n', size: 7 }
      await storage.tasks.appendToTask({ proof: proofOf(task), output, leaseMs: LEASE_MS }, at())
      await storage.tasks.appendToTask(
        { proof: proofOf(task), output: { ...output, size: null }, leaseMs: LEASE_MS },
        at(),
      )
      assert.deepEqual(
        await storage.tasks.getTask({ within: reach, taskId: task.id, parts: DETAIL, logLines: 2 }, at()),
        {
          workspaceId: task.workspaceId,
          task: await get(task),
          agent: { id: agent.id, name: agent.name, status: 'busy' },
          logs: [LOG_LIMIT - 1, LOG_LIMIT].map((line) => ({
            at: START + line,
            level: 'warn',
            message: `${line}`,
          })),
          outputs: [output, { ...output, size: null }],
        },
      )
    },
  },
  {
    id: 'find.agent',
    name: 'a task’s agent is the one that works it, completed it, or shall do it',
    async check({ storage, accountId, agent, add, claim, addAgent, finish, at }) {
      const other = await addAgent()
      const agentOf = async ({ id }: Task) => {
        const found = await storage.tasks.getTask(
          {
            within: { accountId, workspaceIds: 'all' },
            taskId: id,
            parts: DETAIL,
            logLines: 1,
          },
          at(),
        )
        return found.agent?.id ?? null
      }
      const task = await add()
      await claim()
      assert.equal(await agentOf(task), agent.id)
      const claimed = (await readTask(storage.tasks, task, ['task'], at())).task
      await storage.tasks.completeTask({ proof: proofOf(claimed), result: 'r', next: null }, at())
      assert.equal(await agentOf(task), agent.id)
      await changeTask(storage.tasks, task, { kind: 'move', to: 'TODO', actor: PERSON }, at())
      assert.equal(await agentOf(task), null)
      await changeTask(
        storage.tasks,
        task,
        { kind: 'edit', change: { assignedTo: other.id }, actor: PERSON },
        at(),
      )
      assert.equal(await agentOf(task), other.id)
      const idle = await storage.tasks.getTask(
        {
          within: { accountId, workspaceIds: 'all' },
          taskId: task.id,
          parts: DETAIL,
          logLines: 1,
        },
        at(),
      )
      const { status } = await readAgent(storage.agents, { reach: null, agentId: other.id }, at())
      assert.deepEqual([idle.agent?.status, status], ['available', 'available'])
      const byHand = await add()
      await finish(byHand)
      assert.equal(await agentOf(byHand), null)
    },
  },
  {
    id: 'find.reach',
    name: 'a task beyond reach is as unknown as one that does not exist, many asked for at once',
    async check(fixture) {
      const { storage, accountId, workspaceId, add, addWorkspace, at } = fixture
      const { workspaceId: second } = await addWorkspace()
      const stranger = await addStranger(fixture)
      const [task, next] = [await add(), await add({ workspaceId: second })]
      const all: Reach = { accountId, workspaceIds: 'all' }
      const asked: readonly (readonly [Reach, string, boolean])[] = [
        [all, task.id, true],
        [all, next.id, true],
        [{ accountId, workspaceIds: [second] }, next.id, true],
        [{ accountId, workspaceIds: [second, workspaceId] }, task.id, true],
        [{ accountId, workspaceIds: [second] }, task.id, false],
        [{ accountId, workspaceIds: [] }, task.id, false],
        [{ accountId: stranger.accountId, workspaceIds: 'all' }, task.id, false],
        [{ accountId: stranger.accountId, workspaceIds: [workspaceId] }, task.id, false],
        [all, unknownId('task'), false],
      ]
      await Promise.all(
        asked.map(async ([reach, id, isFound]) => {
          const [find, locate] = [
            storage.tasks.getTask({ within: reach, taskId: id, parts: DETAIL, logLines: 1 }, at()),
            storage.tasks.getTask({ within: reach, taskId: id, parts: [] }, at()),
          ]
          if (isFound) return assert.deepEqual(await locate, { workspaceId: (await find).task.workspaceId })
          await Promise.all([locate, find].map((look) => assertRefused(look, 'TASK_NOT_FOUND')))
        }),
      )
    },
  },
  {
    id: 'find.transaction',
    name: 'a transaction finds what it has written itself',
    async check({ storage, accountId, add, at }) {
      const reach: Reach = { accountId, workspaceIds: 'all' }
      await storage.transaction(async (tx) => {
        const task = await add({}, at(0, tx))
        assert.equal(
          (
            await storage.tasks.getTask(
              { within: reach, taskId: task.id, parts: DETAIL, logLines: 1 },
              at(0, tx),
            )
          ).task.id,
          task.id,
        )
        assert.equal(
          (await storage.tasks.getTask({ within: reach, taskId: task.id, parts: [] }, at(0, tx))).workspaceId,
          task.workspaceId,
        )
        const { found } = await storage.tasks.searchTasks({ reach, ...ALL }, at(0, tx))
        assert.equal(found.length, 1)
      })
    },
  },
]

const searches: readonly StorageCheck[] = [
  {
    id: 'search.status',
    name: 'tasks are found by their status, newest first',
    async check(fixture) {
      const tasks = await addOneOfEach(fixture)
      assert.deepEqual(await search(fixture), newestFirst(tasks))
      for (const status of taskStatuses) {
        const expected = tasks.filter((task) => taskStatus(task) === status)
        assert.equal(expected.length, status === 'blocked' ? 2 : 1)
        assert.deepEqual(await search(fixture, { status }), newestFirst(expected))
      }
    },
  },
  {
    id: 'search.empty',
    name: 'an empty board, or an account without workspaces in reach, has nothing to find',
    async check(fixture) {
      const { storage, accountId, agent, workspaceId, add, at } = fixture
      const page = await storage.tasks.searchTasks(
        { reach: { accountId, workspaceIds: 'all' }, ...ALL },
        at(),
      )
      assert.deepEqual(page, { found: [], asOf: START, hasMore: false })
      assert.deepEqual(await search(fixture, { agentId: agent.id, workspaceId, status: 'failed' }), [])
      await add()
      assert.deepEqual(await search(fixture, {}, { workspaceIds: [] }), [])
    },
  },
  {
    id: 'search.pages',
    name: 'pages continue where the last one ended, however the board changes meanwhile',
    async check(fixture) {
      const { storage, accountId, workspaceId, add, addWorkspace, finish, at } = fixture
      const second = (await addWorkspace()).workspaceId
      const tasks: Task[] = []
      for (let n = 0; n < 7; n++) tasks.push(await add({ workspaceId: n % 2 === 0 ? workspaceId : second }))
      const reach: Reach = { accountId, workspaceIds: 'all' }
      const seen: string[] = []
      let after: TaskCursor | null = null
      let hasMore = false
      let pages = 0
      do {
        const page: TaskSearchPage = await storage.tasks.searchTasks({ ...ALL, reach, limit: 3, after }, at())
        seen.push(...page.found.map(({ task }) => task.id))
        const last = page.found.at(-1)
        after = last === undefined ? null : behind(last.task)
        hasMore = page.hasMore
        pages += 1
        await finish(tasks[0] as Task)
        await add()
      } while (hasMore)
      assert.deepEqual([pages, seen], [3, newestFirst(tasks)])
      const exact = await storage.tasks.searchTasks({ ...ALL, reach, workspaceId: second, limit: 3 }, at())
      assert.deepEqual([exact.found.length, exact.hasMore], [3, false])
    },
  },
  {
    id: 'search.summary',
    name: 'what is found comes whole, with its agent',
    async check({ storage, accountId, agent, addClaimed, at }) {
      const task = await addClaimed({ tags: ['a'], metadata: { k: ['v'] } })
      const { found } = await storage.tasks.searchTasks(
        { reach: { accountId, workspaceIds: 'all' }, ...ALL },
        at(),
      )
      const { id, name } = agent
      assert.deepEqual(found, [{ task, agent: { id, name, status: 'busy' } }])
    },
  },
  {
    id: 'search.agent',
    name: 'an agent’s tasks are those assigned to it, those it works and those it completed, each once',
    async check(fixture) {
      const { storage, workspaceId, agent, add, addClaimed, addAgent, at } = fixture
      const other = await addAgent()
      const completed = await addClaimed()
      await storage.tasks.completeTask({ proof: proofOf(completed), result: 'r', next: null }, at())
      const both = await addClaimed({ assignedTo: agent.id })
      await storage.tasks.completeTask({ proof: proofOf(both), result: 'r', next: null }, at())
      const reopened = await addClaimed()
      await storage.tasks.completeTask({ proof: proofOf(reopened), result: 'r', next: null }, at())
      await changeTask(
        storage.tasks,
        { workspaceId, id: reopened.id },
        { kind: 'move', to: 'TODO', actor: PERSON },
        at(),
      )
      await changeTask(
        storage.tasks,
        { workspaceId, id: reopened.id },
        { kind: 'hold', reason: 'approval', message: null, actor: PERSON },
        at(),
      )
      const doing = await addClaimed()
      const assigned = await add({ assignedTo: agent.id })
      const theirs = await add({ assignedTo: other.id })
      await add()
      const agentId = agent.id
      const found = (filter: Partial<TaskSearch> = {}) => search(fixture, { agentId, ...filter })
      assert.deepEqual(await found(), newestFirst([completed, both, doing, assigned]))
      assert.deepEqual(await found({ status: 'pending' }), [assigned.id])
      assert.deepEqual(await found({ status: 'in_progress' }), [doing.id])
      assert.deepEqual(await found({ status: 'completed', workspaceId }), newestFirst([completed, both]))
      assert.deepEqual(await found({ status: 'blocked' }), [])
      assert.deepEqual(await found({ limit: 2 }), newestFirst([doing, assigned]))
      assert.deepEqual(await found({ after: behind(doing) }), newestFirst([completed, both]))
      assert.deepEqual(await search(fixture, { agentId: other.id }), [theirs.id])
      const second = (await fixture.addWorkspace()).workspaceId
      assert.deepEqual(await found({ workspaceId: second }), [])
    },
  },
  {
    id: 'search.reach',
    name: 'a search sees the workspaces within reach, and refuses to filter by what is beyond',
    async check(fixture) {
      const { accountId, workspaceId, agent, add, addWorkspace } = fixture
      const second = await addWorkspace()
      const stranger = await addStranger(fixture)
      const [own, next] = [await add(), await add({ workspaceId: second.workspaceId })]
      await add({ workspaceId: stranger.workspaceId })
      assert.deepEqual(await search(fixture), newestFirst([own, next]))
      assert.deepEqual(await search(fixture, { workspaceId }), [own.id])
      assert.deepEqual(await search(fixture, {}, { workspaceIds: [second.workspaceId] }), [next.id])
      const both = [second.workspaceId, workspaceId, stranger.workspaceId]
      assert.deepEqual(
        await search(fixture, { status: 'pending' }, { workspaceIds: both }),
        newestFirst([own, next]),
      )
      assert.equal((await search(fixture, {}, stranger)).length, 1)
      const bound = { accountId, workspaceIds: [second.workspaceId] }
      const foreign = { accountId: stranger.accountId, workspaceIds: [workspaceId] }
      for (const [filter, reach] of [
        [{ workspaceId: unknownId('ws') }, {}],
        [{ workspaceId: stranger.workspaceId }, {}],
        [{ workspaceId }, bound],
        [{ workspaceId }, foreign],
      ] as const) {
        await assertRefused(search(fixture, filter, reach), 'NOT_FOUND', 'workspaceId')
      }
      for (const [agentId, reach] of [
        [unknownId('agent'), {}],
        [agent.id, bound],
        [agent.id, foreign],
      ] as const) {
        await assertRefused(search(fixture, { agentId }, reach), 'NOT_FOUND', 'agentId')
      }
    },
  },
]

/** Finding tasks across workspaces. */
export const taskSearchCases: readonly StorageCheck[] = [...finds, ...searches]
