import type { Instant } from '@taskboard/core'

/** A due date as it was written: a day, which may be named, and a time of the day. */
export interface Due {
  readonly day:
    | 'today'
    | 'tomorrow'
    | Weekday
    | { readonly year: number; readonly month: number; readonly day: number }
  /** Minutes after midnight; null for the end of the day. */
  readonly minutes: number | null
}

const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const
type Weekday = (typeof weekdays)[number]

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
const END_OF_DAY = 23 * 60 + 59
const DATE = /^(\d{4})-(\d{2})-(\d{2})$/
const TIME = /^(\d{1,2}):(\d{2})$/

/** `<today|tomorrow|weekday|YYYY-MM-DD> [HH:MM]`; null for anything else. */
export function readDue(text: string): Due | null {
  const [dayText = '', timeText, ...others] = text.toLowerCase().split(/\s+/)
  const day = readDay(dayText)
  if (day === null || others.length > 0) return null
  if (timeText === undefined) return { day, minutes: null }
  const [, hours, minutes] = TIME.exec(timeText) ?? []
  if (hours === undefined || Number(hours) > 23 || Number(minutes) > 59) return null
  return { day, minutes: Number(hours) * 60 + Number(minutes) }
}

function readDay(text: string): Due['day'] | null {
  if (text === 'today' || text === 'tomorrow') return text
  const weekday = weekdays.find((name) => name === text || (text.length === 3 && name.startsWith(text)))
  if (weekday !== undefined) return weekday
  const [, year, month, day] = DATE.exec(text)?.map(Number) ?? []
  if (year === undefined || month === undefined || day === undefined) return null
  const date = new Date(Date.UTC(year, month - 1, day))
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? { year, month, day } : null
}

/** The instant that is meant, at `now`, in a time zone. A named weekday is the next one, never today. */
export function dueAt({ day, minutes }: Due, now: Instant, timeZone: string): Instant {
  const today = startOfLocalDay(now, timeZone)
  const local = localDay(day, today) + (minutes ?? END_OF_DAY) * MINUTE_MS
  return toInstant(local, timeZone)
}

/** As if the zone were UTC, as all local times here are. */
function localDay(day: Due['day'], today: number): number {
  if (typeof day === 'object') return Date.UTC(day.year, day.month - 1, day.day)
  if (day === 'today') return today
  if (day === 'tomorrow') return today + DAY_MS
  const ahead = (weekdays.indexOf(day) - new Date(today).getUTCDay() + 7) % 7
  return today + (ahead === 0 ? 7 : ahead) * DAY_MS
}

function startOfLocalDay(now: Instant, timeZone: string): number {
  const local = toLocal(now, timeZone)
  return local - (local % DAY_MS)
}

function toLocal(at: Instant, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(at)
  const of = (type: string): number => Number(parts.find((part) => part.type === type)?.value)
  return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'))
}

/** The first instant at which clocks in the zone show a local time; of one that they skip, as much later. */
function toInstant(local: number, timeZone: string): Instant {
  const first = local - (toLocal(local, timeZone) - local)
  return first - (toLocal(first, timeZone) - local)
}
