import type { Instant } from '../environment/index.js'
import type { TierDecision, TierRates } from './tier-window.js'

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

/** A request for one unit of an hour and a minute. */
export interface TierRequest extends TierRates {
  /** What the limits count for: `account:acc_…`. Apart from the keys of rolling limits. */
  readonly key: string
}

/**
 * Exact rolling limits: in no half-open interval of `windowMs` are more than `limit` requests of a key allowed, over all
 * processes that share the storage. A refusal consumes nothing.
 */
export interface LimitStore {
  take(request: LimitRequest, now: Instant | null): Promise<LimitDecision>
  /**
   * Decides by the hour and the minute together, as `takeFromTierWindow`, over all processes that share the storage. A
   * storage that survives a crash of this process keeps what was admitted; it may forget the last second before a crash of its own.
   */
  takeTier(request: TierRequest, now: Instant | null): Promise<TierDecision>
}
