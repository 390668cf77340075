import type { Instant } from '../environment/index.js'

/**
 * The start of an instant's calendar month, UTC.
 * @example
 * ```ts
 * import { monthStart } from '@taskboard/core/storage'
 *
 * console.log(monthStart(Date.UTC(2026, 1, 14)) === Date.UTC(2026, 1)) // true
 * ```
 */
export function monthStart(at: Instant): Instant {
  const date = new Date(at)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth())
}

/** The start of the calendar month after an instant's, UTC. */
export function nextMonthStart(at: Instant): Instant {
  const date = new Date(at)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
}
