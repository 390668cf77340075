import assert from 'node:assert/strict'
import { columns, isTaskboardError, priorities, type Agent, type Task } from '@taskboard/core'
import { defaultBackoff } from '@taskboard/core/storage'
import { countTasks } from './count-tasks.js'
import { seededChance, type Chance } from '../chance.js'
import { assertRefused, type StorageCheck } from '../storage-case.js'
import {
  DAY,
  LEASE_MS,
  PERSON,
  proofOf,
  type StorageFixture,
  changeTask,
  changeClaimed,
  readTask,
} from '../storage-fixture.js'

const ROUNDS = 12
const AT_ONCE = 12
/** The errors that a verb may return when another one was first. Any other is a fault. */
const REFUSALS = ['TASK_NOT_FOUND', 'CONFLICT', 'INVALID_FIELD']

/** What the callers know of the board from their answers. */
interface Known {
  readonly fixture: StorageFixture
  readonly chance: Chance
  readonly agents: readonly Agent[]
  /** Tasks that were added and not deleted. */
  readonly ids: Set<string>
  readonly claims: Task[]
  /** By task and field: the possible values, which are the last known one and those written since. */
  readonly edits: Map<string, { readonly title: Set<string>; readonly priority: Set<string> }>
  /** Claims as `task token`; none is given twice. */
  readonly tokens: Set<string>
}

type Step = (known: Known, taskId: string) => Promise<void>

function recordClaim({ claims, tokens }: Known, task: Task | null | undefined): void {
  if (task == null) return
  const token = `${task.id} ${task.fencingToken}`
  assert.ok(!tokens.has(token), `${token} was given twice`)
  tokens.add(token)
  claims.push(task)
}

function someTasks({ chance, ids }: Known, most: number): string[] {
  return Array.from({ length: ids.size === 0 ? 0 : chance.below(most + 1) }, () => chance.pick([...ids]))
}

const addTask: Step = async (known) => {
  const { fixture, ids, edits } = known
  const { id, title, priority } = await fixture.add({ dependsOn: someTasks(known, 3) })
  ids.add(id)
  edits.set(id, { title: new Set([title]), priority: new Set([priority]) })
}

/** One field at a time, so that two edits of one task are both to be seen. */
const editTask: Step = async ({ fixture, chance, edits }, taskId) => {
  const { storage, workspaceId, at } = fixture
  const title = `title ${chance.below(1_000_000)}`
  const priority = chance.pick(priorities)
  const isTitle = chance.below(2) === 0
  await changeTask(
    storage.tasks,
    { workspaceId, id: taskId },
    { kind: 'edit', change: isTitle ? { title } : { priority }, actor: PERSON },
    at(),
  )
  const known = edits.get(taskId)
  if (isTitle) known?.title.add(title)
  else known?.priority.add(priority)
}

const steps: readonly Step[] = [
  addTask,
  addTask,
  editTask,
  editTask,
  async (known, taskId) => {
    const { storage, workspaceId, at } = known.fixture
    await changeTask(
      storage.tasks,
      { workspaceId, id: taskId },
      { kind: 'edit', change: { dependsOn: someTasks(known, 2) }, actor: PERSON },
      at(),
    )
  },
  async ({ fixture, chance, agents }, taskId) => {
    const assignedTo = chance.pick([null, ...agents])?.id ?? null
    await changeTask(
      fixture.storage.tasks,
      { workspaceId: fixture.workspaceId, id: taskId },
      { kind: 'edit', change: { assignedTo }, actor: PERSON },
      fixture.at(),
    )
  },
  async ({ fixture, ids }, taskId) => {
    await fixture.storage.tasks.deleteTask(
      { workspaceId: fixture.workspaceId, taskId, actor: PERSON },
      fixture.at(),
    )
    ids.delete(taskId)
  },
  async (known) => recordClaim(known, await known.fixture.claim(undefined, known.chance.pick(known.agents))),
  async (known) => {
    const { fixture, chance, claims, agents } = known
    const task = claims.splice(chance.below(claims.length), 1)[0]
    if (task === undefined) return
    const { workspaceId, id: agentId } = chance.pick(agents)
    const request = chance.below(2) === 0 ? null : { workspaceId, agentId, leaseMs: LEASE_MS }
    const { next } = await fixture.storage.tasks.completeTask(
      { proof: proofOf(task), result: 'done', next: request },
      fixture.at(),
    )
    recordClaim(known, next?.tasks[0])
  },
  async ({ fixture, chance, claims }) => {
    const task = claims.splice(chance.below(claims.length), 1)[0]
    if (task === undefined) return
    const backoff = chance.pick([null, defaultBackoff])
    await changeClaimed(
      fixture.storage.tasks,
      proofOf(task),
      { kind: 'fail', reason: 'a fault', backoff },
      fixture.at(),
    )
  },
  async ({ fixture, chance }, taskId) => {
    const { storage, workspaceId, at } = fixture
    await changeTask(
      storage.tasks,
      { workspaceId, id: taskId },
      { kind: 'move', to: chance.pick(columns), actor: PERSON },
      at(),
    )
  },
  async ({ fixture, chance }, taskId) => {
    const { storage, workspaceId, at } = fixture
    await changeTask(
      storage.tasks,
      { workspaceId, id: taskId },
      { kind: 'finish', result: 'by hand', takeOver: chance.pick([true, false]), actor: PERSON },
      at(),
    )
  },
  async ({ fixture }, taskId) => {
    const { storage, workspaceId, at } = fixture
    await changeTask(
      storage.tasks,
      { workspaceId, id: taskId },
      { kind: 'hold', reason: 'approval', message: null, actor: PERSON },
      at(),
    )
  },
  async ({ fixture }, taskId) => {
    await changeTask(
      fixture.storage.tasks,
      { workspaceId: fixture.workspaceId, id: taskId },
      { kind: 'release', actor: PERSON },
      fixture.at(),
    )
  },
]

async function playRound(known: Known, fixtures: readonly StorageFixture[]): Promise<void> {
  const { chance } = known
  const ids = [...known.ids]
  const underWay = Array.from({ length: AT_ONCE }, () =>
    chance.pick(steps)(
      { ...known, fixture: chance.pick(fixtures) },
      ids.length === 0 ? '' : chance.pick(ids),
    ),
  )
  for (const { reason } of await Promise.allSettled(underWay).then(rejections)) {
    if (!isTaskboardError(reason) || !REFUSALS.includes(reason.code)) throw reason
  }
}

function rejections(results: readonly PromiseSettledResult<void>[]): readonly PromiseRejectedResult[] {
  return results.filter((result) => result.status === 'rejected')
}

/** Checks the whole board while nothing is in progress. */
async function checkBoard({ fixture, ids, edits }: Known): Promise<ReadonlyMap<string, Task>> {
  const { storage, workspaceId, at } = fixture
  const tasks = new Map<string, Task>()
  for (const id of ids)
    tasks.set(id, (await readTask(storage.tasks, { workspaceId, id }, ['task'], at())).task)
  for (const task of tasks.values()) {
    const dependencies = task.dependsOn.map((id) => tasks.get(id))
    assert.ok(!dependencies.includes(undefined), `${task.id} depends on what is gone`)
    const open = dependencies.filter((each) => each?.column !== 'DONE').length
    assert.equal(task.openDependencies, open, `open dependencies of ${task.id}`)
    assert.ok(task.lease === null || task.column === 'DOING', `${task.id} has a lease in ${task.column}`)
    assert.ok(task.hold === null || task.column === 'TODO', `${task.id} is held in ${task.column}`)
    const { title, priority } = edits.get(task.id) ?? {}
    const isEdited = { title: title?.has(task.title), priority: priority?.has(task.priority) }
    assert.deepEqual(isEdited, { title: true, priority: true }, `an edit of ${task.id} is lost`)
    edits.set(task.id, { title: new Set([task.title]), priority: new Set([task.priority]) })
  }
  const counted = Object.fromEntries(
    columns.map((column) => [column, [...tasks.values()].filter((task) => task.column === column).length]),
  )
  assert.deepEqual(await countTasks(storage, workspaceId, at()), counted)
  return tasks
}

/** Every task that is ready is claimed, and no other. */
async function drain({ fixture, agents }: Known, tasks: ReadonlyMap<string, Task>): Promise<void> {
  const later = fixture.at(DAY)
  for (const agent of agents) {
    const claimed: string[] = []
    for (
      let task = await fixture.claim(later, agent);
      task !== null;
      task = await fixture.claim(later, agent)
    ) {
      claimed.push(task.id)
    }
    const isOwn = ({ assignedTo }: Task): boolean =>
      assignedTo === agent.id || (assignedTo === null && agent === agents[0])
    const ready = [...tasks.values()].filter(
      (task) => task.column === 'TODO' && task.hold === null && task.openDependencies === 0 && isOwn(task),
    )
    assert.deepEqual(claimed.toSorted(), ready.map(({ id }) => id).toSorted())
  }
}

/** A task can be deleted exactly when none depends on it, and all can be in the end: there is no circle. */
async function clear({ fixture }: Known, tasks: ReadonlyMap<string, Task>): Promise<void> {
  const { storage, workspaceId, at } = fixture
  const left = new Map(tasks)
  while (left.size > 0) {
    const needed = new Set([...left.values()].flatMap(({ dependsOn }) => dependsOn))
    const free = [...left.keys()].filter((id) => !needed.has(id))
    assert.notEqual(free.length, 0, 'tasks depend on each other in a circle')
    for (const id of needed) {
      await assertRefused(
        storage.tasks.deleteTask({ workspaceId, taskId: id, actor: PERSON }, at()),
        'CONFLICT',
      )
    }
    for (const id of free) {
      await storage.tasks.deleteTask({ workspaceId, taskId: id, actor: PERSON }, at())
      left.delete(id)
    }
  }
  assert.deepEqual(await countTasks(storage, workspaceId, at()), { TODO: 0, DOING: 0, DONE: 0 })
}

/** Everything that happens to tasks, concurrently and at random: in any order, the board stays consistent. */
async function playGame(
  fixtures: readonly [StorageFixture, ...StorageFixture[]],
  seed: number,
): Promise<void> {
  const [fixture] = fixtures
  const agents = [fixture.agent, await fixture.addAgent()]
  const nothing = { ids: new Set<string>(), claims: [], edits: new Map(), tokens: new Set<string>() }
  const known: Known = { fixture, chance: seededChance(seed), agents, ...nothing }
  for (let count = 0; count < 5; count++) await addTask(known, '')
  for (let round = 0; round < ROUNDS; round++) {
    await playRound(known, fixtures)
    await fixture.freeAll()
    await checkBoard(known)
  }
  const tasks = await checkBoard(known)
  await drain(known, tasks)
  await clear(known, tasks)
}

export const interleavingCases: readonly StorageCheck[] = [1, 2, 3].flatMap((seed) => [
  {
    id: `interleaving.${seed}`,
    name: `edits, deletions, claims, completions and moves at once leave a board that holds together (${seed})`,
    check: (fixture) => playGame([fixture], seed),
  },
  {
    id: `interleaving.shared-${seed}`,
    name: `so they do by two storages on one database (${seed})`,
    async check(fixture) {
      const other = await fixture.another()
      if (other !== null) await playGame([fixture, other], seed)
    },
  },
])
