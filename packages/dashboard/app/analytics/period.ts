import { now } from '../state/clock.js'

/** The days of the figures, as the server counts them: in UTC. */
export interface Period {
  readonly from: string
  readonly to: string
  readonly by: Grouping
}

export const groupings = ['day', 'week', 'month'] as const
export type Grouping = (typeof groupings)[number]

const DAY_MS = 86_400_000
const DEFAULT_DAYS = 30
/** The server rejects a longer period of usage. */
export const LONGEST_DAYS = 366

const isDay = (value: string | null): value is string =>
  value !== null && /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value))

const toDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

/** How many days a period has, with its first and its last one. */
export const daysOf = ({ from, to }: Pick<Period, 'from' | 'to'>): number =>
  Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1

/** The last `days` days, up to today. */
export function lastDays(days: number, nowMs = now.peek()): Pick<Period, 'from' | 'to'> {
  return { from: toDay(nowMs - (days - 1) * DAY_MS), to: toDay(nowMs) }
}

/** The period of an address: `#/analytics?from=2026-11-01&to=2026-11-30&by=day`. */
export function parsePeriod(query: URLSearchParams): Period {
  const from = query.get('from')
  const to = query.get('to')
  const by = groupings.find((one) => one === query.get('by')) ?? 'day'
  const days = isDay(from) && isDay(to) && from <= to ? { from, to } : lastDays(DEFAULT_DAYS)
  return { ...days, by }
}

/** The address of a period. */
export function periodHash({ from, to, by }: Period): string {
  return `#/analytics?${new URLSearchParams({ from, to, by }).toString()}`
}

/** Every day of a period. */
export function eachDay({ from, to }: Pick<Period, 'from' | 'to'>): readonly string[] {
  const first = Date.parse(from)
  return Array.from({ length: daysOf({ from, to }) }, (_, index) => toDay(first + index * DAY_MS))
}

const shortDay = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', timeZone: 'UTC' })
const longDay = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' })
const longMonth = new Intl.DateTimeFormat(undefined, { month: 'long', year: 'numeric', timeZone: 'UTC' })
const shortMonth = new Intl.DateTimeFormat(undefined, { month: 'short', year: '2-digit', timeZone: 'UTC' })

/** A day, or the first day of a week or month, below a plot. */
export const shortDate = (day: string, by: Grouping): string =>
  (by === 'month' ? shortMonth : shortDay).format(Date.parse(day))

/** The same, in full. */
export const longDate = (day: string, by: Grouping): string =>
  (by === 'month' ? longMonth : longDay).format(Date.parse(day))

/** The viewer's time zone, and when a day of UTC begins there. */
export function viewerZone(): { readonly name: string; readonly begins: string; readonly isUtc: boolean } {
  const midnight = new Date()
  midnight.setUTCHours(0, 0, 0, 0)
  const name = Intl.DateTimeFormat().resolvedOptions().timeZone
  const begins = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' }).format(midnight)
  return { name, begins, isUtc: midnight.getTimezoneOffset() === 0 }
}
