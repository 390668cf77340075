import { isCalendarDate } from './checklist.js'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']
const UNIT_MS: Readonly<Record<string, number>> = { hour: HOUR_MS, day: DAY_MS, week: 7 * DAY_MS }
const IN_UNITS = /^in (\d{1,3}|an?) (hour|day|week)s?$/
const ISO_TIME = /^\d{4}-\d{2}-\d{2}t\d{2}:\d{2}(?::\d{2})?(?:z|[+-]\d{2}:\d{2})$/

/**
 * The instant that a plain phrase means at `now`: `today`, `tomorrow`, a weekday (the next one, never today), `in 3 days`,
 * `2026-12-01`, or a time with `Z` or an offset. A day means its end in UTC. Null for anything else.
 */
export function parseDueDate(phrase: string, now: number): number | null {
  const text = phrase
    .trim()
    .toLowerCase()
    .replace(/^(?:on|by|next)\s+/, '')
  if (text === 'today') return endOfDay(now)
  if (text === 'tomorrow') return endOfDay(now + DAY_MS)
  const weekday = WEEKDAYS.indexOf(text)
  if (weekday >= 0) return endOfDay(now + daysUntil(weekday, now) * DAY_MS)
  const [, amount, unit] = IN_UNITS.exec(text) ?? []
  if (amount !== undefined && unit !== undefined) {
    const distanceMs = (amount.startsWith('a') ? 1 : Number(amount)) * (UNIT_MS[unit] ?? 0)
    return unit === 'hour' ? now + distanceMs : endOfDay(now + distanceMs)
  }
  if (!isCalendarDate(text.slice(0, 10))) return null
  if (text.length === 10) return endOfDay(Date.parse(text))
  const at = ISO_TIME.test(text) ? Date.parse(text.toUpperCase()) : Number.NaN
  return Number.isNaN(at) ? null : at
}

function endOfDay(at: number): number {
  return Math.floor(at / DAY_MS) * DAY_MS + DAY_MS - 1
}

/** 1 to 7. */
function daysUntil(weekday: number, now: number): number {
  return ((weekday - new Date(now).getUTCDay() + 6) % 7) + 1
}
