import assert from 'node:assert/strict'
import type { UsageEntry } from '@taskboard/core/storage'
import { assertRefused, type StorageCheck } from '../storage-case.js'
import {
  AGENT_TYPE,
  DAY,
  LEASE_MS,
  MINUTE,
  readAgent,
  SECOND,
  START,
  unknownId,
  type StorageFixture,
} from '../storage-fixture.js'
import { sumBy, use } from './usage-cases.js'

const NEXT_MONTH = 31 * DAY
const none = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, costMicros: 0 }

type Given = Partial<Omit<UsageEntry, 'report' | 'correction'>> & {
  readonly report?: Partial<UsageEntry['report']>
  readonly month?: number | null
}

/** A report of a chat; with `month`, a correction. */
async function enter(
  { storage, workspaceId, agent, at }: StorageFixture,
  { report = {}, month, ...given }: Given = {},
  afterMs = 0,
  tx?: unknown,
) {
  const correction = month === undefined ? null : { reason: 'reported twice', month }
  const entry = { workspaceId, agentId: agent.id, correction, idempotency: null, ...given }
  const whole = { ...entry, report: { model: 'chat', ...none, ...report } }
  return (await storage.usage.enterUsage(whole, at(afterMs, tx))).value
}

const setBudget = ({ storage, workspaceId, at }: StorageFixture, agentId: string | null, tokens: number) =>
  storage.usage.setBudget({ workspaceId, agentId, budget: { tokens, costUsd: null } }, at())

const claimable = async ({ storage, at }: StorageFixture, afterMs: number): Promise<number> =>
  (
    await storage.tasks.claimTasks(
      { target: { agentType: AGENT_TYPE, leaseMs: LEASE_MS }, limit: 1 },
      at(afterMs),
    )
  ).tasks.length

/** What counts in a month without being a report on a task. */
export const entryCases: readonly StorageCheck[] = [
  {
    id: 'entries.chat',
    name: 'what an agent uses outside of tasks counts for its day and in the months of it and its workspace, and spends budgets',
    async check(fixture) {
      const { workspaceId, agent } = fixture
      await setBudget(fixture, agent.id, 150)
      const used = { inputTokens: 90, outputTokens: 10, costMicros: 700 }
      const first = await enter(fixture, { report: used })
      assert.match(first.id, /^use_/)
      const month = { workspaceId, month: START, tokens: 100, costMicros: 700, isSpent: false }
      assert.deepEqual(first.workspace, { ...month, agentId: null, budget: null })
      const budget = { tokens: 150, costUsd: null }
      assert.deepEqual(first.agent, { ...month, agentId: agent.id, budget })
      await fixture.add()
      const second = await enter(fixture, { report: used }, SECOND)
      assert.deepEqual([second.agent?.isSpent, second.workspace.isSpent], [true, false])
      assert.equal(await claimable(fixture, MINUTE), 0)
      const read = await readAgent(
        fixture.storage.agents,
        { reach: null, agentId: agent.id },
        fixture.at(MINUTE),
      )
      assert.equal(read.budgetSpentUntil, START + NEXT_MONTH)
      assert.deepEqual(await sumBy(fixture, 'model'), [['chat', 2, 1_400]])
      assert.deepEqual(await sumBy(fixture, 'agent'), [[agent.id, 2, 1_400]])
      assert.deepEqual(await sumBy(fixture, 'type'), [['', 2, 1_400]])
      const later = await enter(fixture, { report: used }, NEXT_MONTH)
      assert.deepEqual([later.agent?.tokens, later.agent?.month], [100, START + NEXT_MONTH])
      // A clock that steps back adds to the later month, as for reports.
      assert.equal((await enter(fixture, { report: used }, 0)).agent?.tokens, 200)
    },
  },
  {
    id: 'entries.correction',
    name: 'a correction takes back from the present month, is no report, and lets agents take tasks again',
    async check(fixture) {
      const { agent } = fixture
      await setBudget(fixture, agent.id, 110)
      await setBudget(fixture, null, 110)
      await use(fixture, await fixture.addClaimed())
      await fixture.add()
      assert.equal(await claimable(fixture, MINUTE), 0)
      const back = { inputTokens: -1, costMicros: -4_000 }
      const after = await enter(fixture, { month: null, report: back }, MINUTE)
      for (const budget of [after.agent, after.workspace]) {
        assert.deepEqual([budget?.tokens, budget?.costMicros, budget?.isSpent], [109, 1_000, false])
      }
      assert.equal(await claimable(fixture, 2 * MINUTE), 1)
      assert.deepEqual(await sumBy(fixture, 'model'), [
        ['chat', 0, -4_000],
        ['small', 1, 5_000],
      ])
      const up = await enter(fixture, { month: null, report: { outputTokens: 1 } }, 3 * MINUTE)
      assert.deepEqual([up.agent?.isSpent, up.workspace.isSpent], [true, true])
      await fixture.add()
      assert.equal(await claimable(fixture, 4 * MINUTE), 0)
    },
  },
  {
    id: 'entries.correction-of-workspace',
    name: 'a correction without an agent counts for the workspace alone',
    async check(fixture) {
      await use(fixture, await fixture.addClaimed())
      const after = await enter(fixture, { agentId: null, month: null, report: { costMicros: -5_000 } })
      assert.deepEqual([after.agent, after.workspace.costMicros], [null, 0])
      assert.equal((await enter(fixture)).agent?.costMicros, 5_000)
      assert.deepEqual(await sumBy(fixture, 'agent'), [
        ['', 0, -5_000],
        [fixture.agent.id, 2, 5_000],
      ])
    },
  },
  {
    id: 'entries.past-month',
    name: 'a correction of a past month counts on its last day, and leaves the present one',
    async check(fixture) {
      await use(fixture, await fixture.addClaimed())
      await enter(fixture, { report: { inputTokens: 7 } }, NEXT_MONTH)
      const back = { inputTokens: -100, costMicros: -5_000 }
      const after = await enter(fixture, { month: START, report: back }, NEXT_MONTH + DAY)
      assert.deepEqual([after.agent?.tokens, after.agent?.month], [7, START + NEXT_MONTH])
      assert.deepEqual(await sumBy(fixture, 'day'), [
        [new Date(START).toISOString().slice(0, 10), 1, 5_000],
        [new Date(START + NEXT_MONTH - DAY).toISOString().slice(0, 10), 0, -5_000],
        [new Date(START + NEXT_MONTH).toISOString().slice(0, 10), 1, 0],
      ])
      const future = enter(fixture, { month: START + 2 * NEXT_MONTH, report: { costMicros: 1 } }, NEXT_MONTH)
      await assertRefused(future, 'INVALID_FIELD', 'month')
    },
  },
  {
    id: 'entries.no-less-than-nothing',
    name: 'a correction that takes back more than the month has, of the agent or the workspace, changes nothing',
    async check(fixture) {
      const other = await fixture.addAgent()
      await use(fixture, await fixture.addClaimed())
      const refusals = [
        ['inputTokens', { report: { inputTokens: -101 } }],
        ['outputTokens', { report: { outputTokens: -11 } }],
        ['cachedInputTokens', { report: { cachedInputTokens: -41 } }],
        ['costUsd', { report: { costMicros: -5_001 } }],
        ['costUsd', { agentId: null, report: { costMicros: -5_001 } }],
        ['costUsd', { agentId: other.id, report: { costMicros: -1 } }],
      ] as const
      for (const [field, given] of refusals) {
        await assertRefused(enter(fixture, { month: null, ...given }), 'INVALID_FIELD', field)
      }
      const before = enter(fixture, { month: START - DAY, report: { costMicros: -1 } })
      await assertRefused(before, 'INVALID_FIELD', 'costUsd')
      assert.equal((await enter(fixture)).agent?.costMicros, 5_000)
    },
  },
  {
    id: 'entries.once',
    name: 'an entry counts once for its idempotency key, and belongs to what exists',
    async check(fixture) {
      const { storage, workspaceId, agent, at } = fixture
      const idempotency = { scope: 'corrections', key: 'first', fingerprint: 'a' }
      const report = { model: 'chat', ...none, costMicros: 9 }
      const entry = { workspaceId, agentId: agent.id, report, correction: null, idempotency }
      const first = await storage.usage.enterUsage(entry, at())
      const again = await storage.usage.enterUsage(entry, at(SECOND))
      assert.deepEqual([first.replayed, again], [false, { value: first.value, replayed: true }])
      const otherwise = { ...entry, idempotency: { ...idempotency, fingerprint: 'b' } }
      await assertRefused(storage.usage.enterUsage(otherwise, at()), 'CONFLICT')
      assert.equal((await enter(fixture)).agent?.costMicros, 9)
      await assertRefused(enter(fixture, { workspaceId: unknownId('ws') }), 'NOT_FOUND')
      await assertRefused(enter(fixture, { agentId: unknownId('agent') }), 'NOT_FOUND')
      const foreign = await fixture.addWorkspace()
      await assertRefused(enter(fixture, { agentId: foreign.agent.id }), 'NOT_FOUND')
    },
  },
  {
    id: 'entries.rollback',
    name: 'an entry in a transaction that fails counts for nothing',
    async check(fixture) {
      await setBudget(fixture, null, 1)
      const work = fixture.storage.transaction(async (tx) => {
        const entered = await enter(fixture, { report: { inputTokens: 5 } }, 0, tx)
        assert.equal(entered.workspace.isSpent, true)
        throw new Error('rolled back')
      })
      await assert.rejects(work, /rolled back/)
      await fixture.add()
      assert.deepEqual([await sumBy(fixture, 'day'), await claimable(fixture, 0)], [[], 1])
    },
  },
]
