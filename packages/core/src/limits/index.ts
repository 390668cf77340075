export type { LimitDecision, LimitRequest, LimitStore } from './limit-store.js'
