import assert from 'node:assert/strict'
import type { AgentStatus } from '@taskboard/core'
import { agentFields, anyAgentType } from '@taskboard/core/storage'
import type { StorageCheck } from '../storage-case.js'
import {
  AGENT_TYPE,
  HOUR,
  LEASE_MS,
  MINUTE,
  PERSON,
  proofOf,
  readAgent,
  SECOND,
  START,
  unknownId,
  type StorageFixture,
} from '../storage-fixture.js'

const byAny = { agentType: anyAgentType, leaseMs: LEASE_MS }

async function claimAny({ storage, at }: StorageFixture, limit: number, afterMs = 0) {
  return (await storage.tasks.claimTasks({ target: byAny, limit }, at(afterMs))).tasks
}

const report = (
  { storage, at }: StorageFixture,
  types: readonly string[],
  liveMs: number | null,
  afterMs = 0,
) => storage.agents.reportPresence({ agentTypes: types, liveMs }, at(afterMs))

async function statusOf(
  { storage, agent, at }: StorageFixture,
  afterMs = 0,
  id = agent.id,
): Promise<AgentStatus> {
  return (await readAgent(storage.agents, { reach: null, agentId: id }, at(afterMs))).status
}

/** Whether an agent has a worker, and the tasks that a runtime for any type takes. */
export const agentRuntimeCases: readonly StorageCheck[] = [
  {
    id: 'runtimes.offline',
    name: 'an agent is offline unless a runtime for its type, or for any, is at work',
    async check(fixture) {
      const { storage, workspaceId, at } = fixture
      await report(fixture, [AGENT_TYPE], 0)
      const idle = await fixture.addAgent('never worked')
      assert.deepEqual([await statusOf(fixture), idle.status], ['offline', 'offline'])
      await report(fixture, [AGENT_TYPE, 'unrelated', 'unrelated'], MINUTE)
      assert.equal(await statusOf(fixture, MINUTE - 1), 'available')
      assert.equal(await statusOf(fixture, MINUTE), 'offline')
      assert.equal(await statusOf(fixture, 0, idle.id), 'offline')
      await report(fixture, [anyAgentType], MINUTE)
      const added = await fixture.addAgent('never worked', at(SECOND))
      assert.deepEqual([await statusOf(fixture, SECOND, idle.id), added.status], ['available', 'available'])
      assert.equal(await statusOf(fixture, MINUTE, idle.id), 'offline')
      await report(fixture, [AGENT_TYPE], null)
      assert.equal(await statusOf(fixture, 1_000 * HOUR), 'available')
      await fixture.addClaimed()
      await report(fixture, [AGENT_TYPE, anyAgentType], 0)
      assert.equal(await statusOf(fixture, SECOND), 'busy')
      const input = { ...agentFields.empty, workspaceId, name: 'once', type: 'never worked' }
      const claim = { scope: 's', key: 'k', fingerprint: 'f' }
      const first = await storage.agents.insertAgent({ agent: input, idempotency: claim }, at())
      assert.equal(first.value.status, 'offline')
      assert.deepEqual(
        (await storage.agents.insertAgent({ agent: input, idempotency: claim }, at())).value,
        first.value,
      )
    },
  },
  {
    id: 'runtimes.remote',
    name: 'an agent is remote unless a runtime for its type, or for any, is at work, whatever its worker and its tasks',
    async check(fixture) {
      const { storage, workspaceId, agent, at, addClaimed } = fixture
      const isRemote = async (afterMs: number) =>
        (await readAgent(storage.agents, { reach: null, agentId: agent.id }, at(afterMs))).isRemote
      await report(fixture, [AGENT_TYPE], 0)
      assert.equal(await isRemote(0), true)
      await storage.agents.reportPresence({ workspaceId, agentId: agent.id, liveMs: HOUR }, at())
      await addClaimed()
      assert.equal(await isRemote(SECOND), true)
      await report(fixture, [AGENT_TYPE], MINUTE)
      assert.deepEqual([await isRemote(MINUTE - 1), await isRemote(MINUTE)], [false, true])
      await report(fixture, [anyAgentType], null, MINUTE)
      assert.equal(await isRemote(HOUR), false)
    },
  },
  {
    id: 'runtimes.worker',
    name: 'an agent with a worker outside the runtimes is available for that long',
    async check(fixture) {
      const { storage, workspaceId, agent, at } = fixture
      await report(fixture, [AGENT_TYPE], 0)
      const { agents } = storage
      await agents.reportPresence({ workspaceId, agentId: agent.id, liveMs: MINUTE }, at(SECOND))
      const seen = [await statusOf(fixture, MINUTE), await statusOf(fixture, MINUTE + SECOND)]
      assert.deepEqual(seen, ['available', 'offline'])
      const other = await fixture.addWorkspace()
      await agents.reportPresence({ workspaceId: other.workspaceId, agentId: agent.id, liveMs: HOUR }, at())
      await agents.reportPresence({ workspaceId, agentId: unknownId('agent'), liveMs: HOUR }, at())
      assert.equal(await statusOf(fixture, 2 * MINUTE), 'offline')
    },
  },
  {
    id: 'runtimes.announce',
    name: 'the status of an agent with a worker outside the runtimes is announced once for each change',
    async check(fixture) {
      const { storage, workspaceId, agent, events, at } = fixture
      const { agents, tasks } = storage
      const announce = (afterMs: number, limit = 9) => agents.announceAgents({ limit }, at(afterMs))
      const announced = async () =>
        (await events()).flatMap(({ type, data }) => (type === 'agent.status' ? [data] : []))
      await report(fixture, [AGENT_TYPE], 0)
      assert.deepEqual(await announce(0), { announced: 0, isAnyPresent: false })
      await agents.reportPresence({ workspaceId, agentId: agent.id, liveMs: MINUTE }, at())
      assert.deepEqual(await announce(0), { announced: 1, isAnyPresent: true })
      assert.deepEqual(await announce(1), { announced: 0, isAnyPresent: true })
      const task = await fixture.addClaimed()
      assert.deepEqual(await announce(2), { announced: 1, isAnyPresent: true })
      assert.deepEqual(await announce(MINUTE), { announced: 0, isAnyPresent: true })
      await tasks.completeTask({ proof: proofOf(task), result: 'r', next: null }, at(SECOND))
      const both = await Promise.all([announce(3 * SECOND), announce(3 * SECOND)])
      assert.equal(
        both.reduce((sum, each) => sum + each.announced, 0),
        1,
      )
      assert.deepEqual(await announce(MINUTE), { announced: 1, isAnyPresent: false })
      assert.deepEqual(await announce(HOUR), { announced: 0, isAnyPresent: false })
      assert.deepEqual(
        await announced(),
        ['available', 'busy', 'available', 'offline'].map((status) => ({ agentId: agent.id, status })),
      )
      const second = await fixture.addAgent()
      for (const { id } of [agent, second]) {
        await agents.reportPresence({ workspaceId, agentId: id, liveMs: MINUTE }, at(HOUR))
      }
      assert.equal((await announce(HOUR, 1)).announced, 1)
      assert.equal((await announce(HOUR, 1)).announced, 1)
      assert.equal((await announce(HOUR, 1)).announced, 0)
    },
  },
  {
    id: 'runtimes.forecast',
    name: 'a forecast counts the agents that are not offline',
    async check(fixture) {
      const { storage, add, addAgent, addClaimed, at } = fixture
      const second = await addAgent()
      const idle = await addAgent('never worked')
      const shared = await add({ priority: 'low' })
      const own = await add({ priority: 'low', assignedTo: idle.id })
      const agentsFor = async (afterMs: number) => {
        const forecasts = await storage.agents.readForecasts({ tasks: [shared, own] }, at(afterMs))
        return forecasts.map(({ agents }) => agents)
      }
      assert.deepEqual(await agentsFor(0), [2, 0])
      await report(fixture, [AGENT_TYPE], 0)
      assert.deepEqual(await agentsFor(0), [0, 0])
      await storage.agents.reportPresence(
        { workspaceId: fixture.workspaceId, agentId: second.id, liveMs: MINUTE },
        at(),
      )
      assert.deepEqual(
        [await agentsFor(0), await agentsFor(MINUTE)],
        [
          [1, 0],
          [0, 0],
        ],
      )
      await addClaimed({ priority: 'urgent' })
      assert.deepEqual(await agentsFor(MINUTE), [1, 0])
      await report(fixture, [anyAgentType], null)
      assert.deepEqual(await agentsFor(0), [3, 1])
    },
  },
  {
    id: 'runtimes.any-type',
    name: 'a runtime for any type takes the work of types without a runtime, as runtimes start and end',
    async check(fixture) {
      const { storage, workspaceId, add, at } = fixture
      const [first, second] = [await fixture.addAgent('one'), await fixture.addAgent('two')]
      /** Gives each agent work, and returns the agents whose work the runtime takes. */
      const takes = async (agents: readonly { readonly id: string }[], afterMs: number) => {
        const added = []
        for (const { id } of agents) added.push(await add({ assignedTo: id }, at(afterMs)))
        const taken = (await claimAny(fixture, 100, afterMs)).map(({ lease }) => lease?.agentId)
        for (const { id } of added)
          await storage.tasks.deleteTask({ workspaceId, taskId: id, actor: PERSON }, at(afterMs))
        return agents.map(({ id }) => taken.includes(id))
      }
      const three = [fixture.agent, first, second]
      await report(fixture, [anyAgentType], null)
      assert.deepEqual(await takes(three, 0), [false, true, true])
      await report(fixture, ['one'], MINUTE, SECOND)
      assert.deepEqual(await takes(three, SECOND), [false, false, true])
      await storage.agents.updateAgent(
        { workspaceId, agentId: second.id, change: { type: 'one' } },
        at(SECOND),
      )
      const [late, another] = [await fixture.addAgent('one'), await fixture.addAgent('three')]
      const five = [...three, late, another]
      assert.deepEqual(await takes(five, SECOND), [false, false, false, false, true])
      await storage.agents.updateAgent(
        { workspaceId, agentId: second.id, change: { type: 'two' } },
        at(SECOND),
      )
      assert.deepEqual(await takes(five, SECOND), [false, false, true, false, true])
      await report(fixture, [anyAgentType], null, MINUTE + SECOND)
      assert.deepEqual(await takes(five, MINUTE + SECOND), [false, true, true, true, true])
      await report(fixture, [AGENT_TYPE], 0, HOUR)
      assert.deepEqual(await takes(five, HOUR), [true, true, true, true, true])
      await report(fixture, ['two', AGENT_TYPE, 'one'], null, HOUR)
      assert.deepEqual(await takes(five, HOUR), [false, false, false, false, true])
    },
  },
  {
    id: 'runtimes.any-type-without',
    name: 'an agent whose type has a runtime takes no work of others with it when it is deleted',
    async check(fixture) {
      const { storage, workspaceId, add, at } = fixture
      const other = await fixture.addAgent('one')
      await report(fixture, [AGENT_TYPE, anyAgentType], null)
      assert.deepEqual(await claimAny(fixture, 1), [])
      await storage.agents.deleteAgent({ workspaceId, agentId: fixture.agent.id }, at())
      const task = await add()
      const taken = await claimAny(fixture, 1)
      assert.deepEqual(
        taken.map(({ id, lease }) => [id, lease?.agentId]),
        [[task.id, other.id]],
      )
    },
  },
  {
    id: 'runtimes.any-type-turns',
    name: 'workspaces take turns at a runtime for any type, best first inside each',
    async check(fixture) {
      await report(fixture, [AGENT_TYPE], 0)
      await report(fixture, [anyAgentType], null)
      const others = [await fixture.addWorkspace(), await fixture.addWorkspace(undefined, 'other')]
      for (let count = 0; count < 6; count++) await fixture.add({ priority: 'urgent' })
      for (const { workspaceId } of others) {
        await fixture.add({ workspaceId, priority: 'low' })
        await fixture.add({ workspaceId, priority: 'high' })
      }
      const ids = [fixture.workspaceId, ...others.map(({ workspaceId }) => workspaceId)].sort()
      const tasks = [
        ...(await claimAny(fixture, 3)),
        ...(await claimAny(fixture, 1)),
        ...(await claimAny(fixture, 2)),
      ]
      for (const round of [tasks.slice(0, 3), tasks.slice(3)]) {
        assert.deepEqual(round.map(({ workspaceId }) => workspaceId).sort(), ids)
      }
      for (const { workspaceId } of others) {
        const flags = tasks.filter((task) => task.workspaceId === workspaceId).map(({ priority }) => priority)
        assert.deepEqual(flags, ['high', 'low'])
      }
    },
  },
  {
    id: 'runtimes.any-type-next',
    name: 'a runtime for any type takes the next task with a completion, and learns when a wait ends',
    async check(fixture) {
      const { storage, workspaceId, at } = fixture
      await report(fixture, [anyAgentType], null)
      const other = await fixture.addAgent('other')
      await fixture.add({ assignedTo: fixture.agent.id, notBefore: START + SECOND })
      const tasks = [await fixture.add({ assignedTo: other.id }), await fixture.add({ assignedTo: other.id })]
      await fixture.add({ assignedTo: other.id, notBefore: START + MINUTE })
      const [first] = await claimAny(fixture, 1)
      assert.ok(first)
      const { next } = await storage.tasks.completeTask(
        { proof: proofOf(first), result: 'one', next: byAny },
        at(),
      )
      assert.deepEqual(
        [first.id, next?.tasks[0]?.id],
        tasks.map(({ id }) => id),
      )
      assert.equal((await storage.tasks.claimTasks({ target: byAny, limit: 1 }, at())).nextReadyInMs, MINUTE)
      await storage.agents.updateAgent({ workspaceId, agentId: other.id, change: { type: AGENT_TYPE } }, at())
      assert.deepEqual(await storage.tasks.claimTasks({ target: byAny, limit: 1 }, at()), {
        tasks: [],
        nextReadyInMs: null,
      })
    },
  },
]
