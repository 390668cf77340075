import type { Instant } from '../environment/index.js'

/** How much an account may ask for. Null: as much as it likes. */
export interface TierRates {
  /** In each hour that begins on the hour, UTC. */
  readonly perHour: number | null
  /** In any rolling minute. */
  readonly perMinute: number | null
}

export interface TierDecision {
  readonly allowed: boolean
  /** The fixed hour; null when it is not limited. `remaining` is at least 0, `resetAt` its end. */
  readonly hour: { readonly limit: number; readonly remaining: number; readonly resetAt: Instant } | null
  /** The rolling minute; null when it is not limited. */
  readonly minute: { readonly limit: number; readonly remaining: number } | null
  /** 0 when allowed; else the exact wait after which a request passes if no other comes first. */
  readonly retryAfterMs: number
}

/** What was admitted for one key. It belongs to whoever made it and is changed in place. */
export interface TierWindow {
  /** The start of the hour that the newest admission is in. */
  hour: Instant
  hourUsed: number
  /** The seconds with admissions that the minute may still reach back to, rising, as whole seconds since the epoch. */
  readonly seconds: number[]
  /** How many were admitted in each of them. */
  readonly counts: number[]
}

/** How much is used at some instant, and when that becomes less. */
export interface TierUsage {
  readonly hourUsed: number
  readonly hourEndsAt: Instant
  readonly minuteUsed: number
  /** When enough has left the minute for one more; of no meaning while it has room. */
  readonly minuteFreeAt: Instant
}

const SECOND_MS = 1_000
const HOUR_MS = 3_600_000
/**
 * A second counts until its end has left the minute: a minute and a second after its start. So 61 of them count at any time,
 * and no minute, wherever it begins, holds more than they do.
 */
export const secondCountsMs = 61_000
const SECONDS_COUNTED = secondCountsMs / SECOND_MS

/** A window without admissions. */
export function emptyTierWindow(): TierWindow {
  return { hour: -Infinity, hourUsed: 0, seconds: [], counts: [] }
}

/**
 * Admits a request at `now` when the hour and the minute both have room, and counts it in both; a refusal counts in neither.
 * A `now` before the newest admission shows that the clock has stepped back. The admissions of the minute then move back with
 * it, so that a step admits nothing extra in any minute, and what counted in a later hour counts in the present one, so that the
 * wait ends with that hour: no wait is longer than an hour, nor one for the minute than 61 s. The limits may change between calls.
 */
export function takeFromTierWindow(window: TierWindow, limits: TierRates, now: Instant): TierDecision {
  followBack(window, now)
  const { perHour, perMinute } = limits
  const before = usageAt(window, perMinute, now)
  const allowed = before.hourUsed < (perHour ?? Infinity) && before.minuteUsed < (perMinute ?? Infinity)
  if (!allowed) return toTierDecision(limits, before, { allowed, now })
  admit(window, now)
  const { hourUsed, minuteUsed } = before
  const after = { ...before, hourUsed: hourUsed + 1, minuteUsed: minuteUsed + 1 }
  return toTierDecision(limits, after, { allowed, now })
}

/** When nothing of a window counts any more, in the hour or in the minute: it can be dropped then. */
export function tierWindowIdleAt({ hour, seconds }: TierWindow): Instant {
  return Math.max(hour + HOUR_MS, (seconds.at(-1) ?? -Infinity) * SECOND_MS + secondCountsMs)
}

/** What is told of a decision, given the usage after it. A refusal waits at least a millisecond, however late it is told. */
export function toTierDecision(
  { perHour, perMinute }: TierRates,
  { hourUsed, hourEndsAt, minuteUsed, minuteFreeAt }: TierUsage,
  { allowed, now }: { readonly allowed: boolean; readonly now: Instant },
): TierDecision {
  const hourLeft = perHour === null ? Infinity : Math.max(0, perHour - hourUsed)
  const minuteLeft = perMinute === null ? Infinity : Math.max(0, perMinute - minuteUsed)
  const passesAt = Math.max(hourLeft === 0 ? hourEndsAt : now, minuteLeft === 0 ? minuteFreeAt : now)
  return {
    allowed,
    hour: perHour === null ? null : { limit: perHour, remaining: hourLeft, resetAt: hourEndsAt },
    minute: perMinute === null ? null : { limit: perMinute, remaining: minuteLeft },
    retryAfterMs: allowed ? 0 : Math.max(1, passesAt - now),
  }
}

/**
 * Moves what was admitted after `now` back to it. How far the clock has stepped is known to the second: at least from the newest
 * second's start to `now`'s end. That far all seconds move, and those that are then still ahead count as of `now`.
 */
function followBack(window: TierWindow, now: Instant): void {
  const { seconds, counts } = window
  window.hour = Math.min(window.hour, Math.floor(now / HOUR_MS) * HOUR_MS)
  const present = Math.floor(now / SECOND_MS)
  const ahead = (seconds.at(-1) ?? -Infinity) - present
  if (ahead <= 0) return
  for (const [index, second] of seconds.entries()) seconds[index] = Math.min(second - ahead + 1, present)
  if (seconds.at(-2) !== present) return
  seconds.pop()
  counts[counts.length - 2] = (counts.at(-2) as number) + (counts.pop() as number)
}

function usageAt(
  { hour, hourUsed, seconds, counts }: TierWindow,
  perMinute: number | null,
  present: Instant,
) {
  const presentHour = Math.floor(present / HOUR_MS) * HOUR_MS
  const oldest = Math.floor(present / SECOND_MS) - SECONDS_COUNTED + 1
  let minuteUsed = 0
  let minuteFreeAt = present
  // From the newest back: the second with which the limit is reached is the one whose leaving makes room.
  for (let index = seconds.length - 1; index >= 0 && (seconds[index] as number) >= oldest; index--) {
    const hadRoom = minuteUsed < (perMinute ?? Infinity)
    minuteUsed += counts[index] as number
    const isFull = minuteUsed >= (perMinute ?? Infinity)
    if (hadRoom && isFull) minuteFreeAt = (seconds[index] as number) * SECOND_MS + secondCountsMs
  }
  return {
    hourUsed: presentHour > hour ? 0 : hourUsed,
    hourEndsAt: presentHour + HOUR_MS,
    minuteUsed,
    minuteFreeAt,
  }
}

function admit(window: TierWindow, present: Instant): void {
  const { seconds, counts } = window
  const hour = Math.floor(present / HOUR_MS) * HOUR_MS
  const second = Math.floor(present / SECOND_MS)
  let gone = 0
  while (gone < seconds.length && (seconds[gone] as number) <= second - SECONDS_COUNTED) gone += 1
  if (gone > 0) {
    seconds.splice(0, gone)
    counts.splice(0, gone)
  }
  window.hourUsed = hour > window.hour ? 1 : window.hourUsed + 1
  window.hour = hour
  const last = seconds.length - 1
  if (seconds[last] === second) counts[last] = (counts[last] as number) + 1
  else {
    seconds.push(second)
    counts.push(1)
  }
}
