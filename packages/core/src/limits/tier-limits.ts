import type { Environment } from '../environment/index.js'
import type { LimitStore } from './limit-store.js'
import type { TierDecision } from './tier-window.js'
import type { Tier, Tiers } from './tiers.js'

/** The owner of limits and quotas. Every principal is one. */
export interface Subscriber {
  readonly accountId: string
  readonly tier: Tier
}

/** The limits of accounts, by tier. */
export interface TierLimits {
  /**
   * Counts a request against the hour and the minute of its account; a rejection counts in neither. Null for a tier without
   * limits, without a call to the storage.
   */
  take(subscriber: Subscriber): Promise<TierDecision | null>
}

export interface TierLimitsDeps {
  readonly environment: Pick<Environment, 'call'>
  readonly store: LimitStore
  readonly tiers: Tiers
}

const NO_LIMITS = Promise.resolve(null)

export function createTierLimits({ environment, store, tiers }: TierLimitsDeps): TierLimits {
  return {
    take({ accountId, tier }) {
      const { requestsPerHour: perHour, burstPerMinute: perMinute } = tiers[tier]
      if (perHour === null && perMinute === null) return NO_LIMITS
      return store.take({ key: `account:${accountId}`, perHour, perMinute }, environment.call())
    },
  }
}
