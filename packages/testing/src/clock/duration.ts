/** A span of time as the sum of its parts; a plain number is milliseconds. */
export type Duration =
  | number
  | {
      readonly days?: number
      readonly hours?: number
      readonly minutes?: number
      readonly seconds?: number
      readonly ms?: number
    }

const MS_PER_SECOND = 1_000
const MS_PER_MINUTE = 60 * MS_PER_SECOND
const MS_PER_HOUR = 60 * MS_PER_MINUTE
const MS_PER_DAY = 24 * MS_PER_HOUR

/**
 * The whole milliseconds of `duration`.
 * @throws RangeError when it is negative, not a number or infinite.
 */
export function durationMs(duration: Duration): number {
  const totalMs = Math.round(typeof duration === 'number' ? duration : sumOfParts(duration))
  if (Number.isFinite(totalMs) && totalMs >= 0) return totalMs
  throw new RangeError('a duration must be a finite number of milliseconds, zero or more')
}

function sumOfParts(parts: Exclude<Duration, number>): number {
  const { days = 0, hours = 0, minutes = 0, seconds = 0, ms = 0 } = parts
  return days * MS_PER_DAY + hours * MS_PER_HOUR + minutes * MS_PER_MINUTE + seconds * MS_PER_SECOND + ms
}

/**
 * The instant of a `Date`, an ISO 8601 text or a number of milliseconds since the epoch.
 * @throws RangeError when it is none of these.
 */
export function toInstant(value: Date | number | string): number {
  const instant = Math.round(typeof value === 'number' ? value : new Date(value).getTime())
  if (Number.isFinite(instant)) return instant
  throw new RangeError('an instant must be a Date, an ISO 8601 text or milliseconds since the epoch')
}
