import assert from 'node:assert/strict'
import { assertRefused, type StorageCheck } from './storage-case.js'
import { PERSON, proofOf, unknownId } from './world.js'

/** Tasks that wait for others. */
export const dependencyCases: readonly StorageCheck[] = [
  {
    id: 'dependencies.unknown',
    name: 'an unknown id in dependsOn is INVALID_FIELD, and leaves no trace',
    async check({ add, events }) {
      await assertRefused(add({ dependsOn: [unknownId('task')] }), 'INVALID_FIELD', 'dependsOn')
      assert.deepEqual(await events(), [])
    },
  },
  {
    id: 'dependencies.foreign',
    name: 'a task of another workspace in dependsOn is INVALID_FIELD',
    async check({ add, addWorkspace }) {
      const { workspaceId } = await addWorkspace()
      const foreign = await add({ workspaceId })
      await assertRefused(add({ dependsOn: [foreign.id] }), 'INVALID_FIELD', 'dependsOn')
    },
  },
  {
    id: 'dependencies.count',
    name: 'duplicates count once, and only dependencies that are not DONE are open',
    async check({ add, finish }) {
      const [open, done] = [await add(), await add()]
      await finish(done)
      const task = await add({ dependsOn: [open.id, done.id, open.id] })
      assert.deepEqual([task.dependsOn, task.openDependencies], [[open.id, done.id], 1])
    },
  },
  {
    id: 'dependencies.blocked',
    name: 'a blocked task is never claimed, whatever its score',
    async check({ add, claim }) {
      const first = await add({ priority: 'low' })
      await add({ priority: 'urgent', dependsOn: [first.id] })
      assert.equal((await claim())?.id, first.id)
      assert.equal(await claim(), null)
    },
  },
  {
    id: 'dependencies.freed-by-agent',
    name: 'the completion of the last dependency frees the task',
    async check({ storage, add, addClaimed, claim, get, at }) {
      const [one, two] = [await addClaimed(), await addClaimed()]
      const task = await add({ dependsOn: [one.id, two.id] })
      await storage.tasks.completeTask(proofOf(one), 'r', null, at())
      assert.deepEqual([(await get(task)).openDependencies, await claim()], [1, null])
      await storage.tasks.completeTask(proofOf(two), 'r', null, at())
      assert.equal((await claim())?.id, task.id)
    },
  },
  {
    id: 'dependencies.freed-by-person',
    name: 'a person’s move to DONE frees dependents too',
    async check({ add, finish, claim }) {
      const first = await add()
      const task = await add({ dependsOn: [first.id] })
      await finish(first)
      assert.equal((await claim())?.id, task.id)
    },
  },
  {
    id: 'dependencies.freed-at-once',
    name: 'two last dependencies that complete at once free the dependent',
    async check({ storage, add, addClaimed, claim, get, at }) {
      const [one, two] = [await addClaimed(), await addClaimed()]
      const task = await add({ dependsOn: [one.id, two.id] })
      await Promise.all([one, two].map((each) => storage.tasks.completeTask(proofOf(each), 'r', null, at())))
      assert.equal((await get(task)).openDependencies, 0)
      assert.equal((await claim())?.id, task.id)
    },
  },
  {
    id: 'dependencies.reopened',
    name: 'reopening a task blocks its dependents again',
    async check({ storage, add, finish, claim, get, at }) {
      const first = await add({ priority: 'low' })
      const task = await add({ priority: 'urgent', dependsOn: [first.id] })
      await finish(first)
      await storage.tasks.moveTask(first.workspaceId, first.id, 'TODO', PERSON, at())
      assert.equal((await get(task)).openDependencies, 1)
      assert.equal((await claim())?.id, first.id)
      assert.equal(await claim(), null)
    },
  },
  {
    id: 'dependencies.hold-outlasts',
    name: 'a task that is freed while it is held stays held',
    async check({ storage, add, finish, claim, at }) {
      const first = await add()
      const task = await add({ dependsOn: [first.id] })
      await storage.tasks.holdTask(task.workspaceId, task.id, 'approval', null, PERSON, at())
      await finish(first)
      assert.equal(await claim(), null)
      await storage.tasks.releaseTask(task.workspaceId, task.id, PERSON, at())
      assert.equal((await claim())?.id, task.id)
    },
  },
  {
    id: 'dependencies.background',
    name: 'the background holds the dependencies’ results and the earlier attempts',
    async check({ storage, add, addClaimed, workspaceId, at }) {
      const first = await addClaimed({ title: 'first' })
      await storage.tasks.completeTask(proofOf(first), 'its result', null, at())
      const open = await add({ title: 'open' })
      const task = await add({ dependsOn: [first.id, open.id] })
      assert.deepEqual(await storage.tasks.getBackground(workspaceId, task.id, at()), {
        attempts: [],
        dependencies: [
          { id: first.id, title: 'first', result: 'its result' },
          { id: open.id, title: 'open', result: null },
        ],
      })
    },
  },
]
