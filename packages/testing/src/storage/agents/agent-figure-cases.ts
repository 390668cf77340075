import assert from 'node:assert/strict'
import type { Task, Reach } from '@taskboard/core'
import type { Forecast } from '@taskboard/core/storage'
import { assertRefused, type StorageCheck } from '../storage-case.js'
import {
  AGENT_TYPE,
  changeClaimed,
  changeTask,
  HOUR,
  LEASE_MS,
  PERSON,
  proofOf,
  readAgent,
  SECOND,
  START,
  unknownId,
  type StorageFixture,
} from '../storage-fixture.js'

const reachOf = ({ accountId }: StorageFixture, workspaceIds: readonly string[] | 'all' = 'all'): Reach => ({
  accountId,
  workspaceIds,
})

async function overviewOf(fixture: StorageFixture, agentId = fixture.agent.id, afterMs = 0) {
  return readAgent(fixture.storage.agents, { reach: null, agentId }, fixture.at(afterMs))
}

/** Adds a task, claims it, and completes it `lengthMs` later. */
async function complete(fixture: StorageFixture, startMs: number, lengthMs: number): Promise<void> {
  const claimed = await fixture.addClaimed({}, fixture.at(startMs))
  await fixture.storage.tasks.completeTask(
    { proof: proofOf(claimed), result: 'done', next: null },
    fixture.at(startMs + lengthMs),
  )
}

async function forecast(fixture: StorageFixture, task: Task, afterMs = 0): Promise<Forecast> {
  const [one] = await fixture.storage.agents.readForecasts({ tasks: [task] }, fixture.at(afterMs))
  assert.ok(one)
  return one
}

const overviewCases: readonly StorageCheck[] = [
  {
    id: 'agents.reach',
    name: 'agents are found within reach only, oldest first, page by page',
    async check(fixture) {
      const { storage, agent, workspaceId, at } = fixture
      const other = await fixture.addWorkspace()
      const second = await fixture.addAgent('custom')
      const stranger = await storage.access.insertAccount(
        { name: 'x', tier: 'custom', workspaceName: 'x', agent: { name: 'x', type: AGENT_TYPE } },
        at(),
      )
      const listIds = async (reach: Reach | null, asked: object = {}) => {
        const stored = await storage.agents.listAgents({ reach, ...asked }, at())
        const overviews = await storage.agents.listAgents({ reach, ...asked, parts: ['work'] }, at())
        const ids = overviews.map(({ id }) => id)
        assert.deepEqual(
          stored.map(({ id }) => id),
          ids,
        )
        return ids
      }
      const all = [agent.id, other.agent.id, second.id].sort()
      assert.deepEqual(await listIds(reachOf(fixture)), all)
      assert.deepEqual(await listIds(reachOf(fixture), { limit: 2 }), all.slice(0, 2))
      assert.deepEqual(await listIds(reachOf(fixture), { limit: 2, afterId: all[1] }), all.slice(2))
      assert.deepEqual(await listIds(reachOf(fixture, [other.workspaceId])), [other.agent.id])
      assert.deepEqual(await listIds(reachOf(fixture), { workspaceId: other.workspaceId }), [other.agent.id])
      const both = [agent.id, second.id].sort()
      assert.deepEqual(await listIds(reachOf(fixture), { agentIds: [...both, unknownId('agent')] }), both)
      assert.deepEqual(await listIds(reachOf(fixture), { agentIds: both, limit: 1 }), both.slice(0, 1))
      assert.deepEqual(await listIds(reachOf(fixture), { agentIds: both, afterId: both[0] }), both.slice(1))
      assert.deepEqual(await listIds(reachOf(fixture), { agentIds: all, workspaceId }), both)
      assert.deepEqual(await listIds(reachOf(fixture), { agentIds: [] }), [])
      assert.deepEqual(await listIds(reachOf(fixture, [other.workspaceId]), { agentIds: both }), [])
      assert.equal((await listIds(null)).length, 4)
      const theirs = { ...reachOf(fixture), accountId: stranger.account.id }
      for (const [reach, id] of [
        [theirs, workspaceId],
        [reachOf(fixture), stranger.workspace.id],
        [reachOf(fixture, [workspaceId]), other.workspaceId],
        [reachOf(fixture), unknownId('ws')],
        [null, unknownId('ws')],
      ] as const) {
        for (const parts of [[], ['work']] as const) {
          for (const agentIds of [undefined, [agent.id]]) {
            const query = { reach, workspaceId: id, agentIds, parts }
            await assertRefused(storage.agents.listAgents(query, at()), 'NOT_FOUND', 'workspaceId')
          }
        }
      }
      assert.equal(
        (await readAgent(storage.agents, { reach: reachOf(fixture), agentId: second.id }, at())).id,
        second.id,
      )
      for (const reach of [theirs, reachOf(fixture, [other.workspaceId])]) {
        for (const parts of [[], ['work']] as const) {
          assert.deepEqual(await storage.agents.listAgents({ reach, agentIds: [second.id], parts }, at()), [])
        }
      }
      const unknown = { reach: null, agentIds: [unknownId('agent')], parts: ['work'] } as const
      assert.deepEqual(await storage.agents.listAgents(unknown, at()), [])
    },
  },
  {
    id: 'agents.workload',
    name: 'the workload is what an agent works on and what waits for it alone, except held tasks',
    async check(fixture) {
      const { storage, workspaceId, agent, at, add } = fixture
      const shown = async () => {
        const { status, currentWorkload } = await overviewOf(fixture)
        return [status, currentWorkload]
      }
      assert.deepEqual(await shown(), ['available', 0])
      const claimed = await fixture.addClaimed()
      await add()
      assert.deepEqual(await shown(), ['busy', 1])
      const mine = await add({ assignedTo: agent.id, notBefore: START + HOUR })
      await add({ assignedTo: agent.id, dependsOn: [mine.id] })
      const held = await add({ assignedTo: agent.id })
      assert.deepEqual(await shown(), ['busy', 4])
      await changeTask(
        storage.tasks,
        { workspaceId, id: held.id },
        { kind: 'hold', reason: 'approval', message: null, actor: PERSON },
        at(),
      )
      assert.deepEqual(await shown(), ['busy', 3])
      await storage.tasks.completeTask({ proof: proofOf(claimed), result: '', next: null }, at(SECOND))
      await fixture.finish(mine)
      assert.deepEqual(await shown(), ['available', 1])
    },
  },
  {
    id: 'agents.success-rate',
    name: 'the success rate is the share of completed attempts among those that were not interrupted',
    async check(fixture) {
      const { storage, at } = fixture
      const rate = async () => (await overviewOf(fixture)).successRate
      assert.equal(await rate(), null)
      const claimed = await fixture.addClaimed()
      await changeClaimed(storage.tasks, proofOf(claimed), { kind: 'return_claim', reason: 'later' }, at(1))
      const again = await fixture.claim(at(2))
      assert.ok(again)
      await changeClaimed(
        storage.tasks,
        proofOf(again),
        { kind: 'hold_claimed', reason: 'needs_input', message: null },
        at(3),
      )
      assert.equal(await rate(), null)
      await complete(fixture, 10, 1)
      assert.equal(await rate(), 1)
      const backoff = { baseMs: HOUR, factor: 1, maxMs: HOUR }
      const retried = await fixture.addClaimed({}, at(20))
      await changeClaimed(storage.tasks, proofOf(retried), { kind: 'fail', reason: 'net', backoff }, at(21))
      assert.equal(await rate(), 1 / 2)
      const failed = await fixture.addClaimed({}, at(30))
      await changeClaimed(
        storage.tasks,
        proofOf(failed),
        { kind: 'fail', reason: 'no', backoff: null },
        at(31),
      )
      const expired = await fixture.addClaimed({ maxAttempts: 1 }, at(40))
      await fixture.expire(at(40 + LEASE_MS))
      assert.equal(await rate(), 1 / 4)
      await storage.tasks.deleteTask(
        { workspaceId: expired.workspaceId, taskId: expired.id, actor: PERSON },
        at(),
      )
      assert.equal(await rate(), 1 / 3)
    },
  },
  {
    id: 'agents.success-rate-window',
    name: 'only the last hundred attempts count',
    async check(fixture) {
      const { storage, at } = fixture
      for (let index = 0; index < 3; index++) {
        const failed = await fixture.addClaimed({}, at(10 * index))
        await changeClaimed(
          storage.tasks,
          proofOf(failed),
          { kind: 'fail', reason: 'no', backoff: null },
          at(10 * index + 1),
        )
      }
      for (let index = 3; index < 101; index++) await complete(fixture, 10 * index, 1)
      assert.equal((await overviewOf(fixture)).successRate, 0.98)
    },
  },
]

const forecastCases: readonly StorageCheck[] = [
  {
    id: 'agents.forecast-median',
    name: 'a forecast has the median of what the agent completed last, else of what all of its workspace did',
    async check(fixture) {
      const { agent, at } = fixture
      const task = await fixture.add({}, at(HOUR))
      const mine = await fixture.add({ assignedTo: agent.id, title: 'mine' }, at(HOUR))
      const other = await fixture.addAgent()
      const others = await fixture.add({ assignedTo: other.id }, at(HOUR))
      const typical = async (one: Task) => (await forecast(fixture, one, HOUR)).typicalMs
      assert.deepEqual([await typical(task), await typical(mine)], [null, null])
      const urgent = { priority: 'urgent' } as const
      const run = async (startMs: number, lengthMs: number, by = agent) => {
        await fixture.add(urgent, at(startMs))
        const claimed = await fixture.claim(at(startMs), by)
        assert.ok(claimed)
        await fixture.storage.tasks.completeTask(
          { proof: proofOf(claimed), result: '', next: null },
          at(startMs + lengthMs),
        )
      }
      for (const [index, lengthMs] of [100, 300, 800, 200].entries()) await run(1_000 * index, lengthMs)
      assert.deepEqual([await typical(task), await typical(mine), await typical(others)], [250, 250, 250])
      await run(10_000, 5_000, other)
      assert.deepEqual([await typical(task), await typical(mine), await typical(others)], [300, 250, 5_000])
      for (let index = 0; index < 20; index++) await run(20_000 + 10 * index, 7)
      assert.deepEqual([await typical(task), await typical(mine), await typical(others)], [7, 7, 5_000])
    },
  },
  {
    id: 'agents.forecast-place',
    name: 'a forecast counts those of the same queue that come first, and those under way',
    async check(fixture) {
      const { agent, at, add, storage, workspaceId } = fixture
      const other = await fixture.addAgent()
      const low = await add({ priority: 'low' }, at(SECOND))
      const high = await add({ priority: 'high' }, at(SECOND))
      const due = await add({ priority: 'low', dueDate: START + HOUR }, at(SECOND))
      const mine = await add({ assignedTo: agent.id, priority: 'low' }, at(SECOND))
      const place = async (task: Task) => {
        const { ahead, agents, asOf, taskId } = await forecast(fixture, task, SECOND)
        assert.deepEqual([asOf, taskId], [START + SECOND, task.id])
        return [ahead, agents]
      }
      assert.deepEqual(
        [await place(high), await place(due), await place(low), await place(mine)],
        [
          [1, 2],
          [0, 2],
          [2, 2],
          [0, 1],
        ],
      )
      await add({ priority: 'low' }, at(0))
      assert.deepEqual(await place(low), [3, 2])
      await changeTask(
        storage.tasks,
        { workspaceId, id: high.id },
        { kind: 'hold', reason: 'approval', message: null, actor: PERSON },
        at(SECOND),
      )
      await add({ assignedTo: other.id }, at(SECOND))
      assert.deepEqual(await place(low), [2, 2])
      const claimed = await fixture.claim(at(SECOND), agent)
      assert.equal(claimed?.id, due.id)
      assert.deepEqual(
        [await place(low), await place(mine), await place(claimed)],
        [
          [2, 2],
          [1, 1],
          [0, 2],
        ],
      )
      const many = await storage.agents.readForecasts({ tasks: [mine, low, mine] }, at(SECOND))
      assert.deepEqual(
        many.map(({ taskId }) => taskId),
        [mine.id, low.id, mine.id],
      )
    },
  },
]

/** The figures of agents, and forecasts for tasks. */
export const agentFigureCases: readonly StorageCheck[] = [...overviewCases, ...forecastCases]
