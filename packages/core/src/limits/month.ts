import type { Instant } from '../environment/index.js'

/** The start of an instant's calendar month, UTC. */
export function monthStart(at: Instant): Instant {
  const date = new Date(at)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth())
}

/** The start of the calendar month after an instant's, UTC. */
export function nextMonthStart(at: Instant): Instant {
  const date = new Date(at)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
}
