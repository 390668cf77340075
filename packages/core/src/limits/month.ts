import type { Instant } from '../environment/index.js'

/** When the calendar month of an instant began, UTC. */
export function monthStart(at: Instant): Instant {
  const date = new Date(at)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth())
}

/** When the calendar month after that of an instant begins, UTC. */
export function nextMonthStart(at: Instant): Instant {
  const date = new Date(at)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
}
