import assert from 'node:assert/strict'
import { isTaskboardError, priorities, type Agent, type Task } from '@taskboard/core'
import type { ClaimTarget, TaskChange } from '@taskboard/core/storage'
import { seededChance, type Chance } from './chance.js'
import {
  AGENT_TYPE,
  byScore,
  changeClaimed,
  changeTask,
  DAY,
  MINUTE,
  PERSON,
  proofOf,
  SECOND,
  START,
  type StorageFixture,
} from './storage-fixture.js'

/** Longer than a step. */
const LEASE = 20 * DAY
const agentTypes = [AGENT_TYPE, 'other', 'Market research'] as const
const taskTypes = [null, null, ...agentTypes, 'nobody has it'] as const

/** What there is, kept next to the storage. */
interface Model {
  readonly fixture: StorageFixture
  readonly chance: Chance
  agents: readonly Agent[]
  /** Tasks in TODO without a hold, by id. */
  readonly waiting: Map<string, Task>
  /** Tasks under lease, by id. */
  readonly working: Map<string, Task>
  afterMs: number
}

/** At random instants, with random tasks, agents and edits. The claimed task is the first of a full sort of the tasks that the agent may take. */
export async function checkRandomPicks(fixture: StorageFixture, seed: number): Promise<void> {
  const chance = seededChance(seed)
  const agents = [fixture.agent, await fixture.addAgent(), await fixture.addAgent('other')]
  const model: Model = { fixture, chance, agents, waiting: new Map(), working: new Map(), afterMs: 0 }
  const { waiting } = model
  for (let step = 0; step < 80; step++) {
    model.afterMs += chance.pick([0, 1, SECOND, MINUTE, DAY, 5 * DAY])
    await renewAll(model)
    for (let count = chance.below(4); count > 0; count--) await addRandom(model)
    if (chance.below(5) === 0) await holdOrFinish(model)
    if (chance.below(2) === 0) await editOrDelete(model)
    if (chance.below(3) === 0) await changeAgents(model)
    await claimRandom(model, `seed ${seed}, step ${step}`)
  }
  for (const task of waiting.values()) {
    const dependencies = await Promise.all(task.dependsOn.map((id) => fixture.get({ ...task, id })))
    const open = dependencies.filter(({ column }) => column !== 'DONE')
    assert.equal((await fixture.get(task)).openDependencies, open.length, `seed ${seed}`)
  }
}

const now = ({ afterMs }: Model): number => START + afterMs

async function renewAll({ fixture, working, afterMs }: Model): Promise<void> {
  for (const task of working.values())
    await changeClaimed(
      fixture.storage.tasks,
      proofOf(task),
      { kind: 'renew', leaseMs: LEASE },
      fixture.at(afterMs),
    )
}

async function addRandom(model: Model): Promise<void> {
  const { fixture, chance, agents, waiting, afterMs } = model
  const task = await fixture.add(
    {
      type: chance.pick(taskTypes),
      priority: chance.pick(priorities),
      dueDate: chance.below(2) === 0 ? dueDateAround(model) + chance.below(DAY) : null,
      notBefore: chance.below(4) === 0 ? now(model) + chance.below(3 * DAY) : null,
      assignedTo: chance.below(5) === 0 ? chance.pick(agents).id : null,
      dependsOn: waiting.size > 0 && chance.below(4) === 0 ? [chance.pick([...waiting.keys()])] : [],
    },
    fixture.at(afterMs),
  )
  waiting.set(task.id, task)
}

/** Overdue, near, far, and so far away that many dates score alike. */
function dueDateAround(model: Model): number {
  const { chance } = model
  return now(model) + (chance.below(chance.pick([60, 300])) - 20) * DAY
}

/** Takes a task out of the running, or lets those that wait for it in. */
async function holdOrFinish(model: Model): Promise<void> {
  const { fixture, chance, waiting, afterMs } = model
  if (waiting.size === 0) return
  const task = chance.pick([...waiting.values()])
  const command =
    chance.below(2) === 0
      ? ({ kind: 'hold', reason: 'approval', message: null, actor: PERSON } as const)
      : ({ kind: 'move', to: 'DONE', actor: PERSON } as const)
  await changeTask(fixture.storage.tasks, task, command, fixture.at(afterMs))
  waiting.delete(task.id)
  await readWaiting(model)
}

/** Reads again what the end of a task may have freed. */
async function readWaiting({ fixture, waiting }: Model): Promise<void> {
  for (const each of waiting.values()) waiting.set(each.id, await fixture.get(each))
}

/** Changes a sort key or a route, or deletes a task without dependents. */
async function editOrDelete(model: Model): Promise<void> {
  const { fixture, chance, agents, waiting, afterMs } = model
  const { storage, get, at } = fixture
  if (waiting.size === 0) return
  const { workspaceId, id, dependsOn } = chance.pick([...waiting.values()])
  // Only older ones, so that there is no circle.
  const older = [...waiting.keys()].filter((each) => each < id)
  const changes: readonly TaskChange[] = [
    { type: chance.pick(taskTypes) },
    { priority: chance.pick(priorities) },
    { dueDate: chance.pick([null, dueDateAround(model)]) },
    { notBefore: chance.pick([null, now(model) + chance.below(2 * DAY)]) },
    { assignedTo: chance.pick([null, ...agents.map((agent) => agent.id)]) },
    { dependsOn: chance.pick([[], dependsOn, older.slice(0, 2)]) },
  ]
  const isNeeded = [...waiting.values()].some((task) => task.dependsOn.includes(id))
  if (chance.below(8) > 0 || isNeeded) {
    const edit = { kind: 'edit', change: chance.pick(changes), actor: PERSON } as const
    await changeTask(storage.tasks, { workspaceId, id }, edit, at(afterMs))
    waiting.set(id, await get({ workspaceId, id }))
  } else if (await isDone(storage.tasks.deleteTask({ workspaceId, taskId: id, actor: PERSON }, at(afterMs))))
    waiting.delete(id)
}

/** Whether it was: a task that has left the running may stand in the way. */
async function isDone(deletion: Promise<void>): Promise<boolean> {
  try {
    await deletion
    return true
  } catch (error) {
    if (isTaskboardError(error, 'CONFLICT')) return false
    throw error
  }
}

/** An agent comes, leaves, gets another type, stops or continues, or takes more or fewer at the same time. */
async function changeAgents(model: Model): Promise<void> {
  const { fixture, chance, afterMs } = model
  const { agents: store } = fixture.storage
  const when = fixture.at(afterMs)
  const { workspaceId, id: agentId } = chance.pick(model.agents)
  if (chance.below(6) === 0) {
    model.agents = [...model.agents, await fixture.addAgent(chance.pick(agentTypes), when)]
  } else if (chance.below(4) === 0) {
    if (model.agents.length > 1 && (await isDone(store.deleteAgent({ workspaceId, agentId }, when))))
      model.agents = model.agents.filter(({ id }) => id !== agentId)
  } else {
    const change = chance.pick([
      { type: chance.pick(agentTypes) },
      { paused: chance.below(3) === 0 },
      { maxConcurrent: chance.pick([null, 1, 2, 3]) },
    ])
    const changed = await store.updateAgent({ workspaceId, agentId, change }, when)
    model.agents = model.agents.map((agent) => (agent.id === agentId ? changed : agent))
  }
}

/** Claims, for one agent or for all of a type, by itself or with a completion. */
async function claimRandom(model: Model, context: string): Promise<void> {
  const { fixture, chance, waiting, working, afterMs } = model
  const { tasks } = fixture.storage
  const when = fixture.at(afterMs)
  const agent = chance.pick(model.agents)
  const isByType = chance.below(3) === 0
  const able = isByType ? model.agents.filter(({ type }) => type === agent.type) : [agent]
  const target: ClaimTarget = isByType
    ? { agentType: agent.type, leaseMs: LEASE }
    : { workspaceId: agent.workspaceId, agentId: agent.id, leaseMs: LEASE }
  const ended = working.size > 0 && chance.below(2) === 0 ? chance.pick([...working.values()]) : null
  let taken: readonly Task[]
  if (ended === null) taken = (await tasks.claimTasks({ target, limit: 1 }, when)).tasks
  else {
    const completion = { proof: proofOf(ended), result: '', next: target }
    taken = (await tasks.completeTask(completion, when)).next?.tasks ?? []
    working.delete(ended.id)
    await readWaiting(model)
  }
  const [claimed] = taken
  assert.equal(claimed?.id, firstOfSort(model, able)?.id, context)
  if (claimed === undefined) return
  const holder = able.find(({ id }) => id === claimed.lease?.agentId)
  assert.ok(holder && mayTake(model, holder, waiting.get(claimed.id)), `${context}: its agent`)
  waiting.delete(claimed.id)
  working.set(claimed.id, claimed)
}

/** The best task that one of the agents may take. */
function firstOfSort(model: Model, agents: readonly Agent[]): Task | undefined {
  const at = now(model)
  return [...model.waiting.values()]
    .filter((task) => task.openDependencies === 0 && (task.notBefore ?? at) <= at)
    .filter((task) => agents.some((agent) => mayTake(model, agent, task)))
    .sort(byScore(at))[0]
}

function mayTake({ agents, working }: Model, agent: Agent, task: Task | undefined): boolean {
  if (task === undefined || agent.paused) return false
  const held = [...working.values()].filter(({ lease }) => lease?.agentId === agent.id).length
  if (agent.maxConcurrent !== null && held >= agent.maxConcurrent) return false
  if (task.assignedTo !== null) return task.assignedTo === agent.id
  return task.type === agent.type || agents.every(({ type }) => type !== task.type)
}
