import assert from 'node:assert/strict'
import { isTaskboardError, priorities, type Agent, type Task } from '@taskboard/core'
import { compareTied, scoreUnits, type TaskChange } from '@taskboard/core/storage'
import { seededChance, type Chance } from './chance.js'
import { DAY, MINUTE, PERSON, SECOND, START, type StorageFixture, changeTask } from './storage-fixture.js'

/** At random instants, with random tasks and edits: the claimed task is the first of a full sort. */
export async function checkRandomPicks(fixture: StorageFixture, seed: number): Promise<void> {
  const chance = seededChance(seed)
  const agents: Agent[] = [fixture.agent, await fixture.addAgent(), await fixture.addAgent('other')]
  const waiting = new Map<string, Task>()
  let afterMs = 0
  for (let step = 0; step < 60; step++) {
    afterMs += chance.pick([0, 1, SECOND, MINUTE, DAY, 5 * DAY])
    for (let count = chance.below(4); count > 0; count--)
      await addRandom(fixture, agents, waiting, chance, afterMs)
    if (chance.below(5) === 0) await holdOrFinish(fixture, waiting, chance, afterMs)
    if (chance.below(2) === 0) await editOrDelete(fixture, agents, waiting, chance, afterMs)
    const agent = chance.pick(agents)
    const expected = firstOfSort(waiting, agent, START + afterMs)
    const claimed = await fixture.claim(fixture.at(afterMs), agent)
    assert.equal(claimed?.id, expected?.id, `seed ${seed}, step ${step}`)
    if (claimed !== null) waiting.delete(claimed.id)
  }
  for (const task of waiting.values()) {
    const dependencies = await Promise.all(task.dependsOn.map((id) => fixture.get({ ...task, id })))
    const open = dependencies.filter(({ column }) => column !== 'DONE')
    assert.equal((await fixture.get(task)).openDependencies, open.length, `seed ${seed}`)
  }
}

async function addRandom(
  fixture: StorageFixture,
  agents: readonly Agent[],
  waiting: Map<string, Task>,
  chance: Chance,
  afterMs: number,
): Promise<void> {
  const now = START + afterMs
  const task = await fixture.add(
    {
      priority: chance.pick(priorities),
      dueDate: chance.below(2) === 0 ? dueDateAround(now, chance) + chance.below(DAY) : null,
      notBefore: chance.below(4) === 0 ? now + chance.below(3 * DAY) : null,
      assignedTo: chance.below(3) === 0 ? chance.pick(agents).id : null,
      dependsOn: waiting.size > 0 && chance.below(4) === 0 ? [chance.pick([...waiting.keys()])] : [],
    },
    fixture.at(afterMs),
  )
  waiting.set(task.id, task)
}

/** Overdue, near, far, and so far away that many dates score alike. */
function dueDateAround(now: number, chance: Chance): number {
  return now + (chance.below(chance.pick([60, 300])) - 20) * DAY
}

/** Takes a task out of the running, or lets those that wait for it in. */
async function holdOrFinish(
  { storage, get, at }: StorageFixture,
  waiting: Map<string, Task>,
  chance: Chance,
  afterMs: number,
): Promise<void> {
  if (waiting.size === 0) return
  const task = chance.pick([...waiting.values()])
  const { workspaceId, id } = task
  if (chance.below(2) === 0)
    await changeTask(
      storage.tasks,
      { workspaceId, id },
      { kind: 'hold', reason: 'approval', message: null, actor: PERSON },
      at(afterMs),
    )
  else
    await changeTask(
      storage.tasks,
      { workspaceId, id },
      { kind: 'move', to: 'DONE', actor: PERSON },
      at(afterMs),
    )
  waiting.delete(id)
  for (const each of waiting.values()) waiting.set(each.id, await get(each))
}

/** Changes a sort key, or deletes a task without dependents. */
async function editOrDelete(
  { storage, get, at }: StorageFixture,
  agents: readonly Agent[],
  waiting: Map<string, Task>,
  chance: Chance,
  afterMs: number,
): Promise<void> {
  if (waiting.size === 0) return
  const { workspaceId, id, dependsOn } = chance.pick([...waiting.values()])
  const now = START + afterMs
  // Only older ones, so that there is no circle.
  const older = [...waiting.keys()].filter((each) => each < id)
  const changes: readonly TaskChange[] = [
    { priority: chance.pick(priorities) },
    { dueDate: chance.pick([null, dueDateAround(now, chance)]) },
    { notBefore: chance.pick([null, now + chance.below(2 * DAY)]) },
    { assignedTo: chance.pick([null, ...agents.map((agent) => agent.id)]) },
    { dependsOn: chance.pick([[], dependsOn, older.slice(0, 2)]) },
  ]
  const isNeeded = [...waiting.values()].some((task) => task.dependsOn.includes(id))
  if (chance.below(8) > 0 || isNeeded) {
    await changeTask(
      storage.tasks,
      { workspaceId, id },
      { kind: 'edit', change: chance.pick(changes), actor: PERSON },
      at(afterMs),
    )
    waiting.set(id, await get({ workspaceId, id }))
  } else if (
    await isDeleted(storage.tasks.deleteTask({ workspaceId, taskId: id, actor: PERSON }, at(afterMs)))
  )
    waiting.delete(id)
}

/** Whether it was: one that has left the running may depend on the task still. */
async function isDeleted(deletion: Promise<void>): Promise<boolean> {
  try {
    await deletion
    return true
  } catch (error) {
    if (isTaskboardError(error, 'CONFLICT')) return false
    throw error
  }
}

function firstOfSort(waiting: Map<string, Task>, agent: Agent, now: number): Task | undefined {
  return [...waiting.values()]
    .filter((task) => task.openDependencies === 0 && (task.notBefore ?? now) <= now)
    .filter((task) => task.assignedTo === null || task.assignedTo === agent.id)
    .sort((a, b) => scoreUnits(b, now) - scoreUnits(a, now) || compareTied(a, b))[0]
}
