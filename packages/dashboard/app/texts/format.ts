const units: readonly (readonly [Intl.RelativeTimeFormatUnit, number, number?])[] = [
  ['year', 31_557_600_000],
  ['month', 2_629_800_000],
  // "in 9 days" says more than "in 1 wk".
  ['week', 604_800_000, 2],
  ['day', 86_400_000],
  ['hour', 3_600_000],
]
const minute = ['minute', 60_000] as const
const NEAR_MS = 45_000
/** From this share of a unit on, a time is one of it. */
const ROUNDED_UP = 0.95

/** "yesterday" and "now", but not "next wk". */
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'short' })
const counted = new Intl.RelativeTimeFormat(undefined, { style: 'short' })
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' })
const duration = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 })

/** A time as people say it at another one: `in 3 hours`. */
export function formatRelative(timeMs: number, nowMs: number): string {
  const distance = timeMs - nowMs
  if (Math.abs(distance) < NEAR_MS) return relative.format(0, 'second')
  const [unit, size] =
    units.find(([, ms, from = 1]) => Math.abs(distance) >= ms * from * ROUNDED_UP) ?? minute
  return (unit === 'day' ? relative : counted).format(Math.round(distance / size), unit)
}

/** A time in full, in the viewer's zone. */
export const formatExact = (timeMs: number): string => exact.format(timeMs)

/** A length of time: `1.5 h`. */
export function formatSeconds(seconds: number): string {
  if (seconds < 60) return `${duration.format(seconds)} s`
  if (seconds < 3_600) return `${duration.format(seconds / 60)} min`
  return `${duration.format(seconds / 3_600)} h`
}

const dollars = new Intl.NumberFormat(undefined, {
  style: 'currency',
  currency: 'USD',
  maximumFractionDigits: 4,
})
const whole = new Intl.NumberFormat()

export const formatCost = (usd: number): string => dollars.format(usd)
export const formatCount = (count: number): string => whole.format(count)

const percent = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 0 })

/** A share as people write it: `87 %`. */
export const formatShare = (share: number): string => percent.format(share)
