import assert from 'node:assert/strict'
import type { Agent } from '@taskboard/core'
import { anyAgentType } from '@taskboard/core/storage'
import type { StorageCheck } from '../storage-case.js'
import {
  AGENT_TYPE,
  changeClaimed,
  LEASE_MS,
  MINUTE,
  proofOf,
  readAgent,
  readTask,
  SECOND,
  START,
  unknownId,
  type StorageFixture,
} from '../storage-fixture.js'

const rest = (fixture: StorageFixture, { id: agentId }: Agent, restMs: number, afterMs = 0) =>
  fixture.storage.agents.reportPresence(
    { workspaceId: fixture.workspaceId, agentId, restMs },
    fixture.at(afterMs),
  )

function claimByType({ storage, at }: StorageFixture, afterMs: number, agentType = AGENT_TYPE) {
  return storage.tasks.claimTasks({ target: { agentType, leaseMs: LEASE_MS }, limit: 10 }, at(afterMs))
}

function claimFor({ storage, workspaceId, at }: StorageFixture, { id: agentId }: Agent, afterMs: number) {
  const target = { workspaceId, agentId, leaseMs: LEASE_MS }
  return storage.tasks.claimTasks({ target, limit: 1 }, at(afterMs))
}

/** Tasks that are postponed, and agents that rest. */
export const restCases: readonly StorageCheck[] = [
  {
    id: 'rests.postpone',
    name: 'a postponed task waits for its time, and its attempt is not counted',
    async check(fixture) {
      const { storage, addClaimed, claim, at } = fixture
      const task = await addClaimed()
      const back = await changeClaimed(
        storage.tasks,
        proofOf(task),
        { kind: 'postpone', reason: 'the provider is overloaded', delayMs: MINUTE },
        at(SECOND),
      )
      assert.deepEqual(
        [back.column, back.attempts, back.notBefore, back.lease, back.hold],
        ['TODO', 0, START + SECOND + MINUTE, null, null],
      )
      assert.deepEqual(await fixture.eventTypes(), ['task.created', 'task.started', 'task.moved'])
      assert.equal(await claim(at(MINUTE)), null)
      const again = await claim(at(SECOND + MINUTE))
      assert.deepEqual([again?.attempts, again?.fencingToken], [1, 2])
      const { attempts } = await readTask(storage.tasks, task, ['attempts'], at())
      assert.deepEqual(
        [attempts[0]?.outcome, attempts[0]?.reason],
        ['postponed', 'the provider is overloaded'],
      )
    },
  },
  {
    id: 'rests.postponed-since',
    name: 'a task is read with the time since which it has been postponed without a break, and one that is given back makes none',
    async check({ storage, add, claim, at }) {
      const task = await add()
      const since = async () => (await readTask(storage.tasks, task, ['postponedSince'], at())).postponedSince
      const attempt = async (
        afterMs: number,
        write: Parameters<typeof changeClaimed>[2],
      ): Promise<number | null> => {
        const claimed = await claim(at(afterMs))
        assert.ok(claimed !== null)
        await changeClaimed(storage.tasks, proofOf(claimed), write, at(afterMs + SECOND))
        return since()
      }
      const postpone = { kind: 'postpone', reason: 'the provider is down', delayMs: SECOND } as const
      const giveBack = { kind: 'return_claim', reason: 'the process stops' } as const
      const fail = {
        kind: 'fail',
        reason: 'no',
        backoff: { baseMs: SECOND, factor: 1, maxMs: SECOND },
      } as const
      assert.equal(await since(), null)
      assert.equal(await attempt(0, giveBack), null)
      assert.equal(await attempt(MINUTE, postpone), START + MINUTE)
      assert.equal(await attempt(2 * MINUTE, giveBack), START + MINUTE)
      assert.equal(await attempt(3 * MINUTE, postpone), START + MINUTE)
      assert.equal(await attempt(4 * MINUTE, fail), null)
      assert.equal(await attempt(5 * MINUTE, postpone), START + 5 * MINUTE)
    },
  },
  {
    id: 'rests.agent',
    name: 'an agent that rests takes nothing until then, and others do',
    async check(fixture) {
      const { agent } = fixture
      await fixture.add({ assignedTo: agent.id })
      await rest(fixture, agent, MINUTE)
      const restingUntil = async (afterMs: number) => {
        const reading = { reach: null, agentId: agent.id }
        return (await readAgent(fixture.storage.agents, reading, fixture.at(afterMs))).restingUntil
      }
      assert.deepEqual([await restingUntil(MINUTE - 1), await restingUntil(MINUTE)], [START + MINUTE, null])
      assert.deepEqual(await claimByType(fixture, SECOND), { tasks: [], nextReadyInMs: MINUTE - SECOND })
      assert.deepEqual(await claimFor(fixture, agent, SECOND), {
        tasks: [],
        nextReadyInMs: MINUTE - SECOND,
      })
      const other = await fixture.addAgent(AGENT_TYPE)
      await fixture.add()
      const { tasks } = await claimByType(fixture, 2 * SECOND)
      assert.deepEqual(
        tasks.map(({ lease }) => lease?.agentId),
        [other.id],
      )
      assert.equal((await claimByType(fixture, MINUTE)).tasks.length, 1)
    },
  },
  {
    id: 'rests.fallback',
    name: 'an agent that rests takes nothing from the runtime for any type either',
    async check(fixture) {
      const { agents } = fixture.storage
      await agents.reportPresence({ agentTypes: [AGENT_TYPE], liveMs: 0 }, fixture.at())
      await agents.reportPresence({ agentTypes: [anyAgentType], liveMs: null }, fixture.at())
      await rest(fixture, fixture.agent, MINUTE)
      await fixture.add()
      assert.deepEqual(await claimByType(fixture, SECOND, anyAgentType), {
        tasks: [],
        nextReadyInMs: MINUTE - SECOND,
      })
      assert.equal((await claimByType(fixture, MINUTE, anyAgentType)).tasks.length, 1)
    },
  },
  {
    id: 'rests.longest',
    name: 'the longer of two rests stands, a change of the agent ends it, and reports on others are ignored',
    async check(fixture) {
      const { storage, workspaceId, agent, at } = fixture
      await fixture.add()
      await rest(fixture, agent, MINUTE)
      await rest(fixture, agent, SECOND)
      assert.equal((await claimFor(fixture, agent, 2 * SECOND)).tasks.length, 0)
      const change = { model: 'another' }
      await storage.agents.updateAgent({ workspaceId, agentId: agent.id, change }, at(3 * SECOND))
      const other = await fixture.addWorkspace()
      const foreign = { workspaceId: other.workspaceId, agentId: agent.id, restMs: MINUTE }
      await storage.agents.reportPresence(foreign, at(3 * SECOND))
      await rest(fixture, { ...agent, id: unknownId('agent') }, MINUTE)
      assert.equal((await claimFor(fixture, agent, 3 * SECOND)).tasks.length, 1)
    },
  },
]
