export { idempotencyRetentionMs } from './idempotency.js'
export type { Created, IdempotencyClaim } from './idempotency.js'
export { requestFingerprint } from './fingerprint.js'
