import { z } from 'zod'
import type { Reach } from '../access/index.js'
import type { Environment, InTransaction, OnRecord } from '../environment/index.js'
import { parseInput, requireLimit, TaskboardError, textOf, wholeNumber } from '../errors/index.js'
import type { IdempotencyClaim } from '../idempotency/index.js'
import { parseBudget, type BudgetInput } from './budget.js'
import {
  usageGroups,
  type EnteredUsage,
  type MonthlyBudget,
  type UsageGroup,
  type UsageStore,
  type UsageSum,
} from './usage-store.js'
import { microsPerUsd, type UsageAmounts } from './usage.js'

export interface UsageFilter {
  readonly groupBy: UsageGroup
  /** The first day, as `2026-11-01`, in UTC. */
  readonly from: string
  /** The last day; at most 366 days after the first. */
  readonly to: string
  /** Default: all within reach. */
  readonly workspaceId?: string | null | undefined
  /** 1 to 1,000; default 100. */
  readonly limit?: number | undefined
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | null | undefined
}

export interface UsagePage {
  /** In the order of their keys. */
  readonly sums: readonly UsageSum[]
  /** Null on the last page. */
  readonly nextCursor: string | null
}

export interface BudgetPage {
  readonly budgets: readonly MonthlyBudget[]
  /** Null on the last page. */
  readonly nextCursor: string | null
}

/** What agents have used, and the budgets of agents and workspaces. The budget of a task is a field of it. */
export interface Usage<Tx = unknown> {
  /**
   * Sums of reported usage on the tasks of all workspaces within reach.
   * @throws TaskboardError `INVALID_FIELD`; `NOT_FOUND` (`workspaceId`) for a workspace beyond reach.
   */
  sum(reach: Reach, filter: UsageFilter, options?: InTransaction<Tx>): Promise<UsagePage>
  /** By attempt or by model of one task: at most a thousand sums. @throws TaskboardError `TASK_NOT_FOUND`. */
  ofTask(
    workspaceId: string,
    taskId: string,
    groupBy: 'attempt' | 'model',
    options?: InTransaction<Tx>,
  ): Promise<readonly UsageSum[]>
  /** The sums of tasks that the caller has found within its reach, by id. Those without a report have none. */
  ofTasks(taskIds: readonly string[], options?: InTransaction<Tx>): Promise<ReadonlyMap<string, UsageAmounts>>
  /**
   * Sets what an agent, or with `agentId` null the whole workspace, may use in each calendar month (UTC). Null removes the budget.
   * @throws TaskboardError `INVALID_FIELD` (`budget`); `NOT_FOUND`.
   */
  setBudget(
    holder: { readonly workspaceId: string; readonly agentId?: string | null | undefined },
    budget: BudgetInput | null,
    options?: OnRecord<Tx>,
  ): Promise<MonthlyBudget>
  /**
   * Corrects the monthly usage of an agent and its workspace, or with `agentId` null of the workspace alone. Use it after a wrong report,
   * for example. The correction is its own line in the sums by day, and the reports on tasks stay. Tasks that are on hold as `budget`
   * wait for their release.
   * @throws TaskboardError `INVALID_FIELD`, including for more than the month has; `NOT_FOUND`; `CONFLICT`.
   */
  correct(
    holder: { readonly workspaceId: string; readonly agentId?: string | null | undefined },
    correction: CorrectionInput,
    options?: OnRecord<Tx> & { readonly idempotency?: IdempotencyClaim | undefined },
  ): Promise<EnteredUsage>
  /** The budget of a workspace, and the budgets of its agents. @throws TaskboardError `NOT_FOUND`. */
  budgets(
    workspaceId: string,
    page?: { readonly limit?: number | undefined; readonly cursor?: string | null | undefined },
    options?: InTransaction<Tx>,
  ): Promise<BudgetPage>
}

/** A correction of the usage of a month. Amounts are added: negative ones take back. */
export interface CorrectionInput {
  /** Default 0. */
  readonly inputTokens?: number | null | undefined
  /** Default 0. */
  readonly outputTokens?: number | null | undefined
  /** Default 0. */
  readonly cachedInputTokens?: number | null | undefined
  /** In dollars, rounded to millionths; default 0. */
  readonly costUsd?: number | null | undefined
  /** Why, for the audit: 1 to 500 characters. */
  readonly reason: string
  /** As `2026-11`; default the present month, UTC. */
  readonly month?: string | null | undefined
  /** Of the reports that were wrong, for the sums by model; default `correction`. */
  readonly model?: string | null | undefined
}

const DAY_MS = 86_400_000
const MOST_DAYS = 366
const DEFAULT_PAGE = 100
const MOST_TOKENS = 1_000_000_000_000
const MOST_USD = 1_000_000_000
const USD_RULE = `must be a number from -${MOST_USD} to ${MOST_USD}`

const tokensToAdd = wholeNumber(-MOST_TOKENS, MOST_TOKENS)
  .nullish()
  .transform((given) => given ?? 0)

/** The schema of a correction. */
export const correctionInput = z.strictObject({
  inputTokens: tokensToAdd,
  outputTokens: tokensToAdd,
  cachedInputTokens: tokensToAdd,
  costUsd: z
    .number({ error: USD_RULE })
    .min(-MOST_USD, USD_RULE)
    .max(MOST_USD, USD_RULE)
    .nullish()
    .transform((given) => given ?? 0),
  reason: textOf({ most: 500, isBlankAllowed: false }),
  month: z.string({ error: 'must be a month such as 2026-11' }).nullish(),
  model: textOf({ most: 200, isBlankAllowed: false })
    .nullish()
    .transform((given) => given ?? 'correction'),
})
const MOST_OF_A_TASK = 1_000
const LONGEST_KEY = 200

export function createUsage<Tx>(parts: {
  readonly environment: Environment
  readonly store: UsageStore<Tx>
}): Usage<Tx> {
  const { environment, store } = parts

  return {
    async sum(reach, filter, options) {
      const { groupBy, workspaceId = null, limit = DEFAULT_PAGE, cursor } = filter
      if (!usageGroups.includes(groupBy)) {
        throw invalid('groupBy', `must be one of ${usageGroups.join(', ')}`)
      }
      const days = daysOf(filter)
      requireLimit(limit)
      const afterKey = cursor == null ? null : parseKey(cursor)
      const query = { reach, workspaceId, groupBy, ...days, limit: limit + 1, afterKey }
      const found = await store.sumUsage(query, environment.call(options))
      const sums = found.slice(0, limit)
      const last = sums.at(-1)
      return { sums, nextCursor: found.length > limit && last !== undefined ? `k${last.key}` : null }
    },
    ofTask: (workspaceId, taskId, groupBy, options) =>
      store.sumUsage({ workspaceId, taskId, groupBy, limit: MOST_OF_A_TASK }, environment.call(options)),
    async ofTasks(taskIds, options) {
      if (taskIds.length === 0) return new Map()
      const sums = await store.sumUsage({ taskIds, groupBy: 'task' }, environment.call(options))
      return new Map(sums.map((sum) => [sum.key, sum]))
    },
    async setBudget({ workspaceId, agentId = null }, budget, options) {
      return store.setBudget({ workspaceId, agentId, budget: parseBudget(budget) }, environment.call(options))
    },
    async correct({ workspaceId, agentId = null }, input, options) {
      const { reason, month, model, costUsd, ...tokens } = parseInput(correctionInput, input)
      const report = { model, ...tokens, costMicros: Math.round(costUsd * microsPerUsd) || 0 }
      const correction = { reason, month: month == null ? null : monthOf(month) }
      const idempotency = options?.idempotency ?? null
      const entry = { workspaceId, agentId, report, correction, idempotency }
      return (await store.enterUsage(entry, environment.call(options))).value
    },
    async budgets(workspaceId, { limit = DEFAULT_PAGE, cursor } = {}, options) {
      requireLimit(limit)
      const afterId = cursor == null ? null : parseKey(cursor)
      const found = await store.listBudgets(
        { workspaceId, afterId, limit: limit + 1 },
        environment.call(options),
      )
      const budgets = found.slice(0, limit)
      const last = budgets.at(-1)
      return { budgets, nextCursor: found.length > limit && last ? `k${last.agentId ?? ''}` : null }
    },
  }
}

function monthOf(text: string): number {
  const ms = /^\d{4}-\d{2}$/.test(text) ? Date.parse(`${text}-01T00:00:00.000Z`) : Number.NaN
  if (!Number.isNaN(ms)) return ms
  throw invalid('month', 'must be a month such as 2026-11')
}

function daysOf({ from, to }: UsageFilter): { readonly firstDay: number; readonly lastDay: number } {
  const firstDay = dayOf('from', from)
  const lastDay = dayOf('to', to)
  if (lastDay < firstDay) throw invalid('to', 'must not be before from')
  if (lastDay - firstDay >= MOST_DAYS) throw invalid('to', `must be less than ${MOST_DAYS} days after from`)
  return { firstDay, lastDay }
}

function dayOf(field: string, text: unknown): number {
  const isDay = typeof text === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(text)
  const ms = isDay ? Date.parse(`${text}T00:00:00.000Z`) : Number.NaN
  // A day that the month does not have would be read as one of the next.
  if (isDay && !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text)) return ms / DAY_MS
  throw invalid(field, 'must be a day such as 2026-11-22')
}

/** A cursor is the last key of the page before, after a letter, because a key may be empty. */
function parseKey(cursor: string): string {
  if (
    cursor.startsWith('k') &&
    cursor.length <= LONGEST_KEY + 1 &&
    cursor.isWellFormed() &&
    !cursor.includes('\0')
  )
    return cursor.slice(1)
  throw invalid('cursor', 'must be the next_cursor of an earlier page')
}

function invalid(field: string, rule: string): TaskboardError {
  return new TaskboardError('INVALID_FIELD', `${field} ${rule}`, { field })
}
