export { idempotencyRetentionMs } from './idempotency.js'
export type { Created, IdempotencyClaim } from './idempotency.js'
