import assert from 'node:assert/strict'
import type { Task } from '@taskboard/core'
import type { ClaimByType, ClaimForAgent, NewTask } from '@taskboard/core/storage'
import { log } from '../webhooks/delivery-steps.js'
import type { StorageCheck } from '../storage-case.js'
import { AGENT_TYPE, DAY, LEASE_MS, proofOf, START, type StorageFixture } from '../storage-fixture.js'

const byType: ClaimByType = { agentType: AGENT_TYPE, leaseMs: LEASE_MS }
const forAgent = ({ workspaceId, agent }: StorageFixture): ClaimForAgent => ({
  workspaceId,
  agentId: agent.id,
  leaseMs: LEASE_MS,
})

/** Takes `count` tasks by type, in one call or one at a time. */
async function takeByType(
  fixture: StorageFixture,
  count: number,
  atOnce: boolean,
  afterMs: number,
): Promise<string[]> {
  const claim = async (limit: number) => {
    const { tasks } = await fixture.storage.tasks.claimTasks({ target: byType, limit }, fixture.at(afterMs))
    return tasks.map(({ id }) => id)
  }
  if (atOnce) return claim(count)
  const taken: string[] = []
  for (let call = 0; call < count; call++) {
    taken.push(...(await claim(1)))
  }
  return taken
}

/** The tasks whose task.started the webhook is sent, in order. */
async function startedTasks(fixture: StorageFixture, webhookId: string): Promise<readonly string[]> {
  const events = (await log(fixture, webhookId)).map(({ event }) => event)
  return events
    .toSorted((a, b) => a.seq - b.seq)
    .map((event) => (event.type === 'task.started' ? event.data.taskId : event.type))
}

/** The order in which a claim by type takes tasks, and what webhooks learn of claims. */
export const claimOrderCases: readonly StorageCheck[] = [
  ...[true, false].map((atOnce) => ({
    id: atOnce ? 'claims.best-order' : 'claims.best-order-one-by-one',
    name: `a claim by type takes by score, ${atOnce ? 'many at once' : 'one at a time'}`,
    async check(fixture: StorageFixture) {
      const { add, at } = fixture
      const now = 20 * DAY
      // By their places in the order, each with a part of the score that its neighbours have less of; added in another order.
      const places: readonly (readonly [place: number, task: Partial<NewTask>, addedMs: number])[] = [
        [3, { priority: 'medium', dueDate: START + now + DAY }, now],
        [0, { priority: 'urgent', dueDate: START + now }, 0],
        [6, { priority: 'low' }, now],
        [1, { priority: 'urgent', dueDate: START + now + DAY }, now],
        [4, { priority: 'low', dueDate: START + now + DAY }, now],
        [2, { priority: 'high', dueDate: START + now }, 1],
        [5, { priority: 'low' }, 0],
      ]
      const expected: string[] = []
      for (const [place, task, addedMs] of places) expected[place] = (await add(task, at(addedMs))).id
      assert.deepEqual(await takeByType(fixture, places.length, atOnce, now), expected)
    },
  })),
  ...[true, false].map((atOnce) => ({
    id: atOnce ? 'claims.best-ties' : 'claims.best-ties-one-by-one',
    name: `a claim by type takes equal scores by creation, then by id, ${atOnce ? 'many at once' : 'one at a time'}`,
    async check(fixture: StorageFixture) {
      const { add, agent, at } = fixture
      const tasks: Task[] = []
      for (const [index, afterMs] of [2, 1, 1, 3, 1, 2, 3, 1].entries()) {
        // For anyone, and for the agent alone, in turns.
        const assignedTo = index % 2 === 0 ? agent.id : null
        tasks.push(await add({ dueDate: START - DAY, assignedTo }, at(afterMs)))
      }
      // Old enough for all of them to have the whole share of age.
      const taken = await takeByType(fixture, tasks.length, atOnce, 60 * DAY)
      const expected = tasks.toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))
      assert.deepEqual(
        taken,
        expected.map(({ id }) => id),
      )
    },
  })),
  {
    id: 'claims.started-deliveries',
    name: 'every way to claim a task makes a delivery of task.started, and of the task that it took',
    async check(fixture) {
      const { storage, add, at } = fixture
      const started = await fixture.addWebhook(['task.started'])
      const completed = await fixture.addWebhook(['task.completed'])
      const tasks: Task[] = []
      for (let count = 0; count < 6; count++) tasks.push(await add({}, at(count)))
      const ids = tasks.map(({ id }) => id)
      const [first] = (await storage.tasks.claimTasks({ target: forAgent(fixture), limit: 1 }, at(10))).tasks
      assert.deepEqual(await startedTasks(fixture, started.id), ids.slice(0, 1))
      const [second] = (await storage.tasks.claimTasks({ target: byType, limit: 1 }, at(10))).tasks
      assert.deepEqual(await startedTasks(fixture, started.id), ids.slice(0, 2))
      assert.ok(first && second)
      const third = await storage.tasks.completeTask(
        { proof: proofOf(first), result: '', next: forAgent(fixture) },
        at(10),
      )
      assert.deepEqual(await startedTasks(fixture, started.id), ids.slice(0, 3))
      const fourth = await storage.tasks.completeTask(
        { proof: proofOf(second), result: '', next: byType },
        at(10),
      )
      assert.deepEqual(await startedTasks(fixture, started.id), ids.slice(0, 4))
      const next = [third, fourth].flatMap((completion) => completion.next?.tasks ?? []).map(proofOf)
      await storage.transaction(async (tx) => {
        for (const [index, target] of [forAgent(fixture), byType].entries()) {
          const proof = next[index]
          assert.ok(proof)
          await storage.tasks.completeTask({ proof, result: '', next: target }, at(10, tx))
        }
      })
      assert.deepEqual(await startedTasks(fixture, started.id), ids)
      assert.equal((await log(fixture, completed.id)).length, 4)
    },
  },
]
