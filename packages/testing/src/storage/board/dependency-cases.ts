import assert from 'node:assert/strict'
import { assertRefused, type StorageCheck } from '../storage-case.js'
import { LEASE_MS, PERSON, proofOf, unknownId, changeTask, readTask } from '../storage-fixture.js'

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
      await storage.tasks.completeTask({ proof: proofOf(one), result: 'r', next: null }, at())
      assert.deepEqual([(await get(task)).openDependencies, await claim()], [1, null])
      await storage.tasks.completeTask({ proof: proofOf(two), result: 'r', next: null }, at())
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
      await Promise.all(
        [one, two].map((each) =>
          storage.tasks.completeTask({ proof: proofOf(each), result: 'r', next: null }, at()),
        ),
      )
      assert.equal((await get(task)).openDependencies, 0)
      assert.equal((await claim())?.id, task.id)
    },
  },
  {
    id: 'dependencies.many',
    name: 'a task that many wait for frees all of them once it is done, some of them later, and picks none before',
    async check({ storage, add, addClaimed, claim, freeAll, workspaceId, agent, at }) {
      const [first, last] = [await addClaimed(), await addClaimed()]
      const waiting = new Set<string>()
      const both = await add({ dependsOn: [first.id, last.id] })
      await Promise.all(
        Array.from({ length: 450 }, async () => waiting.add((await add({ dependsOn: [first.id] })).id)),
      )
      assert.equal(await claim(), null)
      await storage.tasks.completeTask({ proof: proofOf(first), result: 'r', next: null }, at())
      await freeAll()
      const request = { workspaceId, agentId: agent.id, leaseMs: LEASE_MS }
      const { tasks } = await storage.tasks.claimTasks({ target: request, limit: 500 }, at())
      assert.deepEqual(new Set(tasks.map(({ id }) => id)), waiting)
      await storage.tasks.completeTask({ proof: proofOf(last), result: 'r', next: null }, at())
      assert.equal((await claim())?.id, both.id)
      assert.equal(await freeAll(), 0)
    },
  },
  {
    id: 'dependencies.many-reopened',
    name: 'a task that is reopened while some of the many that wait for it are not free yet blocks each of them once',
    async check({ storage, add, finish, claim, freeAll, get, workspaceId, at }) {
      const first = await add({ priority: 'urgent' })
      const waiting = await Promise.all(Array.from({ length: 250 }, () => add({ dependsOn: [first.id] })))
      await finish(first)
      await storage.tasks.settleTasks({ left: 'dependents', limit: 60 }, at())
      await changeTask(
        storage.tasks,
        { workspaceId, id: first.id },
        { kind: 'move', to: 'TODO', actor: PERSON },
        at(),
      )
      assert.equal(await freeAll(), 0)
      const open = async () =>
        new Set((await Promise.all(waiting.map((task) => get(task)))).map((task) => task.openDependencies))
      assert.deepEqual(await open(), new Set([1]))
      assert.deepEqual([(await claim())?.id, await claim()], [first.id, null])
      await finish(first)
      await freeAll()
      assert.deepEqual(await open(), new Set([0]))
    },
  },
  {
    id: 'dependencies.added-beside-completion',
    name: 'of the tasks that are added while what they wait for is completed none is forgotten, and none is free before',
    async check({ storage, add, addClaimed, freeAll, get, at }) {
      for (let round = 0; round < 5; round++) {
        const first = await addClaimed({ priority: 'urgent' })
        const adding = Array.from({ length: 20 }, () => add({ dependsOn: [first.id], priority: 'low' }))
        const completing = storage.tasks.completeTask(
          { proof: proofOf(first), result: 'r', next: null },
          at(),
        )
        const tasks = await Promise.all(adding)
        await completing
        await freeAll()
        for (const task of tasks) assert.equal((await get(task)).openDependencies, 0)
      }
    },
  },
  {
    id: 'dependencies.delete-last',
    name: 'a task can be deleted once the last one that depends on it is gone, or depends on others',
    async check({ storage, add, workspaceId, at }) {
      const [first, other] = [await add(), await add()]
      const tasks = [await add({ dependsOn: [first.id] }), await add({ dependsOn: [first.id] })]
      const remove = (id: string) =>
        storage.tasks.deleteTask({ workspaceId, taskId: id, actor: PERSON }, at())
      await assertRefused(remove(first.id), 'CONFLICT')
      await remove(tasks[0]?.id ?? '')
      await assertRefused(remove(first.id), 'CONFLICT')
      await changeTask(
        storage.tasks,
        { workspaceId, id: tasks[1]?.id ?? '' },
        { kind: 'edit', change: { dependsOn: [other.id] }, actor: PERSON },
        at(),
      )
      await remove(first.id)
      await assertRefused(remove(other.id), 'CONFLICT')
    },
  },
  {
    id: 'dependencies.reopened',
    name: 'reopening a task blocks its dependents again',
    async check({ storage, add, finish, claim, get, at }) {
      const first = await add({ priority: 'low' })
      const task = await add({ priority: 'urgent', dependsOn: [first.id] })
      await finish(first)
      await changeTask(storage.tasks, first, { kind: 'move', to: 'TODO', actor: PERSON }, at())
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
      await changeTask(
        storage.tasks,
        task,
        { kind: 'hold', reason: 'approval', message: null, actor: PERSON },
        at(),
      )
      await finish(first)
      assert.equal(await claim(), null)
      await changeTask(storage.tasks, task, { kind: 'release', actor: PERSON }, at())
      assert.equal((await claim())?.id, task.id)
    },
  },
  {
    id: 'dependencies.background',
    name: 'the background holds the dependencies’ results and the earlier attempts',
    async check({ storage, add, addClaimed, workspaceId, at }) {
      const first = await addClaimed({ title: 'first' })
      await storage.tasks.completeTask({ proof: proofOf(first), result: 'its result', next: null }, at())
      const open = await add({ title: 'open' })
      const task = await add({ dependsOn: [first.id, open.id] })
      assert.deepEqual(
        await readTask(storage.tasks, { workspaceId, id: task.id }, ['attempts', 'dependencies'], at()),
        {
          workspaceId,
          attempts: [],
          dependencies: [
            { id: first.id, title: 'first', result: 'its result' },
            { id: open.id, title: 'open', result: null },
          ],
        },
      )
    },
  },
]
