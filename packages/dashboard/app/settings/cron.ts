import { sectionsText } from '../texts/sections.js'

/** Expressions that people choose by name. */
export const presets = {
  hourly: '0 * * * *',
  daily: '0 9 * * *',
  weekdays: '0 9 * * 1-5',
  weekly: '0 9 * * 1',
  monthly: '0 9 1 * *',
} as const
export type Preset = keyof typeof presets | 'custom'

const names = Object.keys(presets) as (keyof typeof presets)[]

/** The choices, with their texts. */
export const presetOptions: readonly (readonly [Preset, string])[] = [...names, 'custom' as const].map(
  (preset) => [preset, sectionsText.schedules.presets[preset]] as const,
)

/** The name of an expression, or `custom`. */
export function presetOf(cron: string): Preset {
  return names.find((name) => presets[name] === cron.trim()) ?? 'custom'
}

// The first of these is a Sunday.
const someWeek = Date.UTC(2023, 0, 1)
const DAY_MS = 86_400_000
const weekday = new Intl.DateTimeFormat(undefined, { weekday: 'long', timeZone: 'UTC' })

function describeDays(days: string): string | null {
  const { everyDay, weekdays, everyWeek } = sectionsText.schedules.days
  if (days === '*') return everyDay
  if (days === '1-5') return weekdays
  return /^[0-7]$/.test(days) ? everyWeek(weekday.format(someWeek + Number(days) * DAY_MS)) : null
}

/** An expression as people say it, or as it is when it isn't a plain one. */
export function describeCron(cron: string): string {
  const preset = presetOf(cron)
  if (preset !== 'custom') return sectionsText.schedules.presets[preset]
  const [, minute = '', hour = '', days = ''] = /^(\d{1,2}) (\d{1,2}) \* \* (\S+)$/.exec(cron) ?? []
  const when = describeDays(days)
  return when === null ? cron : sectionsText.schedules.days.at(when, `${hour}:${minute.padStart(2, '0')}`)
}

/** The time zones that the browser knows. */
export function timeZones(current: string): readonly string[] {
  const zones = Intl.supportedValuesOf('timeZone')
  return [...new Set([current, 'UTC', ...zones])]
}

/** A time in the zone of a schedule, such as `Monday, 23 November 2026 at 9:00 CET`. */
export function formatInZone(at: string, timeZone: string): string {
  const options = {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    timeZoneName: 'short',
  } as const
  try {
    return new Intl.DateTimeFormat(undefined, { ...options, timeZone }).format(Date.parse(at))
  } catch {
    // A zone that this browser does not know.
    return new Intl.DateTimeFormat(undefined, options).format(Date.parse(at))
  }
}
