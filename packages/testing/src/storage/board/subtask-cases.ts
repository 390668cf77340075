import assert from 'node:assert/strict'
import type { Task } from '@taskboard/core'
import type { ListedTask, TaskInsertion } from '@taskboard/core/storage'
import { newTask } from '../new-task.js'
import { assertRefused, type StorageCheck } from '../storage-case.js'
import {
  LEASE_MS,
  MINUTE,
  PERSON,
  proofOf,
  readTask,
  SECOND,
  unknownId,
  type StorageFixture as Fixture,
} from '../storage-fixture.js'

/** A task of a list. */
function listed({ workspaceId }: Fixture, given: Partial<ListedTask> = {}): ListedTask {
  return { ...newTask({ workspaceId, ...given }), follows: given.follows ?? [] }
}

function addAll(
  fixture: Fixture,
  tasks: readonly ListedTask[],
  given: Partial<TaskInsertion> & { readonly afterMs?: number } = {},
) {
  const { storage, workspaceId, at } = fixture
  const { afterMs = 0, ...rest } = given
  const insertion = { workspaceId, tasks, actor: PERSON, idempotency: null, split: null, ...rest }
  return storage.tasks.insertTasks(insertion, at(afterMs))
}

/** Splits a claimed task into so many others. */
async function split(fixture: Fixture, parent: Task, count: number, isWaiting = false) {
  const tasks = Array.from({ length: count }, () => listed(fixture, { parentId: parent.id }))
  const agent = { kind: 'agent', id: fixture.agent.id } as const
  const proof = proofOf(parent)
  return (await addAll(fixture, tasks, { actor: agent, split: { proof, isWaiting, leaseMs: null } })).value
}

const lists: readonly StorageCheck[] = [
  {
    id: 'lists.all',
    name: 'a list of tasks is created in its order, with dependencies by position, and with an event for each',
    async check(fixture) {
      const { get, events } = fixture
      const other = await fixture.add()
      const { value: made, replayed } = await addAll(fixture, [
        listed(fixture, { title: 'first', type: 'a type', tags: ['x'] }),
        listed(fixture, { title: 'second', follows: [0], dependsOn: [other.id] }),
        listed(fixture, { title: 'third', follows: [1, 0] }),
      ])
      const [first, second, third] = made as [Task, Task, Task]
      assert.equal(replayed, false)
      assert.deepEqual(
        made.map(({ title }) => title),
        ['first', 'second', 'third'],
      )
      assert.deepEqual(second.dependsOn, [other.id, first.id])
      assert.deepEqual(third.dependsOn, [second.id, first.id])
      assert.deepEqual(
        made.map(({ openDependencies }) => openDependencies),
        [0, 2, 2],
      )
      for (const task of made) assert.deepEqual(await get(task), task)
      const created = (await events()).filter(({ type }) => type === 'task.created').slice(1)
      assert.deepEqual(
        created.map(({ data }) => (data as { readonly taskId: string }).taskId),
        made.map(({ id }) => id),
      )
      await fixture.finish(first)
      await fixture.freeAll()
      assert.deepEqual([(await get(second)).openDependencies, (await get(third)).openDependencies], [1, 1])
    },
  },
  {
    id: 'lists.none',
    name: 'a list with one task that is refused creates none of them',
    async check(fixture) {
      const before = (await fixture.events()).length
      const refused: readonly (readonly [Partial<ListedTask>, string])[] = [
        [{ dependsOn: [unknownId('task')] }, 'dependsOn'],
        [{ assignedTo: unknownId('agent') }, 'assignedTo'],
        [{ parentId: unknownId('task') }, 'parentId'],
      ]
      for (const [given, field] of refused) {
        const tasks = [listed(fixture), listed(fixture, given), listed(fixture)]
        await assertRefused(addAll(fixture, tasks), 'INVALID_FIELD', field)
      }
      assert.equal((await fixture.events()).length, before)
    },
  },
  {
    id: 'lists.repeated',
    name: 'a repeated list returns the tasks of the first one, and another list with its key is refused',
    async check(fixture) {
      const claim = (fingerprint: string) => ({ idempotency: { scope: 's', key: 'k', fingerprint } })
      const tasks = [listed(fixture), listed(fixture, { follows: [0] })]
      const first = await addAll(fixture, tasks, claim('one'))
      const again = await addAll(fixture, tasks, { ...claim('one'), afterMs: SECOND })
      assert.deepEqual(again, { value: first.value, replayed: true })
      await assertRefused(addAll(fixture, tasks, claim('two')), 'CONFLICT')
    },
  },
]

const subtasks: readonly StorageCheck[] = [
  {
    id: 'subtasks.bounds',
    name: 'a task has at most fifty open subtasks and five levels, also when all are added at once',
    async check(fixture) {
      const { add, workspaceId } = fixture
      const parent = await add()
      assert.equal(parent.parentId, null)
      const child = await add({ parentId: parent.id })
      assert.equal(child.parentId, parent.id)
      assert.deepEqual(await fixture.get(child), child)
      const added = await Promise.allSettled(Array.from({ length: 60 }, () => add({ parentId: parent.id })))
      assert.equal(added.filter(({ status }) => status === 'fulfilled').length, 49)
      await assertRefused(add({ parentId: parent.id }), 'CONFLICT', 'parentId')
      await fixture.finish(child)
      await add({ parentId: parent.id })
      await assertRefused(add({ parentId: parent.id }), 'CONFLICT', 'parentId')

      let level = child
      for (let count = 3; count <= 5; count++) level = await add({ parentId: level.id })
      await assertRefused(add({ parentId: level.id }), 'CONFLICT', 'parentId')

      await assertRefused(add({ parentId: unknownId('task') }), 'INVALID_FIELD', 'parentId')
      const elsewhere = await add({ workspaceId: (await fixture.addWorkspace()).workspaceId })
      await assertRefused(add({ workspaceId, parentId: elsewhere.id }), 'INVALID_FIELD', 'parentId')
    },
  },
  {
    id: 'subtasks.deleted-parent',
    name: 'a task can be deleted while it has subtasks, which stay',
    async check(fixture) {
      const { add, get, storage, at } = fixture
      const parent = await add()
      const child = await add({ parentId: parent.id })
      await storage.tasks.deleteTask(
        { workspaceId: parent.workspaceId, taskId: parent.id, actor: PERSON },
        at(),
      )
      assert.equal((await get(child)).parentId, parent.id)
      await assertRefused(add({ parentId: parent.id }), 'INVALID_FIELD', 'parentId')
    },
  },
]

const splits: readonly StorageCheck[] = [
  {
    id: 'splits.without-wait',
    name: 'an agent adds subtasks to the task that it works, and keeps it under a renewed lease',
    async check(fixture) {
      const { storage, get, at } = fixture
      const parent = await fixture.addClaimed()
      const tasks = [listed(fixture, { parentId: parent.id })]
      const proof = proofOf(parent)
      const insertion = { proof, isWaiting: false, leaseMs: 2 * MINUTE }
      const { value } = await addAll(fixture, tasks, { split: insertion, afterMs: SECOND })
      const after = await get(parent)
      assert.deepEqual([after.column, after.dependsOn], ['DOING', []])
      assert.equal(after.lease?.expiresAt, (at(SECOND).now ?? 0) + 2 * MINUTE)
      assert.equal(value[0]?.parentId, parent.id)
      await storage.tasks.completeTask({ proof, result: 'done', next: null }, at(SECOND))
    },
  },
  {
    id: 'splits.wait',
    name: 'a task that waits for its subtasks returns to TODO in the same commit, without an attempt, and is ready when they are done',
    async check(fixture) {
      const { storage, get, claim, at } = fixture
      const earlier = await fixture.add()
      await fixture.finish(earlier)
      const parent = await fixture.addClaimed({ dependsOn: [earlier.id], maxAttempts: 1, priority: 'urgent' })
      const made = await split(fixture, parent, 2, true)
      const waiting = await get(parent)
      assert.deepEqual([waiting.column, waiting.lease, waiting.attempts], ['TODO', null, 0])
      assert.deepEqual(waiting.dependsOn, [earlier.id, ...made.map(({ id }) => id)])
      assert.equal(waiting.openDependencies, 2)
      const [updated, last] = (await fixture.events()).slice(-2)
      assert.ok(updated?.type === 'task.updated' && last?.type === 'task.moved')
      assert.deepEqual([updated.data.taskId, updated.data.fields], [parent.id, ['dependsOn']])
      const actor = { kind: 'agent', id: fixture.agent.id }
      assert.deepEqual([updated.data.actor, last.data.actor], [actor, actor])
      await assertRefused(
        storage.tasks.completeTask({ proof: proofOf(parent), result: '', next: null }, at()),
        'CONFLICT',
        'fencingToken',
      )
      for (const subtask of made) {
        const taken = await claim()
        assert.notEqual(taken?.id, parent.id)
        assert.ok(taken)
        await storage.tasks.completeTask(
          { proof: proofOf(taken), result: `result of ${subtask.parentId}`, next: null },
          at(),
        )
      }
      await fixture.freeAll()
      const again = await claim()
      assert.deepEqual([again?.id, again?.attempts], [parent.id, 1])
      const { dependencies } = await readTask(storage.tasks, parent, ['dependencies'], at())
      assert.deepEqual(
        dependencies.map(({ result }) => result),
        [null, ...made.map(() => `result of ${parent.id}`)],
      )
    },
  },
  {
    id: 'splits.refused',
    name: 'a split under a lease that is not held, or that would make the task wait for itself, changes nothing',
    async check(fixture) {
      const { get, at, storage } = fixture
      const parent = await fixture.addClaimed()
      const dependent = await fixture.add({ dependsOn: [parent.id] })
      const before = (await fixture.events()).length
      const proof = proofOf(parent)
      const stale = { proof: { ...proof, fencingToken: 99 }, isWaiting: true, leaseMs: null }
      const tasks = [listed(fixture, { parentId: parent.id })]
      await assertRefused(addAll(fixture, tasks, { split: stale }), 'CONFLICT', 'fencingToken')
      const live = { proof, isWaiting: true, leaseMs: null }
      await assertRefused(
        addAll(fixture, tasks, { split: live, afterMs: LEASE_MS }),
        'CONFLICT',
        'fencingToken',
      )
      for (const id of [parent.id, dependent.id]) {
        const circle = [listed(fixture, { parentId: parent.id, dependsOn: [id] })]
        await assertRefused(addAll(fixture, circle, { split: live }), 'INVALID_FIELD', 'dependsOn')
      }
      assert.deepEqual(await get(parent), parent)
      assert.equal((await fixture.events()).length, before)
      await storage.tasks.completeTask({ proof, result: 'done', next: null }, at())
    },
  },
  {
    id: 'splits.many-rounds',
    name: 'a task that waits again and again leaves out the oldest of its finished dependencies, up to fifty',
    async check(fixture) {
      const { get, claim } = fixture
      const parent = await fixture.addClaimed({ priority: 'urgent' })
      const first = await split(fixture, parent, 30, true)
      for (const task of first) await fixture.finish(task)
      await fixture.freeAll()
      const again = await claim()
      assert.equal(again?.id, parent.id)
      const second = await split(fixture, again, 30, true)
      const { dependsOn, openDependencies } = await get(parent)
      assert.deepEqual(
        dependsOn,
        [...first.slice(10), ...second].map(({ id }) => id),
      )
      assert.equal(openDependencies, 30)
    },
  },
]

/** Tasks that are created together, and parts of other tasks. */
export const subtaskCases: readonly StorageCheck[] = [...lists, ...subtasks, ...splits]
