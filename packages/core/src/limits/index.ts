export type { LimitDecision, LimitRequest, LimitStore } from './limit-store.js'
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
