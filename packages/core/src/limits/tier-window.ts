import type { Instant } from '../environment/index.js'

/** The request limits of an account. Null: unlimited. */
export interface TierRates {
  /** In each hour that starts on the hour, UTC. */
  readonly perHour: number | null
  /** In any rolling minute. */
  readonly perMinute: number | null
}

export interface TierDecision {
  readonly allowed: boolean
  /** The fixed hour; null without a limit. `remaining` is at least 0, `resetAt` is the end of the hour. */
  readonly hour: { readonly limit: number; readonly remaining: number; readonly resetAt: Instant } | null
  /** The rolling minute; null without a limit. */
  readonly minute: { readonly limit: number; readonly remaining: number } | null
  /** 0 when allowed; else the exact wait after which a request passes if no other comes first. */
  readonly retryAfterMs: number
}

/** The admissions of one key. Its creator owns it; it is changed in place. */
export interface TierWindow {
  /** The start of the hour of the newest admission. */
  hour: Instant
  hourUsed: number
  /** The seconds with admissions that the minute can still include, ascending, as whole seconds since the epoch. */
  readonly seconds: number[]
  /** The number of admissions in each of them. */
  readonly counts: number[]
}

/** The usage at an instant, and when it decreases. */
export interface TierUsage {
  readonly hourUsed: number
  readonly hourEndsAt: Instant
  readonly minuteUsed: number
  /** When the minute has room for one more; meaningless while it has room. */
  readonly minuteFreeAt: Instant
}

const SECOND_MS = 1_000
const HOUR_MS = 3_600_000
/**
 * A second counts until its end has left the minute: a minute and a second after its start. So 61 seconds count at any time, and
 * no minute, wherever it begins, has more admissions than they do.
 */
export const secondCountsMs = 61_000
const SECONDS_COUNTED = secondCountsMs / SECOND_MS

/**
 * A window without admissions.
 * @example
 * ```ts
 * import { emptyTierWindow, takeFromTierWindow } from '@taskboard/core/storage'
 *
 * const { minute } = takeFromTierWindow(emptyTierWindow(), { perHour: null, perMinute: 10 }, Date.now())
 * console.log(minute) // { limit: 10, remaining: 9 }
 * ```
 */
export function emptyTierWindow(): TierWindow {
  return { hour: -Infinity, hourUsed: 0, seconds: [], counts: [] }
}

/**
 * Admits a request at `now` when the hour and the minute both have room, and counts it in both; a rejection counts in neither. A `now`
 * before the newest admission shows that the clock has stepped back. The minute's admissions then move back with it, so that a step admits
 * nothing extra in any minute. The count of a later hour moves to the current one, so that the wait ends with it. No wait is longer than an
 * hour, and none for the minute is longer than 61 s. The limits may change between calls.
 * @example
 * ```ts
 * import { emptyTierWindow, takeFromTierWindow } from '@taskboard/core/storage'
 *
 * const window = emptyTierWindow()
 * const rates = { perHour: 1, perMinute: null }
 * takeFromTierWindow(window, rates, 0)
 * const { allowed, retryAfterMs } = takeFromTierWindow(window, rates, 1_800_000)
 * console.log(allowed, retryAfterMs) // false 1800000
 * ```
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

/**
 * When nothing in a window counts any more, in the hour or in the minute, so that it can be discarded.
 * @example
 * ```ts
 * import { emptyTierWindow, takeFromTierWindow, tierWindowIdleAt } from '@taskboard/core/storage'
 *
 * const window = emptyTierWindow()
 * takeFromTierWindow(window, { perHour: 1_000, perMinute: 100 }, 0)
 * console.log(tierWindowIdleAt(window)) // 3600000
 * ```
 */
export function tierWindowIdleAt({ hour, seconds }: TierWindow): Instant {
  return Math.max(hour + HOUR_MS, (seconds.at(-1) ?? -Infinity) * SECOND_MS + secondCountsMs)
}

/**
 * The result of a decision, from the usage after it. A rejection waits at least a millisecond.
 * @example
 * ```ts
 * import { toTierDecision } from '@taskboard/core/storage'
 *
 * const usage = { hourUsed: 3, hourEndsAt: 3_600_000, minuteUsed: 3, minuteFreeAt: 61_000 }
 * const decision = toTierDecision({ perHour: 10, perMinute: 3 }, usage, { allowed: false, now: 1_000 })
 * console.log(decision.hour?.remaining, decision.retryAfterMs) // 7 60000
 * ```
 */
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
 * Moves admissions after `now` back to it. The clock's step is known to the second: at least from the start of the newest second to
 * the end of `now`'s. All seconds move by that much, and those still ahead count as of `now`.
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
  // From the newest back: room appears when the second that reaches the limit leaves the minute.
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
