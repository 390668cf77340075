import assert from 'node:assert/strict'
import type { Agent } from '@taskboard/core'
import { assertRefused, type StorageCheck } from '../storage-case.js'
import {
  AGENT_TYPE,
  changeTask,
  DAY,
  LEASE_MS,
  MINUTE,
  PERSON,
  readAgent,
  readTask,
  SECOND,
  START,
  unknownId,
  type StorageFixture,
} from '../storage-fixture.js'
import { sumBy, total, use } from './usage-cases.js'

const NEXT_MONTH = 31 * DAY

const setBudget = (
  { storage, workspaceId, at }: StorageFixture,
  agentId: string | null,
  tokens: number | null,
  afterMs = 0,
) => {
  const budget = tokens === null ? null : { tokens, costUsd: null }
  return storage.usage.setBudget({ workspaceId, agentId, budget }, at(afterMs))
}

const spentUntil = async ({ storage, at }: StorageFixture, { id: agentId }: Agent, afterMs = 0) =>
  (await readAgent(storage.agents, { reach: null, agentId }, at(afterMs))).budgetSpentUntil

/** What the runner would claim. */
async function claimByType({ storage, at }: StorageFixture, afterMs: number, agentType = AGENT_TYPE) {
  const target = { agentType, leaseMs: LEASE_MS }
  return (await storage.tasks.claimTasks({ target, limit: 10 }, at(afterMs))).tasks
}

/** Budgets, and the limits on agents when they are spent. */
export const budgetCases: readonly StorageCheck[] = [
  {
    id: 'budgets.task',
    name: 'the report that spends the last of a task’s budget holds the task, and ends the attempt without a failure',
    async check(fixture) {
      const task = await fixture.addClaimed({ budget: { tokens: 220, costUsd: null } })
      assert.equal((await use(fixture, task)).spent, null)
      assert.equal((await use(fixture, task)).spent, 'task')
      const held = await fixture.get(task)
      assert.deepEqual(
        [held.column, held.lease, held.hold],
        ['TODO', null, { reason: 'budget', message: 'the budget of the task is spent', since: START }],
      )
      const { attempts } = await readTask(fixture.storage.tasks, task, ['attempts'], fixture.at())
      assert.deepEqual(
        attempts.map(({ outcome }) => outcome),
        ['held'],
      )
      assert.deepEqual(await fixture.eventTypes(), ['task.created', 'task.started', 'task.failed'])
      await assertRefused(use(fixture, task), 'CONFLICT', 'fencingToken')
      assert.equal(await fixture.claim(), null)
    },
  },
  {
    id: 'budgets.cost',
    name: 'a budget in dollars is compared in whole millionths',
    async check(fixture) {
      const task = await fixture.addClaimed({ budget: { tokens: null, costUsd: 0.3 } })
      const costs = [100_000, 100_000, 99_999, 1]
      const spent = []
      for (const costMicros of costs) spent.push((await use(fixture, task, { report: { costMicros } })).spent)
      assert.deepEqual(spent, [null, null, null, 'task'])
    },
  },
  {
    id: 'budgets.raised',
    name: 'a task whose budget was raised goes on after its release, and one whose budget was not is held again',
    async check(fixture) {
      const { storage, at } = fixture
      const task = await fixture.addClaimed({ budget: { tokens: 110, costUsd: null } })
      await use(fixture, task)
      await changeTask(storage.tasks, task, { kind: 'release', actor: PERSON }, at())
      const again = await fixture.claim()
      assert.ok(again)
      assert.equal((await use(fixture, again)).spent, 'task')
      const change = { budget: { tokens: 1_000, costUsd: null } }
      await changeTask(storage.tasks, task, { kind: 'edit', change, actor: PERSON }, at())
      await changeTask(storage.tasks, task, { kind: 'release', actor: PERSON }, at())
      const third = await fixture.claim()
      assert.ok(third)
      const used = await use(fixture, third)
      assert.deepEqual([used.spent, used.total], [null, total(3)])
    },
  },
  {
    id: 'budgets.outside',
    name: 'a report from outside that spends the budget takes the task from its agent, or holds a waiting task',
    async check(fixture) {
      const { storage, at } = fixture
      const budget = { tokens: 1, costUsd: null }
      const worked = await fixture.addClaimed({ budget })
      assert.equal((await use(fixture, worked, { fencingToken: null })).spent, 'task')
      assert.equal((await fixture.get(worked)).hold?.reason, 'budget')
      const { attempts } = await readTask(storage.tasks, worked, ['attempts'], at())
      assert.deepEqual(
        attempts.map(({ outcome }) => outcome),
        ['revoked'],
      )
      const waiting = await fixture.add({ budget })
      await use(fixture, waiting)
      assert.equal((await fixture.get(waiting)).hold?.reason, 'budget')
      const done = await fixture.add({ budget })
      await fixture.finish(done)
      assert.equal((await use(fixture, done)).spent, 'task')
      assert.equal((await fixture.get(done)).column, 'DONE')
    },
  },
  {
    id: 'budgets.agent',
    name: 'an agent whose budget of the month is spent takes nothing until the next month, and other agents do',
    async check(fixture) {
      const { agent } = fixture
      await setBudget(fixture, agent.id, 110)
      const task = await fixture.addClaimed()
      await fixture.add()
      assert.equal((await use(fixture, task)).spent, 'agent')
      assert.equal((await fixture.get(task)).hold?.reason, 'budget')
      assert.equal(await fixture.claim(fixture.at(MINUTE)), null)
      assert.deepEqual(await claimByType(fixture, MINUTE), [])
      assert.equal(await spentUntil(fixture, agent), START + NEXT_MONTH)
      assert.equal(await spentUntil(fixture, agent, NEXT_MONTH), null)
      const other = await fixture.addAgent(AGENT_TYPE)
      assert.equal(await spentUntil(fixture, other), null)
      const taken = await claimByType(fixture, 2 * MINUTE)
      assert.deepEqual(
        taken.map(({ lease }) => lease?.agentId),
        [other.id],
      )
      const own = await fixture.add({ assignedTo: agent.id })
      assert.deepEqual(await claimByType(fixture, 3 * MINUTE), [])
      assert.deepEqual(
        (await claimByType(fixture, NEXT_MONTH)).map(({ id }) => id),
        [own.id],
      )
    },
  },
  {
    id: 'budgets.workspace',
    name: 'no agent of a workspace whose budget is spent takes anything, a new one neither, and other workspaces are worked',
    async check(fixture) {
      await setBudget(fixture, null, 110)
      const other = await fixture.addWorkspace()
      const task = await fixture.addClaimed()
      assert.equal((await use(fixture, task)).spent, 'workspace')
      await fixture.add()
      const added = await fixture.addAgent()
      assert.deepEqual(
        [added.budgetSpentUntil, await spentUntil(fixture, added)],
        [START + NEXT_MONTH, START + NEXT_MONTH],
      )
      assert.equal(await fixture.claim(fixture.at(MINUTE), added), null)
      assert.deepEqual(await claimByType(fixture, MINUTE), [])
      const foreign = await fixture.add({ workspaceId: other.workspaceId })
      assert.deepEqual(
        (await claimByType(fixture, MINUTE)).map(({ id }) => id),
        [foreign.id],
      )
      assert.equal((await claimByType(fixture, NEXT_MONTH)).length, 1)
    },
  },
  {
    id: 'budgets.agent-and-workspace',
    name: 'the report that spends the budgets of the agent and of the workspace stops the other agents as well',
    async check(fixture) {
      await setBudget(fixture, fixture.agent.id, 110)
      await setBudget(fixture, null, 110)
      const other = await fixture.addAgent()
      assert.equal((await use(fixture, await fixture.addClaimed())).spent, 'agent')
      await fixture.add()
      assert.equal(await fixture.claim(fixture.at(MINUTE), other), null)
      assert.deepEqual(await claimByType(fixture, MINUTE), [])
    },
  },
  {
    id: 'budgets.month-steps-back',
    name: 'a report of a clock that steps back over the end of a month adds to the later month',
    async check(fixture) {
      await setBudget(fixture, null, 220)
      const task = await fixture.addClaimed()
      assert.equal((await use(fixture, task)).spent, null)
      assert.equal((await use(fixture, task, {}, -DAY)).spent, 'workspace')
    },
  },
  {
    id: 'budgets.others-running',
    name: 'tasks that an agent works when its budget is spent are held at their next report',
    async check(fixture) {
      await setBudget(fixture, fixture.agent.id, 110)
      const [first, second] = [await fixture.addClaimed(), await fixture.addClaimed()]
      await use(fixture, first)
      assert.equal((await fixture.get(second)).column, 'DOING')
      assert.equal((await use(fixture, second)).spent, 'agent')
      assert.equal((await fixture.get(second)).hold?.reason, 'budget')
    },
  },
  {
    id: 'budgets.set',
    name: 'a budget can be raised, lowered and removed, which counts for the next claim',
    async check(fixture) {
      const { agent } = fixture
      await setBudget(fixture, agent.id, 110)
      const task = await fixture.addClaimed()
      await use(fixture, task)
      await fixture.add()
      const ofMonth = {
        workspaceId: fixture.workspaceId,
        agentId: agent.id,
        month: START,
        tokens: 110,
        costMicros: 5_000,
      }
      assert.deepEqual(await setBudget(fixture, agent.id, 111, MINUTE), {
        ...ofMonth,
        budget: { tokens: 111, costUsd: null },
        isSpent: false,
      })
      assert.equal(await spentUntil(fixture, agent), null)
      assert.equal((await claimByType(fixture, MINUTE)).length, 1)
      await fixture.add()
      assert.equal((await setBudget(fixture, agent.id, 50, MINUTE)).isSpent, true)
      assert.deepEqual(await claimByType(fixture, MINUTE), [])
      assert.deepEqual(await setBudget(fixture, agent.id, null, MINUTE), {
        ...ofMonth,
        budget: null,
        isSpent: false,
      })
      assert.equal((await claimByType(fixture, MINUTE)).length, 1)
    },
  },
  {
    id: 'budgets.list',
    name: 'the budget of the workspace is listed first, then those of agents in the order of their ids',
    async check(fixture) {
      const { storage, workspaceId, agent, at } = fixture
      const list = (afterId: string | null, limit: number, afterMs = 0) =>
        storage.usage.listBudgets({ workspaceId, afterId, limit }, at(afterMs))
      const none = {
        workspaceId,
        agentId: null,
        budget: null,
        month: START,
        tokens: 0,
        costMicros: 0,
        isSpent: false,
      }
      assert.deepEqual(await list(null, 10), [none])
      const other: Agent = await fixture.addAgent()
      await setBudget(fixture, other.id, 5)
      await setBudget(fixture, agent.id, 500)
      await setBudget(fixture, null, 10_000)
      await use(fixture, await fixture.addClaimed())
      const ids = async (afterId: string | null, limit: number) =>
        (await list(afterId, limit)).map(({ agentId }) => agentId)
      assert.deepEqual(await ids(null, 10), [null, agent.id, other.id])
      assert.deepEqual(await ids(null, 2), [null, agent.id])
      assert.deepEqual(await ids(agent.id, 2), [other.id])
      assert.deepEqual(
        (await list(null, 2)).map(({ tokens }) => tokens),
        [110, 110],
      )
      assert.deepEqual(
        (await list(null, 2, NEXT_MONTH)).map(({ tokens, month }) => [tokens, month]),
        [
          [0, START + NEXT_MONTH],
          [0, START + NEXT_MONTH],
        ],
      )
      const unknown = { workspaceId: unknownId('ws'), afterId: null, limit: 1 }
      await assertRefused(storage.usage.listBudgets(unknown, at()), 'NOT_FOUND')
      await assertRefused(setBudget(fixture, unknownId('agent'), 1), 'NOT_FOUND')
      const foreign = await fixture.addWorkspace()
      await assertRefused(setBudget(fixture, foreign.agent.id, 1), 'NOT_FOUND')
    },
  },
  {
    id: 'budgets.rollback',
    name: 'a report in a transaction that fails counts for nothing and holds nothing',
    async check(fixture) {
      await setBudget(fixture, fixture.agent.id, 110)
      const task = await fixture.addClaimed()
      const work = fixture.storage.transaction(async (tx) => {
        assert.equal((await use(fixture, task, {}, 0, tx)).spent, 'agent')
        throw new Error('rolled back')
      })
      await assert.rejects(work, /rolled back/)
      assert.deepEqual(await fixture.get(task), task)
      assert.deepEqual(await sumBy(fixture, 'day'), [])
      const next = await fixture.add()
      assert.deepEqual(
        (await claimByType(fixture, SECOND)).map(({ id }) => id),
        [next.id],
      )
    },
  },
]
