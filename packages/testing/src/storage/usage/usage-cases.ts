import assert from 'node:assert/strict'
import type { RecordedUsage, Task } from '@taskboard/core'
import type { UsageQuery, UsageRecord } from '@taskboard/core/storage'
import { assertRefused, type StorageCheck } from '../storage-case.js'
import {
  DAY,
  HOUR,
  LEASE_MS,
  readTask,
  SECOND,
  START,
  unknownId,
  type StorageFixture,
  PERSON,
} from '../storage-fixture.js'

const FIRST_DAY = START / DAY

const report = (given: Partial<UsageRecord['report']> = {}): UsageRecord['report'] => ({
  model: 'small',
  inputTokens: 100,
  outputTokens: 10,
  cachedInputTokens: 40,
  costMicros: 5_000,
  ...given,
})

export const total = (times: number) => ({
  inputTokens: 100 * times,
  outputTokens: 10 * times,
  cachedInputTokens: 40 * times,
  costMicros: 5_000 * times,
})

type Given = Partial<Omit<UsageRecord, 'report'>> & { readonly report?: Partial<UsageRecord['report']> }

/** Reports usage as the agent of a claimed task does. */
export function use(
  { storage, at }: StorageFixture,
  task: Task,
  { report: given, ...rest }: Given = {},
  afterMs = 0,
  tx?: unknown,
): Promise<RecordedUsage> {
  const fencingToken = task.lease?.fencingToken ?? null
  const target = { workspaceId: task.workspaceId, taskId: task.id }
  const record = { ...target, fencingToken, leaseMs: null, idempotency: null, report: report(given), ...rest }
  return storage.usage.recordUsage(record, at(afterMs, tx)).then(({ value }) => value)
}

const sum = ({ storage, at }: StorageFixture, query: UsageQuery) => storage.usage.sumUsage(query, at())

export async function sumBy(
  fixture: StorageFixture,
  groupBy: 'day' | 'agent' | 'type' | 'model',
  given: { readonly afterKey?: string; readonly limit?: number; readonly lastDay?: number } = {},
): Promise<readonly (readonly [string, number, number])[]> {
  const reach = { accountId: fixture.accountId, workspaceIds: 'all' } as const
  const all = { reach, workspaceId: null, groupBy, firstDay: FIRST_DAY, lastDay: FIRST_DAY + 300, limit: 100 }
  const sums = await sum(fixture, { ...all, afterKey: null, ...given })
  return sums.map(({ key, reports, costMicros }) => [key, reports, costMicros])
}

/** Reports of usage and their sums. */
export const usageCases: readonly StorageCheck[] = [
  {
    id: 'usage.record',
    name: 'a report counts for its task, attempt, agent, type, model and day, and renews the lease',
    async check(fixture) {
      const { agent } = fixture
      const task = await fixture.addClaimed({ type: 'research' })
      const used = await use(fixture, task, { leaseMs: 2 * HOUR }, SECOND)
      assert.deepEqual(used, {
        ...report(),
        id: used.id,
        workspaceId: task.workspaceId,
        taskId: task.id,
        agentId: agent.id,
        fencingToken: 1,
        at: START + SECOND,
        total: total(1),
        spent: null,
      })
      assert.equal((await fixture.get(task)).lease?.expiresAt, START + SECOND + 2 * HOUR)
      await use(fixture, task, { report: { model: 'large' } }, HOUR)
      const { usage } = await readTask(fixture.storage.tasks, task, ['usage'], fixture.at())
      assert.deepEqual(usage, total(2))
      const ofTask = { workspaceId: task.workspaceId, taskId: task.id, limit: 10 }
      assert.deepEqual(await sum(fixture, { ...ofTask, groupBy: 'attempt' }), [
        { key: '1', reports: 2, ...total(2) },
      ])
      const byModel = await sum(fixture, { ...ofTask, groupBy: 'model' })
      assert.deepEqual(
        byModel.map(({ key, reports }) => [key, reports]),
        [
          ['large', 1],
          ['small', 1],
        ],
      )
      const other = await fixture.add()
      const ofTasks = { taskIds: [other.id, task.id, unknownId('task')], groupBy: 'task' } as const
      assert.deepEqual(await sum(fixture, ofTasks), [{ key: task.id, reports: 2, ...total(2) }])
      assert.deepEqual(await sumBy(fixture, 'day'), [['2026-01-01', 2, 10_000]])
      assert.deepEqual(await sumBy(fixture, 'agent'), [[agent.id, 2, 10_000]])
      assert.deepEqual(await sumBy(fixture, 'type'), [['research', 2, 10_000]])
      assert.deepEqual(await sumBy(fixture, 'model'), [
        ['large', 1, 5_000],
        ['small', 1, 5_000],
      ])
    },
  },
  {
    id: 'usage.none',
    name: 'a task without a report has used nothing, and a sum of nothing is empty',
    async check(fixture) {
      const task = await fixture.add()
      const { usage } = await readTask(fixture.storage.tasks, task, ['usage'], fixture.at())
      assert.deepEqual(usage, total(0))
      assert.deepEqual(await sumBy(fixture, 'day'), [])
      const ofTask = { workspaceId: task.workspaceId, taskId: task.id, groupBy: 'model', limit: 10 } as const
      assert.deepEqual(await sum(fixture, ofTask), [])
      await assertRefused(sum(fixture, { ...ofTask, taskId: unknownId('task') }), 'TASK_NOT_FOUND')
    },
  },
  {
    id: 'usage.outside',
    name: 'a report from outside counts for the attempt in progress, or for none',
    async check(fixture) {
      const task = await fixture.add()
      const early = await use(fixture, task)
      assert.deepEqual([early.agentId, early.fencingToken], [null, null])
      const claimed = await fixture.claim(fixture.at(SECOND))
      assert.ok(claimed)
      const during = await use(fixture, claimed, { fencingToken: null }, 2 * SECOND)
      assert.deepEqual([during.agentId, during.fencingToken], [fixture.agent.id, 1])
      assert.deepEqual(await fixture.get(task), claimed)
      const late = await use(fixture, claimed, { fencingToken: null }, 2 * LEASE_MS)
      assert.deepEqual([late.agentId, late.total], [null, total(3)])
      assert.deepEqual(await sumBy(fixture, 'agent'), [
        ['', 2, 10_000],
        [fixture.agent.id, 1, 5_000],
      ])
    },
  },
  {
    id: 'usage.fenced',
    name: 'a report under a claim that is over is CONFLICT, one on an unknown task TASK_NOT_FOUND, and neither counts',
    async check(fixture) {
      const task = await fixture.addClaimed()
      const { workspaceId } = await fixture.addWorkspace()
      await assertRefused(use(fixture, task, { fencingToken: 7 }), 'CONFLICT', 'fencingToken')
      await assertRefused(use(fixture, task, {}, LEASE_MS), 'CONFLICT', 'fencingToken')
      await assertRefused(use(fixture, { ...task, id: unknownId('task') }), 'TASK_NOT_FOUND')
      await assertRefused(use(fixture, { ...task, workspaceId }), 'TASK_NOT_FOUND')
      assert.deepEqual(await sumBy(fixture, 'day'), [])
    },
  },
  {
    id: 'usage.idempotent',
    name: 'a repeat with the same key counts once, and another report with the key is CONFLICT',
    async check(fixture) {
      const task = await fixture.addClaimed()
      const idempotency = { scope: 'user_1 POST', key: 'k', fingerprint: 'f' }
      const first = await use(fixture, task, { idempotency })
      assert.deepEqual(await use(fixture, task, { idempotency }), first)
      await assertRefused(
        use(fixture, task, { idempotency: { ...idempotency, fingerprint: 'g' } }),
        'CONFLICT',
      )
      assert.deepEqual(await sumBy(fixture, 'day'), [['2026-01-01', 1, 5_000]])
    },
  },
  {
    id: 'usage.pages',
    name: 'sums come in the order of the bytes of their keys, page by page, for the given days and within reach',
    async check(fixture) {
      const { storage, at, workspaceId, accountId } = fixture
      const task = await fixture.add()
      for (const model of ['b', 'a', 'Z', '\u{1F600}', '\uFF5E'])
        await use(fixture, task, { report: { model } })
      await use(fixture, task, { report: { model: 'later' } }, 2 * DAY)
      const keys = async (
        ...given: Parameters<typeof sumBy> extends [unknown, ...infer Rest] ? Rest : never
      ) => (await sumBy(fixture, ...given)).map(([key]) => key)
      assert.deepEqual(await keys('model'), ['Z', 'a', 'b', 'later', '\uFF5E', '\u{1F600}'])
      assert.deepEqual(await keys('model', { limit: 2 }), ['Z', 'a'])
      assert.deepEqual(await keys('model', { limit: 2, afterKey: 'a' }), ['b', 'later'])
      assert.deepEqual(await keys('model', { lastDay: FIRST_DAY, afterKey: 'b' }), ['\uFF5E', '\u{1F600}'])
      assert.deepEqual(await keys('day'), ['2026-01-01', '2026-01-03'])
      const other = await fixture.addWorkspace()
      const asked = {
        groupBy: 'day',
        firstDay: FIRST_DAY,
        lastDay: FIRST_DAY + 9,
        limit: 10,
        afterKey: null,
      } as const
      const bound = { accountId, workspaceIds: [other.workspaceId] }
      assert.deepEqual(await storage.usage.sumUsage({ ...asked, reach: bound, workspaceId: null }, at()), [])
      const beyond = storage.usage.sumUsage({ ...asked, reach: bound, workspaceId }, at())
      await assertRefused(beyond, 'NOT_FOUND', 'workspaceId')
    },
  },
  {
    id: 'usage.deleted',
    name: 'the reports on a deleted task still count by day',
    async check(fixture) {
      const task = await fixture.add()
      await use(fixture, task)
      await fixture.storage.tasks.deleteTask(
        { workspaceId: task.workspaceId, taskId: task.id, actor: PERSON },
        fixture.at(),
      )
      assert.deepEqual(await sumBy(fixture, 'day'), [['2026-01-01', 1, 5_000]])
    },
  },
  {
    id: 'usage.at-once',
    name: 'reports at the same moment all count',
    async check(fixture) {
      const task = await fixture.addClaimed()
      const other = (await fixture.another()) ?? fixture
      await Promise.all(Array.from({ length: 10 }, (_, call) => use(call % 2 ? fixture : other, task)))
      const { usage } = await readTask(fixture.storage.tasks, task, ['usage'], fixture.at())
      assert.deepEqual(usage, total(10))
      assert.deepEqual(await sumBy(fixture, 'agent'), [[fixture.agent.id, 10, 50_000]])
    },
  },
]
