import assert from 'node:assert/strict'
import type { Task } from '@taskboard/core'
import type { ClaimByType, ClaimForAgent } from '@taskboard/core/storage'
import { assertRefused, type StorageCheck } from '../storage-case.js'
import {
  AGENT_TYPE,
  LEASE_MS,
  MINUTE,
  PERSON,
  proofOf,
  SECOND,
  type StorageFixture,
  readTask,
  changeTask,
} from '../storage-fixture.js'

type Next = ClaimByType | ClaimForAgent | null

/** The ways to request a next task: by agent, by type, and none. */
function nextsOf({ workspaceId, agent }: StorageFixture): readonly Next[] {
  const byAgent = { workspaceId, agentId: agent.id, leaseMs: LEASE_MS }
  return [null, byAgent, { agentType: AGENT_TYPE, leaseMs: LEASE_MS }]
}

async function assertCompletedOnce({ storage, events, at }: StorageFixture, task: Task): Promise<void> {
  const { attempts } = await readTask(storage.tasks, task, ['attempts'], at())
  assert.deepEqual(
    attempts.map(({ outcome }) => outcome),
    ['completed'],
  )
  const completions = (await events()).filter(
    (event) => event.type === 'task.completed' && event.data.taskId === task.id,
  )
  assert.equal(completions.length, 1)
}

/** Completions that come twice: after a lost response, or at the same moment. */
export const completionCases: readonly StorageCheck[] = [
  {
    id: 'completions.repeated',
    name: 'a repeat with the same token and result answers as the first did, and changes nothing',
    async check(fixture) {
      const { storage, addClaimed, events, get, at } = fixture
      for (const next of nextsOf(fixture)) {
        const task = await addClaimed()
        const { task: done } = await storage.tasks.completeTask(
          { proof: proofOf(task), result: 'ok', next: null },
          at(SECOND),
        )
        const before = await events()
        const repeat = await storage.tasks.completeTask(
          { proof: proofOf(task), result: 'ok', next },
          at(MINUTE),
        )
        assert.deepEqual(repeat, {
          task: done,
          next: next === null ? null : { tasks: [], nextReadyInMs: null },
        })
        await storage.transaction(async (tx) => {
          const within = await storage.tasks.completeTask(
            { proof: proofOf(task), result: 'ok', next },
            at(MINUTE, tx),
          )
          assert.deepEqual(within.task, done)
        })
        // Long after the lease would have ended, too.
        assert.deepEqual(
          (await storage.tasks.completeTask({ proof: proofOf(task), result: 'ok', next }, at(9e9))).task,
          done,
        )
        assert.deepEqual([await get(task), await events()], [done, before])
        await assertCompletedOnce(fixture, task)
      }
    },
  },
  {
    id: 'completions.repeated-with-next',
    name: 'a repeat that requests a next task takes a free one',
    async check(fixture) {
      const { storage, add, addClaimed, at } = fixture
      for (const next of nextsOf(fixture).slice(1)) {
        const task = await addClaimed({ priority: 'urgent' })
        const waiting = [await add({ priority: 'urgent' }), await add({ priority: 'urgent' })]
        const taken: (string | undefined)[] = []
        for (let call = 0; call < 2; call++) {
          const { task: done, next: batch } = await storage.tasks.completeTask(
            { proof: proofOf(task), result: '', next },
            at(),
          )
          assert.deepEqual([done.id, done.column, batch?.tasks.length], [task.id, 'DONE', 1])
          taken.push(batch?.tasks[0]?.id)
        }
        assert.deepEqual(
          taken,
          waiting.map(({ id }) => id),
        )
        await assertCompletedOnce(fixture, task)
      }
    },
  },
  {
    id: 'completions.repeated-otherwise',
    name: 'another result, an older token, and a task that is in DONE by a person are CONFLICT',
    async check(fixture) {
      const { storage, addClaimed, claim, workspaceId, at } = fixture
      for (const next of nextsOf(fixture)) {
        const complete = (task: Task, result: string) =>
          storage.tasks.completeTask({ proof: proofOf(task), result, next }, at())
        const first = await addClaimed()
        await complete(first, 'one')
        await assertRefused(complete(first, 'two'), 'CONFLICT', 'fencingToken')
        await assertRefused(complete(first, ''), 'CONFLICT', 'fencingToken')
        await changeTask(
          storage.tasks,
          { workspaceId, id: first.id },
          { kind: 'move', to: 'TODO', actor: PERSON },
          at(),
        )
        await assertRefused(complete(first, 'one'), 'CONFLICT', 'fencingToken')
        const again = await claim()
        assert.deepEqual([again?.id, again?.fencingToken], [first.id, 2])
        assert.ok(again)
        await complete(again, 'one')
        await assertRefused(complete(first, 'one'), 'CONFLICT', 'fencingToken')
        const taken = await addClaimed()
        await changeTask(
          storage.tasks,
          { workspaceId, id: taken.id },
          { kind: 'move', to: 'DONE', actor: PERSON },
          at(),
        )
        await assertRefused(complete(taken, ''), 'CONFLICT', 'fencingToken')
      }
    },
  },
  {
    id: 'completions.at-once',
    name: 'of several completions at once with results of their own exactly one holds',
    async check(fixture) {
      const { storage, add, addClaimed, get, at } = fixture
      for (const next of nextsOf(fixture)) {
        const task = await addClaimed({ priority: 'urgent' })
        const dependent = await add({ dependsOn: [task.id], priority: 'low' })
        const results = ['a', 'b', 'c', 'd', 'e']
        const ended = await Promise.allSettled(
          results.map((result) => storage.tasks.completeTask({ proof: proofOf(task), result, next }, at())),
        )
        const held = ended.flatMap((end, index) => (end.status === 'fulfilled' ? [results[index]] : []))
        assert.deepEqual(held, [(await get(task)).result])
        for (const end of ended)
          if (end.status === 'rejected') await assertRefused(Promise.reject(end.reason as Error), 'CONFLICT')
        await assertCompletedOnce(fixture, task)
        assert.equal((await get(dependent)).openDependencies, 0)
        await fixture.finish(dependent)
      }
    },
  },
  {
    id: 'completions.same-at-once',
    name: 'several completions at once with the same result are answered alike, and happen once',
    async check(fixture) {
      const { storage, addClaimed, get, at } = fixture
      for (const next of nextsOf(fixture)) {
        const task = await addClaimed()
        const complete = () => storage.tasks.completeTask({ proof: proofOf(task), result: 'r', next }, at())
        const completions = await Promise.all(Array.from({ length: 5 }, complete))
        const done = await get(task)
        for (const completion of completions) assert.deepEqual(completion.task, done)
        await assertCompletedOnce(fixture, task)
      }
    },
  },
]
