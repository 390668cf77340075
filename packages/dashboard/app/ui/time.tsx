import { now } from '../state/clock.js'
import { formatExact, formatRelative } from '../texts/format.js'

/** A time relative to now, with the exact one in the viewer's zone on hover. */
export function Time({ at }: { readonly at: string }) {
  const timeMs = Date.parse(at)
  return (
    <time dateTime={at} title={formatExact(timeMs)}>
      {formatRelative(timeMs, now.value)}
    </time>
  )
}

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
