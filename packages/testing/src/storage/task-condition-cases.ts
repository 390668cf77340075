import assert from 'node:assert/strict'
import { columns, defaultScoring, holdReasons, type Task } from '@taskboard/core'
import {
  anyTask,
  compareTied,
  meetsConditions,
  searchPlace,
  searchWords,
  type NewTask,
  type TaskConditions,
  type TaskCursor,
  type TaskSearch,
  type TaskSort,
} from '@taskboard/core/storage'
import { type Chance, seededChance } from './chance.js'
import type { StorageCheck } from './storage-case.js'
import { changeTask, DAY, HOUR, MINUTE, PERSON, START, type StorageFixture } from './storage-fixture.js'

const sorts: readonly TaskSort[] = ['created', 'updated', 'due', 'priority_score']
/** When all searches happen: placements of tasks have ended by then. */
const NOW_MS = 40 * DAY
const titles = [
  'Translate the manual',
  'Invoice №7',
  'ÜBERSETZE das Handbuch',
  'man-made',
  'ﬁle the invoices',
]
const descriptions = [null, '', 'Into French, by Friday', 'see invoice & manual', "it's 100% (done) :* | !"]
const types = [null, 'research', 'Market research', "o'type \\ '"] as const
const tags = ['print', 'a b', 'it\'s \\ "&|!():*', '#print', 'ünï'] as const
const priorities = ['urgent', 'high', 'medium', 'low'] as const
const wanted = ['invoice', 'inv', 'MAN', 'the man', 'übersetze', 'fi', 'french tran', 'zzz', '7', '100']

function randomTask(chance: Chance, workspaceIds: readonly string[], agentId: string): Partial<NewTask> {
  const workspaceId = chance.pick(workspaceIds)
  return {
    workspaceId,
    title: chance.pick(titles),
    description: chance.pick(descriptions),
    type: chance.pick(types),
    tags: tags.filter(() => chance.below(3) === 0),
    priority: chance.pick(priorities),
    dueDate: chance.below(3) === 0 ? null : START + chance.below(200) * DAY,
    assignedTo: workspaceId === workspaceIds[0] && chance.below(4) === 0 ? agentId : null,
  }
}

const maybe = <T>(chance: Chance, value: () => T): T | null => (chance.below(5) === 0 ? value() : null)

function randomConditions(chance: Chance, agentId: string, parentId: string): TaskConditions {
  const instant = () => START + chance.below(60) * HOUR
  const due = () => START + chance.below(200) * DAY
  return {
    words: maybe(chance, () => searchWords(chance.pick(wanted))) ?? [],
    status: maybe(chance, () => chance.pick(['pending', 'blocked', 'completed', 'cancelled'] as const)),
    column: maybe(chance, () => chance.pick(columns)),
    hold: maybe(chance, () => chance.pick(holdReasons)),
    type: maybe(chance, () => chance.pick(types)),
    tag: maybe(chance, () => chance.pick(tags)),
    priority: maybe(chance, () => chance.pick(priorities)),
    assignedTo: chance.below(15) === 0 ? agentId : null,
    parentId: chance.below(15) === 0 ? parentId : null,
    createdAfter: maybe(chance, instant),
    createdBefore: maybe(chance, instant),
    dueAfter: maybe(chance, due),
    dueBefore: maybe(chance, due),
  }
}

async function addMany(
  fixture: StorageFixture,
  chance: Chance,
  workspaceIds: readonly string[],
): Promise<{ readonly parentId: string }> {
  const { storage, agent, at, add } = fixture
  let parentId: string | null = null
  for (let n = 0; n < 60; n++) {
    const input = randomTask(chance, workspaceIds, agent.id)
    const isPart = parentId !== null && input.workspaceId === workspaceIds[0] && chance.below(4) === 0
    const task = await add(isPart ? { ...input, parentId } : input, at(n * HOUR))
    if (input.workspaceId === workspaceIds[0]) parentId ??= task.id
    const changedAt = at((n + chance.below(50)) * HOUR)
    const commands = [
      { kind: 'hold', reason: chance.pick(holdReasons), message: null, actor: PERSON },
      { kind: 'move', to: chance.pick(columns), actor: PERSON },
      { kind: 'edit', change: { title: chance.pick(titles), tags: [chance.pick(tags)] }, actor: PERSON },
      { kind: 'edit', change: { description: null, type: null, dueDate: null }, actor: PERSON },
    ] as const
    if (chance.below(2) === 0) await changeTask(storage.tasks, task, chance.pick(commands), changedAt)
  }
  return { parentId: parentId ?? '' }
}

/** What a search finds, by the definition of the conditions and the order. */
function expected(
  all: readonly Task[],
  search: TaskConditions,
  sort: TaskSort,
  asOf: number,
): readonly string[] {
  const place = (task: Task): TaskCursor => searchPlace(task, sort, asOf, defaultScoring)
  const byRank = (a: Task, b: Task): number => place(b).rank - place(a).rank || (a.id > b.id ? -1 : 1)
  const byScore = (a: Task, b: Task): number =>
    Number(place(a).held) - Number(place(b).held) || place(b).rank - place(a).rank || compareTied(a, b)
  return all
    .filter((task) => meetsConditions(task, search) && (sort !== 'priority_score' || task.column === 'TODO'))
    .toSorted(sort === 'priority_score' ? byScore : byRank)
    .map(({ id }) => id)
}

/** All pages of a search. */
async function findAll(
  { storage, at }: StorageFixture,
  search: Omit<TaskSearch, 'after'>,
): Promise<readonly Task[]> {
  const tasks: Task[] = []
  for (let after: TaskCursor | null = null, hasMore = true; hasMore;) {
    const page: Awaited<ReturnType<typeof storage.tasks.searchTasks>> = await storage.tasks.searchTasks(
      { ...search, after },
      at(after === null ? NOW_MS : NOW_MS + MINUTE),
    )
    assert.ok(page.found.length <= search.limit)
    tasks.push(...page.found.map(({ task }) => task))
    const last = tasks.at(-1)
    hasMore = page.hasMore
    after = last === undefined ? null : searchPlace(last, search.sort, page.asOf, defaultScoring)
  }
  return tasks
}

/** Every condition and order of a search. */
export const taskConditionCases: readonly StorageCheck[] = [
  {
    id: 'search.conditions',
    name: 'random conditions in each order find, over all pages, what their definition says',
    async check(fixture) {
      const { accountId, workspaceId, agent } = fixture
      const chance = seededChance(7)
      const second = (await fixture.addWorkspace()).workspaceId
      const { parentId } = await addMany(fixture, chance, [workspaceId, second])
      const reach = { accountId, workspaceIds: 'all' } as const
      const of = { reach, agentId: null, workspaceId: null, limit: 1_000 } as const
      const all = await findAll(fixture, { ...anyTask, ...of, sort: 'created' })
      assert.equal(all.length, 60)
      let found = 0
      for (let n = 0; n < 120; n++) {
        const conditions = randomConditions(chance, agent.id, parentId)
        const sort = chance.pick(sorts)
        const only = chance.pick([null, workspaceId, second])
        const among = all.filter((task) => only === null || task.workspaceId === only)
        const search = { ...conditions, ...of, workspaceId: only, sort, limit: chance.pick([1, 7, 1_000]) }
        const ids = (await findAll(fixture, search)).map(({ id }) => id)
        assert.deepEqual(ids, expected(among, conditions, sort, START + NOW_MS), JSON.stringify(search))
        found += ids.length
      }
      assert.ok(found > 200, `the searches found only ${found} tasks`)
    },
  },
  {
    id: 'search.edited',
    name: 'a task is found by its present words, type and tags, and not by former ones; a deleted one by none',
    async check(fixture) {
      const { storage, accountId, workspaceId, at, add } = fixture
      const find = async (conditions: Partial<TaskConditions>) => {
        const reach = { accountId, workspaceIds: [workspaceId] }
        const search = { ...anyTask, reach, agentId: null, workspaceId: null, sort: 'due', limit: 9 } as const
        return (await findAll(fixture, { ...search, ...conditions })).map(({ id }) => id)
      }
      const task = await add({ title: 'Old title', description: 'old text', type: 'old', tags: ['old'] })
      const before = [{ words: ['old', 'title'] }, { words: ['text'] }, { type: 'old' }, { tag: 'old' }]
      for (const conditions of before) assert.deepEqual(await find(conditions), [task.id])
      const change = { title: 'New name', description: 'more', type: 'new', tags: ['new'] }
      await changeTask(storage.tasks, task, { kind: 'edit', change, actor: PERSON }, at())
      for (const conditions of before) assert.deepEqual(await find(conditions), [])
      const after = [{ words: ['new', 'name'] }, { words: ['mor'] }, { type: 'new' }, { tag: 'new' }]
      for (const conditions of after) assert.deepEqual(await find(conditions), [task.id])
      await changeTask(storage.tasks, task, { kind: 'move', to: 'DONE', actor: PERSON }, at())
      for (const conditions of after) assert.deepEqual(await find(conditions), [task.id])
      await storage.tasks.deleteTask({ workspaceId, taskId: task.id, actor: PERSON }, at())
      for (const conditions of [...after, {}]) assert.deepEqual(await find(conditions), [])
    },
  },
  {
    id: 'search.agent-conditions',
    name: 'the tasks of an agent are found by further conditions and in other orders',
    async check(fixture) {
      const { accountId, workspaceId, agent, add, addClaimed } = fixture
      const [assigned, later] = [
        await add({ assignedTo: agent.id, dueDate: START + DAY, priority: 'low' }),
        await add({ assignedTo: agent.id, dueDate: START + 2 * DAY, priority: 'low', tags: ['x'] }),
      ]
      await add({ tags: ['x'], priority: 'low' })
      const worked = await addClaimed({ priority: 'urgent', tags: ['x'] })
      const find = async (search: Partial<TaskSearch>) => {
        const reach = { accountId, workspaceIds: 'all' } as const
        const base = { ...anyTask, reach, agentId: agent.id, workspaceId, sort: 'due', limit: 2 } as const
        return (await findAll(fixture, { ...base, ...search })).map(({ id }) => id)
      }
      assert.deepEqual(await find({}), [assigned.id, later.id, worked.id])
      assert.deepEqual(await find({ tag: 'x' }), [later.id, worked.id])
      assert.deepEqual(await find({ sort: 'priority_score' }), [assigned.id, later.id])
    },
  },
]
