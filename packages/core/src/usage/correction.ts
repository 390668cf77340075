import type { Instant } from '../environment/index.js'
import { TaskboardError } from '../errors/index.js'
import { monthStart } from '../limits/index.js'
import { nextMonthStart } from './budget.js'
import type { UsageAmounts } from './usage.js'
import type { UsageEntry } from './usage-store.js'

const DAY_MS = 86_400_000
const amounts = ['inputTokens', 'outputTokens', 'cachedInputTokens', 'costMicros'] as const

/** The usage of a month before a correction: of the workspace, and of the agent unless there is none. */
export type MonthSums = readonly UsageAmounts[]

/**
 * The day on which an entry counts, since the first of January 1970, and the first and the last day of its month.
 * @throws TaskboardError `INVALID_FIELD` (`month`) for a month that hasn't begun.
 * @example
 * ```ts
 * import { entryDay } from '@taskboard/core/storage'
 *
 * const correction = { reason: 'reported twice', month: Date.UTC(1970, 0) }
 * console.log(entryDay({ correction }, Date.UTC(1970, 2, 5)).day) // 30
 * ```
 */
export function entryDay(
  { correction }: Pick<UsageEntry, 'correction'>,
  now: Instant,
): { readonly day: number; readonly month: Instant; readonly firstDay: number; readonly lastDay: number } {
  const present = monthStart(now)
  const month = correction?.month ?? present
  if (month > present) {
    throw new TaskboardError('INVALID_FIELD', 'month must not be in the future', { field: 'month' })
  }
  const lastDay = nextMonthStart(month) / DAY_MS - 1
  const day = month === present ? Math.floor(now / DAY_MS) : lastDay
  return { day, month, firstDay: month / DAY_MS, lastDay }
}

/**
 * Rejects a correction that takes back more than a month had.
 * @throws TaskboardError `INVALID_FIELD`, naming the amount.
 * @example
 * ```ts
 * import { noUsage, requireCorrectable } from '@taskboard/core/storage'
 *
 * const had = { ...noUsage, costMicros: 5 }
 * requireCorrectable({ ...noUsage, costMicros: -5 }, [had])
 * ```
 */
export function requireCorrectable(taken: UsageAmounts, sums: MonthSums): void {
  for (const amount of amounts) {
    if (taken[amount] >= 0 || sums.every((had) => had[amount] + taken[amount] >= 0)) continue
    const field = amount === 'costMicros' ? 'costUsd' : amount
    throw new TaskboardError('INVALID_FIELD', `${field} must take back no more than the month has`, { field })
  }
}
