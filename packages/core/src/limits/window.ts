import type { Instant } from '../environment/index.js'

/**
 * The admissions of one key that its window still reaches back to, oldest first from `head`, in a ring. The ring starts
 * small and has at most as many places as the largest limit it was asked for. It belongs to whoever made it and is changed in place.
 */
export interface RollingWindow {
  times: Instant[]
  head: number
  count: number
}

/** A window without admissions. */
export function emptyWindow(): RollingWindow {
  return { times: [], head: 0, count: 0 }
}

/**
 * Admits a request at `now` when fewer than `limit` were admitted in the half-open interval `(now - windowMs, now]`, and
 * records it; a refusal records nothing. Returns 0 when admitted, else the exact wait in milliseconds: the request passes
 * after it, and not a millisecond earlier, if none comes first.
 *
 * A `now` before the newest admission counts as that admission's time, so a clock that steps back admits nothing extra;
 * the wait is then still measured from the `now` that was given. A key keeps one `windowMs`; its limit may change between calls.
 */
export function takeFromWindow(window: RollingWindow, limit: number, windowMs: number, now: Instant): number {
  const present = Math.max(now, newestAdmission(window))
  dropUntil(window, present - windowMs)
  if (window.count >= limit) {
    return timeAt(window, window.count - limit) + windowMs - now
  }
  record(window, limit, present)
  return 0
}

/** How many more requests would be admitted at the instant of the last `takeFromWindow`. */
export function remainingInWindow(window: RollingWindow, limit: number): number {
  return Math.max(0, limit - window.count)
}

/** When the newest admission was; `-Infinity` when none is kept. A window whose newest is `windowMs` old can be dropped. */
export function newestAdmission(window: RollingWindow): Instant {
  return window.count === 0 ? -Infinity : timeAt(window, window.count - 1)
}

/** Whole seconds for a `Retry-After` header (RFC 9110, 10.2.3), rounded up so that the rounded wait suffices. */
export function retryAfterSeconds(retryAfterMs: number): number {
  return Math.ceil(retryAfterMs / 1_000)
}

function timeAt(window: RollingWindow, position: number): Instant {
  const { times, head } = window
  const index = head + position
  return times[index < times.length ? index : index - times.length] as Instant
}

function dropUntil(window: RollingWindow, end: Instant): void {
  const { times } = window
  while (window.count > 0 && (times[window.head] as Instant) <= end) {
    window.head = window.head + 1 === times.length ? 0 : window.head + 1
    window.count -= 1
  }
}

function record(window: RollingWindow, limit: number, time: Instant): void {
  if (window.count === window.times.length) makePlace(window, limit, time)
  const { times, head, count } = window
  const index = head + count
  times[index < times.length ? index : index - times.length] = time
  window.count = count + 1
}

/** Adds one place to a ring that starts at its first, and doubles one that does not, so that unrolling it stays rare. */
function makePlace(window: RollingWindow, limit: number, time: Instant): void {
  const { times, head, count } = window
  if (count === 0) {
    window.times = [time]
  } else if (head === 0) {
    times.push(time)
  } else {
    const unrolled = times.slice(head).concat(times.slice(0, head))
    const places = Math.min(limit, count * 2)
    while (unrolled.length < places) unrolled.push(time)
    window.times = unrolled
    window.head = 0
  }
}
