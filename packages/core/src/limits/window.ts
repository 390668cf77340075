import type { Instant } from '../environment/index.js'

/**
 * The admissions of one key in its window, oldest first from `head`, in a ring. The ring starts small and has at most as many
 * places as the largest limit it was used with. Its creator owns it; it is changed in place.
 */
export interface RollingWindow {
  times: Instant[]
  head: number
  count: number
}

/**
 * A window without admissions.
 * @example
 * ```ts
 * import { emptyWindow, remainingInWindow } from '@taskboard/core/storage'
 *
 * console.log(remainingInWindow(emptyWindow(), 60)) // 60
 * ```
 */
export function emptyWindow(): RollingWindow {
  return { times: [], head: 0, count: 0 }
}

/**
 * Admits and records a request at `now` when fewer than `limit` were admitted in the half-open interval `(now - windowMs, now]`.
 * A rejection records nothing. Returns 0 when admitted, else the exact wait in milliseconds: the request passes after it, and not
 * a millisecond earlier, if no other comes first.
 *
 * A `now` before the newest admission shows that the clock has stepped back. All admissions then move back with it, so that the
 * newest is at `now`. So a step back admits nothing extra, and no wait is longer than the window. A key keeps one `windowMs`;
 * its limit may change between calls.
 * @example
 * ```ts
 * import { emptyWindow, takeFromWindow } from '@taskboard/core/storage'
 *
 * const window = emptyWindow()
 * console.log(takeFromWindow(window, 1, 60_000, 0)) // 0
 * console.log(takeFromWindow(window, 1, 60_000, 20_000)) // 40000
 * ```
 */
export function takeFromWindow(window: RollingWindow, limit: number, windowMs: number, now: Instant): number {
  settleAt(window, windowMs, now)
  if (window.count >= limit) {
    return timeAt(window, window.count - limit) + windowMs - now
  }
  record(window, limit, now)
  return 0
}

/** How many requests would be admitted at `now`, which is treated as in `takeFromWindow`. Records nothing. */
export function remainingAt(window: RollingWindow, limit: number, windowMs: number, now: Instant): number {
  settleAt(window, windowMs, now)
  return remainingInWindow(window, limit)
}

/**
 * How many more requests would be admitted at the instant of the last `takeFromWindow`.
 * @example
 * ```ts
 * import { emptyWindow, remainingInWindow, takeFromWindow } from '@taskboard/core/storage'
 *
 * const window = emptyWindow()
 * takeFromWindow(window, 60, 60_000, 0)
 * console.log(remainingInWindow(window, 60)) // 59
 * ```
 */
export function remainingInWindow(window: RollingWindow, limit: number): number {
  return Math.max(0, limit - window.count)
}

/**
 * The time of the newest admission; `-Infinity` when none is kept. A window whose newest is `windowMs` old can be discarded.
 * @example
 * ```ts
 * import { emptyWindow, newestAdmission, takeFromWindow } from '@taskboard/core/storage'
 *
 * const window = emptyWindow()
 * takeFromWindow(window, 60, 60_000, 5_000)
 * console.log(newestAdmission(window)) // 5000
 * ```
 */
export function newestAdmission(window: RollingWindow): Instant {
  return window.count === 0 ? -Infinity : timeAt(window, window.count - 1)
}

/**
 * Whole seconds for a `Retry-After` header (RFC 9110, 10.2.3), rounded up so that the wait is enough.
 * @example
 * ```ts
 * import { retryAfterSeconds } from '@taskboard/core/transport'
 *
 * console.log(retryAfterSeconds(1_001)) // 2
 * ```
 */
export function retryAfterSeconds(retryAfterMs: number): number {
  return Math.ceil(retryAfterMs / 1_000)
}

function timeAt(window: RollingWindow, position: number): Instant {
  const { times, head } = window
  const index = head + position
  return times[index < times.length ? index : index - times.length] as Instant
}

/** Moves the window to `now`. */
function settleAt(window: RollingWindow, windowMs: number, now: Instant): void {
  const newest = newestAdmission(window)
  if (now < newest) moveBack(window, newest - now)
  dropUntil(window, now - windowMs)
}

function moveBack({ times }: RollingWindow, byMs: number): void {
  for (const [index, time] of times.entries()) times[index] = time - byMs
}

function dropUntil(window: RollingWindow, end: Instant): void {
  const { times } = window
  let { head, count } = window
  if (count === 0 || (times[head] as Instant) > end) return
  do {
    head = head + 1 === times.length ? 0 : head + 1
    count -= 1
  } while (count > 0 && (times[head] as Instant) <= end)
  window.head = head
  window.count = count
}

function record(window: RollingWindow, limit: number, time: Instant): void {
  const { times, head, count } = window
  window.count = count + 1
  if (count < times.length) {
    const index = head + count
    times[index < times.length ? index : index - times.length] = time
  } else if (count === 0) {
    window.times = [time]
  } else if (head === 0) {
    times.push(time)
  } else {
    unroll(window, Math.min(limit, count * 2), time)
  }
}

/** Copies a full ring into one of twice the size, from its first place, with `time` in the rest. Doubling keeps this rare. */
function unroll(window: RollingWindow, places: number, time: Instant): void {
  const { times, head } = window
  const unrolled = times.slice(head).concat(times.slice(0, head))
  while (unrolled.length < places) unrolled.push(time)
  window.times = unrolled
  window.head = 0
}
