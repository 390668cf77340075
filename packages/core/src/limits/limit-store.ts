import type { Instant } from '../environment/index.js'

/** A request for one unit of a rolling limit. */
export interface LimitRequest {
  /** What the limit counts for: `key:ak_…`, `address:203.0.113.9`. */
  readonly key: string
  /** How many in any rolling window. 1 to 100,000. */
  readonly limit: number
  readonly windowMs: number
}

export interface LimitDecision {
  readonly allowed: boolean
  /** How many more would pass at this instant. */
  readonly remaining: number
  /** 0 when allowed; else the wait after which the next one passes if no other comes first. */
  readonly retryAfterMs: number
}

/**
 * Exact rolling limits: in no half-open interval of `windowMs` are more than `limit` requests of a key allowed, over all
 * processes that share the storage. A refusal consumes nothing.
 */
export interface LimitStore {
  take(request: LimitRequest, now: Instant | null): Promise<LimitDecision>
  /** Drops keys that no window reaches back to any more, at most `limit`; returns how many went. */
  pruneLimits(limit: number, now: Instant | null): Promise<number>
}
