import type { Instant } from '../environment/index.js'
import { pathText, TaskboardError } from '../errors/index.js'
import { microsPerUsd, type UsageAmounts } from './usage.js'

/** How much may be spent: at least one of the two is a number. */
export interface Budget {
  /** Input and output together; null for any number. */
  readonly tokens: number | null
  /** In dollars, with at most six decimals; null for any cost. */
  readonly costUsd: number | null
}

/** A budget as callers give it. */
export interface BudgetInput {
  /** 1 or more. */
  readonly tokens?: number | null | undefined
  /** At least 0.000001 and at most 1,000,000,000; rounded to millionths. */
  readonly costUsd?: number | null | undefined
}

/** The spent budget: the task's, or the monthly budget of its agent or workspace. */
export const budgetHolders = ['task', 'agent', 'workspace'] as const
export type BudgetHolder = (typeof budgetHolders)[number]

const MOST_USD = 1_000_000_000

/**
 * Validates a budget, whatever it contains; null and undefined are none. The texts of errors are right on the wire too, where members have
 * other names.
 * @throws TaskboardError `INVALID_FIELD` (`budget`).
 */
export function parseBudget(value: unknown): Budget | null {
  if (value == null) return null
  if (typeof value !== 'object' || Array.isArray(value)) throw invalid('budget must be an object')
  for (const name of Object.keys(value)) {
    if (name !== 'tokens' && name !== 'costUsd')
      throw invalid(`${pathText(['budget', name])} is not a known field`)
  }
  const { tokens = null, costUsd = null } = value as Readonly<Record<string, unknown>>
  if (tokens === null && costUsd === null) throw invalid('budget must have tokens or a cost')
  if (tokens !== null && !(typeof tokens === 'number' && Number.isSafeInteger(tokens) && tokens >= 1))
    throw invalid('budget.tokens must be a whole number from 1')
  return { tokens, costUsd: costUsd === null ? null : parseUsd(costUsd) }
}

function parseUsd(value: unknown): number {
  const micros = typeof value === 'number' ? Math.round(value * microsPerUsd) : Number.NaN
  if (micros >= 1 && micros <= MOST_USD * microsPerUsd) return micros / microsPerUsd
  throw invalid(`budget must have a cost from 0.000001 to ${MOST_USD} dollars`)
}

function invalid(rule: string): TaskboardError {
  return new TaskboardError('INVALID_FIELD', rule, { field: 'budget' })
}

/**
 * Rejects a budget of a task that is more than the one before, in tokens or in dollars; null is any amount.
 * @throws TaskboardError `FORBIDDEN`.
 * @example
 * ```ts
 * import { requireNoMore } from '@taskboard/core/storage'
 *
 * requireNoMore({ tokens: 500, costUsd: 1 }, { tokens: 1_000, costUsd: null })
 * ```
 */
export function requireNoMore(after: Budget | null, before: Budget | null): void {
  const isMore = (name: keyof Budget): boolean => (after?.[name] ?? Infinity) > (before?.[name] ?? Infinity)
  if (!isMore('tokens') && !isMore('costUsd')) return
  const rule = 'raising or removing the budget of a task requires the scope account:write'
  throw new TaskboardError('FORBIDDEN', rule, { field: 'budget' })
}

/** What was spent: the tokens and cost of reports. */
export type Spending = Pick<UsageAmounts, 'inputTokens' | 'outputTokens' | 'costMicros'>

/**
 * Whether nothing is left of a budget. Null, which isn't a budget, is never spent.
 * @example
 * ```ts
 * import { isBudgetSpent } from '@taskboard/core/storage'
 *
 * const spending = { inputTokens: 900, outputTokens: 100, costMicros: 2_000 }
 * console.log(isBudgetSpent({ tokens: 1_000, costUsd: null }, spending)) // true
 * console.log(isBudgetSpent({ tokens: null, costUsd: 0.5 }, spending)) // false
 * ```
 */
export function isBudgetSpent(budget: Budget | null, spending: Spending): boolean {
  if (budget === null) return false
  const { tokens, costUsd } = budget
  const { inputTokens, outputTokens, costMicros } = spending
  if (tokens !== null && inputTokens + outputTokens >= tokens) return true
  return costUsd !== null && costMicros >= Math.round(costUsd * microsPerUsd)
}

/**
 * The start of the next month, UTC: until then, an agent or a workspace whose budget is spent takes no tasks.
 * @example
 * ```ts
 * import { nextMonthStart } from '@taskboard/core/storage'
 *
 * console.log(nextMonthStart(Date.UTC(2026, 11, 14)) === Date.UTC(2027, 0)) // true
 * ```
 */
export function nextMonthStart(at: Instant): Instant {
  const date = new Date(at)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
}
