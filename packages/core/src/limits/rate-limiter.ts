import { systemClock, type Clock, type Instant } from '../environment/index.js'
import { TaskboardError } from '../errors/index.js'
import type { LimitDecision } from './limit-store.js'
import { emptyWindow, remainingInWindow, takeFromWindow, type RollingWindow } from './window.js'

export interface RateLimiterOptions {
  /** How many in any rolling window, for each key. A whole number from 1 to 100,000. */
  readonly limit: number
  /** The window's length in whole milliseconds. */
  readonly windowMs: number
  /** Default: the process's clock. */
  readonly clock?: Clock | undefined
  /**
   * How many keys are remembered at once; default: no bound. While that many are, a key that is not among them is refused
   * until a place is free: a bound never lets more through than `limit`.
   */
  readonly maxKeys?: number | undefined
}

/** An exact rolling limit in this process. */
export interface RateLimiter {
  /**
   * Asks for one request of `key`. In no half-open interval of `windowMs` are more than `limit` of a key allowed; a refusal
   * consumes nothing, and its `retryAfterMs` is exact. A clock that steps back allows nothing extra and makes no wait longer
   * than a window.
   */
  take(key: string): LimitDecision
  /** How many keys are remembered. A key is forgotten between one and two windows after its last request. */
  readonly size: number
}

const LARGEST_LIMIT = 100_000

/**
 * Creates a limiter. It sets no timer and needs no closing. Keys are kept in two generations, the present window's and the one
 * before. A key that is asked for moves to the present one, and each window's end discards the older one whole, so that no call
 * ever scans the keys. A key takes up to 8 bytes for each request that its window still holds, at most `limit`.
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

  /** Moves the generations on; what is dropped was last asked for at least a window before. */
  function advance(now: Instant): void {
    previous = now - presentEnds < windowMs ? present : new Map()
    present = new Map()
    presentEnds = previous.size > 0 ? presentEnds + windowMs : now + windowMs
  }

  function observe(): Instant {
    const now = clock.now()
    // The clock has stepped back: the generations end as much earlier, and so as late after now as before.
    if (now < latest) presentEnds -= latest - now
    latest = now
    if (now >= presentEnds) advance(now)
    return now
  }

  /** The window of a key that is not in the present generation; null when there is no place for it. */
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
