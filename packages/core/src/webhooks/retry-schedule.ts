import type { Instant } from '../environment/index.js'
import { TaskboardError } from '../errors/index.js'

/** How long a delivery waits before each retry. */
export interface RetrySchedule {
  /** The wait after each failed attempt, in whole milliseconds. There is one attempt more than entries. */
  readonly delaysMs: readonly number[]
  /** The largest part of a wait that is added at random, so that failed deliveries don't all retry at the same time. 0 to 1. */
  readonly jitterFraction: number
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const LONGEST_DELAY_MS = 30 * 24 * HOUR_MS
const MOST_RETRIES = 50

/** The default retries: 1 min, 5 min, 30 min, 2 h and 12 h, each longer by up to a tenth. */
export const defaultRetrySchedule: RetrySchedule = {
  delaysMs: [MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 12 * HOUR_MS],
  jitterFraction: 0.1,
}

/**
 * When to retry after a failed attempt; null when that was the last one. Pure.
 *
 * `attemptCount` counts the attempts made, including the failed one (1 after the first). The wait starts at `endedAt`, the end
 * of that attempt. `jitter` is a draw from [0, 1]: 0 waits exactly the scheduled time, 1 the longest.
 * @throws TaskboardError `INVALID_FIELD` for a count below 1 or a draw outside of [0, 1].
 * @example
 * ```ts
 * import { nextAttemptAt } from '@taskboard/core'
 *
 * const endedAt = Date.UTC(2026, 0, 15)
 * const retryAt = nextAttemptAt({ attemptCount: 2, endedAt, jitter: Math.random() })
 * console.log(retryAt !== null && retryAt >= endedAt + 300_000) // true
 * console.log(nextAttemptAt({ attemptCount: 6, endedAt, jitter: 0 })) // null
 * ```
 */
export function nextAttemptAt(
  failed: { readonly attemptCount: number; readonly endedAt: Instant; readonly jitter: number },
  schedule: RetrySchedule = defaultRetrySchedule,
): Instant | null {
  const delayMs = retryDelayMs(failed.attemptCount, failed.jitter, schedule)
  return delayMs === null ? null : failed.endedAt + delayMs
}

/** How long to wait after the end of a failed attempt: `nextAttemptAt` without an instant. */
export function retryDelayMs(attemptCount: number, jitter: number, schedule: RetrySchedule): number | null {
  if (!Number.isInteger(attemptCount) || attemptCount < 1) {
    throw new TaskboardError('INVALID_FIELD', 'attemptCount must be a whole number from 1', {
      field: 'attemptCount',
    })
  }
  if (!(jitter >= 0 && jitter <= 1)) {
    throw new TaskboardError('INVALID_FIELD', 'jitter must be from 0 to 1', { field: 'jitter' })
  }
  const delayMs = schedule.delaysMs[attemptCount - 1]
  if (delayMs === undefined) return null
  return Math.round(delayMs * (1 + schedule.jitterFraction * jitter))
}

/**
 * A schedule. By default, the values of `defaultRetrySchedule`.
 * @throws TaskboardError `INVALID_CONFIG` for more than 50 retries, or a delay that isn't a whole number of milliseconds up to 30 days.
 * Including for a jitter outside of [0, 1].
 * @example
 * ```ts
 * import { createRetrySchedule, nextAttemptAt } from '@taskboard/core'
 *
 * const schedule = createRetrySchedule({ delaysMs: [1_000, 30_000] })
 * const endedAt = Date.UTC(2026, 0, 15)
 * console.log(nextAttemptAt({ attemptCount: 1, endedAt, jitter: 0 }, schedule) === endedAt + 1_000) // true
 * console.log(nextAttemptAt({ attemptCount: 3, endedAt, jitter: 0 }, schedule)) // null
 * ```
 */
export function createRetrySchedule(options: {
  readonly delaysMs?: readonly number[] | undefined
  readonly jitterFraction?: number | undefined
}): RetrySchedule {
  const delaysMs = options.delaysMs ?? defaultRetrySchedule.delaysMs
  const jitterFraction = options.jitterFraction ?? defaultRetrySchedule.jitterFraction
  const usable = delaysMs.every(
    (delayMs) => Number.isInteger(delayMs) && delayMs >= 0 && delayMs <= LONGEST_DELAY_MS,
  )
  if (!usable || delaysMs.length > MOST_RETRIES) {
    throw new TaskboardError(
      'INVALID_CONFIG',
      'webhook retry delays must be whole milliseconds up to 30 days, at most 50',
      {
        field: 'retryDelaysMs',
      },
    )
  }
  if (!(jitterFraction >= 0 && jitterFraction <= 1)) {
    throw new TaskboardError('INVALID_CONFIG', 'the webhook retry jitter must be from 0 to 1', {
      field: 'retryJitter',
    })
  }
  return { delaysMs: [...delaysMs], jitterFraction }
}
