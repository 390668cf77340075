import type { Instant } from '../environment/index.js'
import { dayOf, type Day } from './analytics-store.js'

/** The groupings of figures: days of UTC, weeks from Monday on (ISO 8601), months. */
export const groupings = ['day', 'week', 'month'] as const
export type Grouping = (typeof groupings)[number]

const DAY_MS = 86_400_000
const DATE = /^\d{4}-\d{2}-\d{2}$/

/** The first instant of a day. */
export function startOf(day: Day): Instant {
  return day * DAY_MS
}

/** A date as `YYYY-MM-DD`. */
export function dateOf(day: Day): string {
  return new Date(startOf(day)).toISOString().slice(0, 10)
}

/** The day of a date; null for text that is not a date of the calendar. */
export function parseDate(text: string): Day | null {
  if (!DATE.test(text)) return null
  const instant = Date.parse(`${text}T00:00:00.000Z`)
  if (Number.isNaN(instant)) return null
  const day = dayOf(instant)
  return dateOf(day) === text ? day : null
}

/** The first day of a day's group. */
export function firstDayOf(day: Day, grouping: Grouping): Day {
  if (grouping === 'day') return day
  const date = new Date(startOf(day))
  return grouping === 'week' ? day - ((date.getUTCDay() + 6) % 7) : day - (date.getUTCDate() - 1)
}
