export { resolveBounds } from './bounds.js'
export type { BoundOptions, Bounds } from './bounds.js'
export type { DecisionOf, LimitDecision, LimitRequest, LimitStore, TierRequest } from './limit-store.js'
export { createQuota, monthStart, type Quota, type QuotaUsage, type Used } from './quota.js'
export type { AccountUsage, QuotaStore, TakenTask } from './quota-store.js'
export {
  emptyWindow,
  newestAdmission,
  remainingInWindow,
  retryAfterSeconds,
  takeFromWindow,
} from './window.js'
export type { RollingWindow } from './window.js'
export { createRateLimiter } from './rate-limiter.js'
export type { RateLimiter, RateLimiterOptions } from './rate-limiter.js'
export { createTierLimits } from './tier-limits.js'
export type { Subscriber, TierLimits } from './tier-limits.js'
export { emptyTierWindow, takeFromTierWindow, tierWindowIdleAt, toTierDecision } from './tier-window.js'
export type { TierDecision, TierRates, TierUsage, TierWindow } from './tier-window.js'
export { defaultTiers, eachHeld, heldResources, resolveTiers, tiers } from './tiers.js'
export type { HeldResource, QuotaTerms, Tier, TierChange, TierOptions, Tiers, TierTerms } from './tiers.js'
