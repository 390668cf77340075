import type { CallContext } from '../environment/index.js'
import type { TierDecision, TierRates } from './tier-window.js'

/** A request for one unit of a rolling limit. */
export interface LimitRequest {
  /** The owner of the limit: `key:ak_…`, `address:203.0.113.9`. */
  readonly key: string
  /** The most requests in any rolling window. 1 to 100,000. */
  readonly limit: number
  readonly windowMs: number
}

export interface LimitDecision {
  readonly allowed: boolean
  /** How many more requests would pass at this instant. */
  readonly remaining: number
  /** 0 when allowed; else the wait after which the next request passes if no other comes first. */
  readonly retryAfterMs: number
}

/** A request for one unit of an hour and a minute. */
export interface TierRequest extends TierRates {
  /** The owner of the limits: `account:acc_…`. Separate from the keys of rolling limits. */
  readonly key: string
}

/** The decision about a request: `TierDecision` for an hour and a minute, `LimitDecision` for a rolling limit. */
export type DecisionOf<Request> = Request extends TierRequest ? TierDecision : LimitDecision

/** What limits admit, exact over all processes that share the storage. */
export interface LimitStore {
  /**
   * Takes one unit; a rejection consumes nothing. Decides outside of any transaction and ignores `call.tx`: what was admitted stays counted.
   *
   * Of a rolling limit: no half-open interval of `windowMs` has more than `limit` allowed requests of a key. Of an hour and a minute:
   * both together, like `takeFromTierWindow`. A durable storage keeps those admissions through a crash of this process, but may lose the
   * last second before its own crash.
   */
  take<Request extends LimitRequest | TierRequest>(
    request: Request,
    call: CallContext,
  ): Promise<DecisionOf<Request>>
}
