import type { Storage } from '@taskboard/core'
import type { PgConnection } from '../../src/connection/pool.js'
import type { HotVerb } from './hot-verb.js'
import { HUGE, NOW, taskId } from './large-board.js'

const at = { now: NOW }
const account = { accountId: 'acc_0', workspaceIds: 'all' } as const
const report = { model: 'model', inputTokens: 1, outputTokens: 1, cachedInputTokens: 0, costMicros: 1 }
const today = Math.floor(NOW / 86_400_000)

/** Usage and budgets. */
export function usageVerbs({ usage, tasks }: Storage<PgConnection>): readonly HotVerb[] {
  const task = { workspaceId: HUGE, taskId: taskId(0) }
  return [
    {
      name: 'report usage from outside',
      indexes: ['task_usage_pkey', 'monthly_budget_pkey'],
      run: () =>
        usage.recordUsage({ ...task, report, fencingToken: null, leaseMs: null, idempotency: null }, at),
    },
    {
      name: 'the usage of a task',
      indexes: ['task_usage_pkey'],
      run: () => tasks.getTask({ within: HUGE, taskId: taskId(0), parts: ['usage'] }, at),
    },
    {
      name: 'usage by day',
      indexes: ['usage_day_pkey'],
      scans: ['every_workspace'],
      most: { rows: 12_000, pages: 5_000 },
      run: () =>
        usage.sumUsage(
          {
            reach: account,
            workspaceId: null,
            groupBy: 'day',
            firstDay: today - 6,
            lastDay: today,
            limit: 100,
            afterKey: null,
          },
          at,
        ),
    },
    {
      name: 'the budgets of a workspace',
      indexes: ['monthly_budget_pkey'],
      run: () => usage.listBudgets({ workspaceId: HUGE, afterId: null, limit: 100 }, at),
    },
  ]
}
