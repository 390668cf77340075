import assert from 'node:assert/strict'
import type { Task } from '@taskboard/core'
import type { TaskChange } from '@taskboard/core/storage'
import { countTasks } from './count-tasks.js'
import { assertRefused, type StorageCheck } from '../storage-case.js'
import {
  DAY,
  LEASE_MS,
  PERSON,
  proofOf,
  SECOND,
  changeClaimed,
  changeTask,
  readTask,
  type StorageFixture as Fixture,
} from '../storage-fixture.js'

const logLine = { level: 'info', message: 'x' } as const
const update = ({ storage, at }: Fixture, task: Task, change: TaskChange, afterMs = SECOND): Promise<Task> =>
  changeTask(storage.tasks, task, { kind: 'edit', change, actor: PERSON }, at(afterMs))

const remove = ({ storage, at }: Fixture, { workspaceId, id }: Task, tx?: unknown): Promise<void> =>
  storage.tasks.deleteTask({ workspaceId, taskId: id, actor: PERSON }, at(0, tx))

/** Deleting tasks. */
export const taskDeleteCases: readonly StorageCheck[] = [
  {
    id: 'delete.all',
    name: 'a deleted task is gone with its log, outputs and attempts, with task.deleted; its events stay',
    async check(fixture) {
      const { storage, addClaimed, add, claim, events, eventTypes, at, workspaceId } = fixture
      const task = await addClaimed()
      await storage.tasks.appendToTask({ proof: proofOf(task), log: logLine, leaseMs: LEASE_MS }, at())
      const output = { type: 'file', name: 'n', url: 'https://example.com/n', size: null }
      await storage.tasks.appendToTask({ proof: proofOf(task), output, leaseMs: LEASE_MS }, at())
      await changeClaimed(
        storage.tasks,
        proofOf(task),
        {
          kind: 'fail',
          reason: 'no',
          backoff: { baseMs: 0, factor: 1, maxMs: 0 },
        },
        at(),
      )
      const before = await eventTypes()
      await remove(fixture, task)
      const { id } = task
      const reads = [
        readTask(storage.tasks, { workspaceId, id }, ['task'], at()),
        readTask(storage.tasks, { workspaceId, id }, ['logs'], at()),
        readTask(storage.tasks, { workspaceId, id }, ['outputs'], at()),
        readTask(storage.tasks, { workspaceId, id }, ['attempts', 'dependencies'], at()),
        changeTask(storage.tasks, { workspaceId, id }, { kind: 'move', to: 'DONE', actor: PERSON }, at()),
        remove(fixture, task),
      ]
      await Promise.all(reads.map((read) => assertRefused(read, 'TASK_NOT_FOUND')))
      assert.deepEqual(await eventTypes(), [...before, 'task.deleted'])
      const data = { taskId: id, title: task.title, status: 'TODO', actor: PERSON }
      assert.deepEqual((await events()).at(-1)?.data, data)
      assert.deepEqual(await countTasks(storage, workspaceId, at()), { TODO: 0, DOING: 0, DONE: 0 })
      assert.equal(await claim(), null)
      const next = await add()
      assert.equal((await claim())?.id, next.id)
    },
  },
  {
    id: 'delete.claimed',
    name: 'the agent of a deleted task gets TASK_NOT_FOUND, and its lease never expires',
    async check(fixture) {
      const { storage, addClaimed, expire, at } = fixture
      const task = await addClaimed()
      await remove(fixture, task)
      const proof = proofOf(task)
      const { tasks } = storage
      const writes = [
        changeClaimed(tasks, proof, { kind: 'renew', leaseMs: LEASE_MS }, at()),
        changeClaimed(tasks, proof, { kind: 'progress', progress: 5, leaseMs: LEASE_MS }, at()),
        tasks.appendToTask({ proof, log: logLine, leaseMs: LEASE_MS }, at()),
        tasks.completeTask({ proof, result: 'r', next: null }, at()),
        changeClaimed(tasks, proof, { kind: 'fail', reason: 'r', backoff: null }, at()),
        changeClaimed(tasks, proof, { kind: 'return_claim', reason: 'r' }, at()),
      ]
      await Promise.all(writes.map((write) => assertRefused(write, 'TASK_NOT_FOUND')))
      assert.deepEqual(await expire(at(DAY)), { expired: 0, nextExpiryInMs: null })
    },
  },
  {
    id: 'delete.depended-on',
    name: 'a task that others depend on is CONFLICT, until they do not or are deleted themselves',
    async check(fixture) {
      const { add, finish, get } = fixture
      const first = await add()
      const [one, two] = [await add({ dependsOn: [first.id] }), await add({ dependsOn: [first.id] })]
      await assertRefused(remove(fixture, first), 'CONFLICT')
      await finish(first)
      await assertRefused(remove(fixture, first), 'CONFLICT')
      assert.ok(!(await fixture.eventTypes()).includes('task.deleted'))
      assert.equal((await get(first)).column, 'DONE')
      await update(fixture, one, { dependsOn: [] })
      await assertRefused(remove(fixture, first), 'CONFLICT')
      await remove(fixture, two)
      await remove(fixture, first)
      await assertRefused(get(first), 'TASK_NOT_FOUND')
    },
  },
  {
    id: 'delete.foreign',
    name: 'a task of another workspace is not deleted',
    async check(fixture) {
      const task = await fixture.add()
      const { workspaceId } = await fixture.addWorkspace()
      await assertRefused(remove(fixture, { ...task, workspaceId }), 'TASK_NOT_FOUND')
      assert.deepEqual(await fixture.get(task), task)
    },
  },
  {
    id: 'delete.races',
    name: 'a deletion beside new dependents and log lines is whole, or refused',
    async check(fixture) {
      const { storage, add, addClaimed, get, at } = fixture
      for (let round = 0; round < 5; round++) {
        const task = await addClaimed({ priority: 'urgent' })
        const [dependent, , deletion] = await Promise.allSettled([
          add({ dependsOn: [task.id], priority: 'low' }),
          storage.tasks.appendToTask({ proof: proofOf(task), log: logLine, leaseMs: LEASE_MS }, at()),
          remove(fixture, task),
        ])
        assert.equal(dependent.status === 'fulfilled', deletion.status === 'rejected')
        if (deletion.status === 'rejected') await get(task)
        else await assertRefused(get(task), 'TASK_NOT_FOUND')
      }
    },
  },
  {
    id: 'delete.prune',
    name: 'tasks that were completed long ago are pruned with task.deleted, those that others depend on after them',
    async check(fixture) {
      const { storage, add, finish, at, events } = fixture
      const first = await add()
      const second = await add({ dependsOn: [first.id] })
      const [open, young] = [await add(), await add()]
      await finish(first)
      await finish(second)
      const prune = (afterMs: number, limit = 10) =>
        storage.prune({ rows: 'done_tasks', olderThanMs: DAY, limit }, at(afterMs))
      assert.equal(await prune(DAY), 0)
      await changeTask(storage.tasks, young, { kind: 'move', to: 'DONE', actor: PERSON }, at(DAY))
      const later = DAY + SECOND
      assert.deepEqual([await prune(later), await prune(later), await prune(later)], [1, 1, 0])
      const gone = (await events()).flatMap(({ type, data }) => (type === 'task.deleted' ? [data] : []))
      assert.deepEqual(
        gone,
        [second, first].map(({ id, title }) => ({
          taskId: id,
          title,
          status: 'DONE',
          actor: { kind: 'system', id: null },
        })),
      )
      assert.equal((await fixture.get(open)).column, 'TODO')
      assert.equal((await fixture.get(young)).column, 'DONE')
      assert.deepEqual([await prune(3 * DAY), await prune(3 * DAY)], [1, 0])
    },
  },
  {
    id: 'delete.prune-limit',
    name: 'a batch has at most so many tasks, and a parent stays until its subtasks are done',
    async check(fixture) {
      const { storage, add, finish, at, workspaceId } = fixture
      for (let n = 0; n < 3; n++) await finish(await add())
      const parent = await add()
      const child = await add({ parentId: parent.id })
      await finish(parent)
      const prune = (limit: number) =>
        storage.prune({ rows: 'done_tasks', olderThanMs: DAY, limit }, at(2 * DAY))
      assert.deepEqual([await prune(2), await prune(2), await prune(2)], [2, 1, 0])
      await changeTask(storage.tasks, child, { kind: 'move', to: 'DONE', actor: PERSON }, at(SECOND))
      assert.equal(await prune(10), 2)
      assert.deepEqual(await countTasks(storage, workspaceId, at()), { TODO: 0, DOING: 0, DONE: 0 })
    },
  },
]
