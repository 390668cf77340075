import { systemClock, type Clock, type Instant } from '../environment/index.js'
import { TaskboardError } from '../errors/index.js'
import type { LimitDecision } from './limit-store.js'
import { emptyWindow, remainingAt, remainingInWindow, takeFromWindow, type RollingWindow } from './window.js'

export interface RateLimiterOptions {
  /** The most requests of each key in any rolling window. A whole number from 1 to 100,000. */
  readonly limit: number
  /** The window's length in whole milliseconds. */
  readonly windowMs: number
  /** Default: the process's clock. */
  readonly clock?: Clock | undefined
  /**
   * The most keys kept at the same time; default: no bound. When all places are taken, a new key is rejected until a place is free: a bound
   * never allows more than `limit`.
   */
  readonly maxKeys?: number | undefined
}

/** An exact rolling limit in this process. */
export interface RateLimiter {
  /**
   * Requests one unit for `key`. No half-open interval of `windowMs` has more than `limit` allowed requests of a key. A rejection
   * consumes nothing, and its `retryAfterMs` is exact. A clock that steps back allows nothing extra, and no wait is longer than a
   * window.
   */
  take(key: string): LimitDecision
  /** How many more requests of `key` would be allowed now. Takes none, and keeps nothing. */
  remaining(key: string): number
  /** How many keys are kept. A key is discarded between one and two windows after its last request. */
  readonly size: number
}

const LARGEST_LIMIT = 100_000

/**
 * Creates a limiter. It sets no timer and needs no close. Keys are kept in two generations, of the current and the previous window. A
 * requested key moves to the current one, and the end of each window discards the older one as a whole. No call scans the keys. A key takes
 * up to 8 bytes for each request in its window, at most `limit`.
 * @throws TaskboardError `INVALID_CONFIG`.
 * @example
 * ```ts
 * import { createRateLimiter } from '@taskboard/core'
 *
 * const limiter = createRateLimiter({ limit: 2, windowMs: 60_000 })
 * console.log(limiter.take('203.0.113.7')) // { allowed: true, remaining: 1, retryAfterMs: 0 }
 * limiter.take('203.0.113.7')
 * const { allowed, retryAfterMs } = limiter.take('203.0.113.7')
 * console.log(allowed, retryAfterMs > 0) // false true
 * ```
 */
export function createRateLimiter(options: RateLimiterOptions): RateLimiter {
  const { limit, windowMs, clock = systemClock, maxKeys = Infinity } = options
  requireWhole('limit', limit, LARGEST_LIMIT)
  requireWhole('windowMs', windowMs, Number.MAX_SAFE_INTEGER)
  if (maxKeys !== Infinity) requireWhole('maxKeys', maxKeys, Number.MAX_SAFE_INTEGER)

  let present = new Map<string, RollingWindow>()
  let previous = new Map<string, RollingWindow>()
  let latest = -Infinity
  let presentEnds = -Infinity

  /** Advances the generations. Discarded keys had no request for at least a window. */
  function advance(now: Instant): void {
    previous = now - presentEnds < windowMs ? present : new Map()
    present = new Map()
    presentEnds = previous.size > 0 ? presentEnds + windowMs : now + windowMs
  }

  function observe(): Instant {
    const now = clock.now()
    // The clock has stepped back: the generations end earlier by as much, so as long after now as before.
    if (now < latest) presentEnds -= latest - now
    latest = now
    if (now >= presentEnds) advance(now)
    return now
  }

  /** The window of a key outside of the current generation; null when there is no place for it. */
  function admitKey(key: string): RollingWindow | null {
    let window = previous.get(key)
    if (window !== undefined) previous.delete(key)
    else if (present.size + previous.size >= maxKeys) return null
    else window = emptyWindow()
    present.set(key, window)
    return window
  }

  function refuseKey(now: Instant): LimitDecision {
    const freeAt = previous.size > 0 ? presentEnds : presentEnds + windowMs
    return { allowed: false, remaining: 0, retryAfterMs: freeAt - now }
  }

  return {
    take(key) {
      const now = observe()
      const window = present.get(key) ?? admitKey(key)
      if (window === null) return refuseKey(now)
      const waitMs = takeFromWindow(window, limit, windowMs, now)
      return waitMs === 0
        ? { allowed: true, remaining: remainingInWindow(window, limit), retryAfterMs: 0 }
        : { allowed: false, remaining: 0, retryAfterMs: waitMs }
    },
    remaining(key) {
      const now = observe()
      const window = present.get(key) ?? previous.get(key)
      return window === undefined ? limit : remainingAt(window, limit, windowMs, now)
    },
    get size() {
      observe()
      return present.size + previous.size
    },
  }
}

function requireWhole(field: string, value: number, most: number): void {
  if (Number.isSafeInteger(value) && value >= 1 && value <= most) return
  throw new TaskboardError('INVALID_CONFIG', `${field} must be a whole number from 1 to ${most}`, { field })
}
