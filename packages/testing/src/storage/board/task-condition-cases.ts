import assert from 'node:assert/strict'
import { columns, holdReasons, type Task, type TaskSort } from '@taskboard/core'
import {
  anyTask,
  searchPlace,
  searchWords,
  type NewTask,
  type TaskConditions,
  type TaskCursor,
  type TaskSearch,
} from '@taskboard/core/storage'
import { type Chance, seededChance } from '../chance.js'
import type { StorageCheck } from '../storage-case.js'
import {
  byScore,
  changeTask,
  DAY,
  HOUR,
  MINUTE,
  PERSON,
  proofOf,
  scoring,
  START,
  type StorageFixture,
} from '../storage-fixture.js'

const sorts: readonly TaskSort[] = ['created', 'updated', 'due', 'priority_score']
/** When all searches happen: placements of tasks are over by then. */
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
const wanted = [
  'invoice',
  'inv',
  'MAN',
  'the man',
  'übersetze',
  'uber',
  'fi',
  'french tran',
  'zzz',
  '7',
  '100',
]

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

/** Adds tasks, and changes some. Resolves to a task with parts, and to those that the agent has completed. */
async function addMany(
  fixture: StorageFixture,
  chance: Chance,
  workspaceIds: readonly string[],
): Promise<{ readonly parentId: string; readonly completed: ReadonlySet<string> }> {
  const { storage, agent, at, add } = fixture
  let parentId: string | null = null
  const completed = new Set<string>()
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
    if (chance.below(6) > 0) continue
    const claimed = await fixture.claim(at((n + 50) * HOUR))
    if (claimed === null) continue
    const completion = { proof: proofOf(claimed), result: 'done', next: null }
    await storage.tasks.completeTask(completion, at((n + 50) * HOUR))
    completed.add(claimed.id)
  }
  return { parentId: parentId ?? '', completed }
}

/** The words of a text, as a reader of the documentation would split it. */
const wordsOf = (text: string | null): readonly string[] =>
  (text ?? '')
    .normalize('NFD')
    .replaceAll(/[\u0300-\u036F]/g, '')
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{N}\p{M}]+/gu) ?? []

const statusOf = ({ column, hold }: Task): string => {
  if (column !== 'TODO') return column === 'DOING' ? 'in_progress' : 'completed'
  if (hold === null) return 'pending'
  return hold.reason === 'failed' || hold.reason === 'cancelled' ? hold.reason : 'blocked'
}

/** Whether a value is the wanted one, or none is wanted. */
const isWanted = (one: unknown, value: unknown): boolean => one === null || one === value

function isIn(at: number | null, from: number | null, before: number | null): boolean {
  if (from !== null && (at === null || at < from)) return false
  return before === null || (at !== null && at < before)
}

/** The conditions of a search in other words than the library's. */
function isMet(task: Task, conditions: TaskConditions): boolean {
  const { words, tag } = conditions
  const found = [...wordsOf(task.title), ...wordsOf(task.description)]
  return (
    words.every((start) => found.some((word) => word.startsWith(start))) &&
    isWanted(conditions.status, statusOf(task)) &&
    isWanted(conditions.column, task.column) &&
    isWanted(conditions.hold, task.hold?.reason ?? null) &&
    isWanted(conditions.type, task.type) &&
    (tag === null || task.tags.includes(tag)) &&
    isWanted(conditions.priority, task.priority) &&
    isWanted(conditions.assignedTo, task.assignedTo) &&
    isWanted(conditions.parentId, task.parentId) &&
    isIn(task.createdAt, conditions.createdAfter, conditions.createdBefore) &&
    isIn(task.dueDate, conditions.dueAfter, conditions.dueBefore)
  )
}

type Compare = (a: Task, b: Task, asOf: number) => number

const newerFirst: Compare = (a, b) => (a.id > b.id ? -1 : 1)

const orders: Readonly<Record<TaskSort, Compare>> = {
  created: newerFirst,
  updated: (a, b, asOf) => b.updatedAt - a.updatedAt || newerFirst(a, b, asOf),
  due(a, b, asOf) {
    if (a.dueDate === b.dueDate) return newerFirst(a, b, asOf)
    if (a.dueDate === null || b.dueDate === null) return a.dueDate === null ? 1 : -1
    return a.dueDate - b.dueDate
  },
  priority_score: (a, b, asOf) => Number(a.hold !== null) - Number(b.hold !== null) || byScore(asOf)(a, b),
}

/** What a search finds: all tasks that meet the conditions, sorted. */
function expected(
  all: readonly Task[],
  conditions: TaskConditions,
  sort: TaskSort,
  asOf: number,
): readonly string[] {
  return all
    .filter((task) => isMet(task, conditions) && (sort !== 'priority_score' || task.column === 'TODO'))
    .toSorted((a, b) => orders[sort](a, b, asOf))
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
    after = last === undefined ? null : searchPlace(last, search.sort, page.asOf, scoring)
  }
  return tasks
}

/** How many searches a board is asked. */
const SEARCHES = 250

async function checkRandomSearches(fixture: StorageFixture, seed: number): Promise<void> {
  const { accountId, workspaceId, agent } = fixture
  const chance = seededChance(seed)
  const second = (await fixture.addWorkspace()).workspaceId
  const { parentId, completed } = await addMany(fixture, chance, [workspaceId, second])
  const reach = { accountId, workspaceIds: 'all' } as const
  const of = { reach, agentId: null, workspaceId: null, limit: 1_000 } as const
  const all = await findAll(fixture, { ...anyTask, ...of, sort: 'created' })
  assert.equal(all.length, 60)
  let found = 0
  for (let n = 0; n < SEARCHES; n++) {
    const conditions = randomConditions(chance, agent.id, parentId)
    const sort = chance.pick(sorts)
    const only = chance.pick([null, workspaceId, second])
    const agentId = chance.below(8) === 0 ? agent.id : null
    const among = all
      .filter((task) => only === null || task.workspaceId === only)
      .filter((task) => agentId === null || task.assignedTo === agentId || completed.has(task.id))
    const limit = chance.pick([2, 7, 1_000])
    const search = { ...conditions, ...of, workspaceId: only, agentId, sort, limit }
    const ids = (await findAll(fixture, search)).map(({ id }) => id)
    assert.deepEqual(ids, expected(among, conditions, sort, START + NOW_MS), JSON.stringify(search))
    found += ids.length
  }
  assert.ok(found > 2 * SEARCHES, `the searches found only ${found} tasks`)
}

/** Every condition and order of a search. */
export const taskConditionCases: readonly StorageCheck[] = [
  ...[7, 8, 9, 10].map((seed, place) => ({
    id: place === 0 ? 'search.conditions' : `search.conditions-${place + 1}`,
    name: 'random conditions in each order find, over all pages, what a filter and a sort of all tasks find',
    check: (fixture: StorageFixture) => checkRandomSearches(fixture, seed),
  })),
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
