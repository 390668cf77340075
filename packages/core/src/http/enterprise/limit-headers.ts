import type { TierDecision } from '../../limits/index.js'

const SECOND_MS = 1_000
const NONE: Readonly<Record<string, string>> = Object.freeze({})

/**
 * The headers for an account's limits, in whole numbers: the limit and the remaining requests of the hour, its end in epoch seconds,
 * and the same for the minute. Absent for an interval without a limit. `Retry-After` comes with the error.
 */
export function limitHeaders(decision: TierDecision | null): Readonly<Record<string, string>> {
  if (decision === null) return NONE
  const { hour, minute } = decision
  const headers: Record<string, string> = {}
  if (hour !== null) {
    headers['x-ratelimit-limit'] = String(hour.limit)
    headers['x-ratelimit-remaining'] = String(hour.remaining)
    headers['x-ratelimit-reset'] = String(Math.ceil(hour.resetAt / SECOND_MS))
  }
  if (minute !== null) {
    headers['x-ratelimit-burst'] = String(minute.limit)
    headers['x-ratelimit-burst-remaining'] = String(minute.remaining)
  }
  return headers
}
