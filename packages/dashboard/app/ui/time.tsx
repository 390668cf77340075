import { signal } from '@preact/signals'

/** The time of the shown ages: it moves every ten seconds while the page is visible. */
export const now = signal(Date.now())
const TICK_MS = 10_000
/** A clock that is wrong by less is not noticed; the header has whole seconds, and the answer took some time. */
const NOTICED_MS = 60_000
let aheadMs = 0
setInterval(() => {
  if (document.visibilityState === 'visible') now.value = Date.now() - aheadMs
}, TICK_MS)

/** Shows ages by the server's clock, by the `Date` of an answer, where this computer's is wrong. */
export function alignClock(date: string | null): void {
  const ahead = Date.now() - Date.parse(date ?? '')
  aheadMs = Math.abs(ahead) > NOTICED_MS ? ahead : 0
  now.value = Date.now() - aheadMs
}

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

function relativeTo(nowMs: number, timeMs: number): string {
  const distance = timeMs - nowMs
  if (Math.abs(distance) < NEAR_MS) return relative.format(0, 'second')
  const [unit, size] =
    units.find(([, ms, from = 1]) => Math.abs(distance) >= ms * from * ROUNDED_UP) ?? minute
  return (unit === 'day' ? relative : counted).format(Math.round(distance / size), unit)
}

/** A time in full, in the viewer's zone. */
export const formatExact = (timeMs: number): string => exact.format(timeMs)

/** A time relative to now, with the exact one in the viewer's zone on hover. */
export function Time({ at }: { readonly at: string }) {
  const timeMs = Date.parse(at)
  return (
    <time dateTime={at} title={exact.format(timeMs)}>
      {relativeTo(now.value, timeMs)}
    </time>
  )
}

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

/** The value of an `<input type="datetime-local">` for a time of the wire. */
export function toLocalInput(at: string | null): string {
  if (at === null) return ''
  const time = new Date(at)
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

/** The time of the wire for the value of an `<input type="datetime-local">`; null when empty. */
export function fromLocalInput(value: string): string | null {
  return value === '' ? null : new Date(value).toISOString()
}
