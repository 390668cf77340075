export {
  type Created,
  type IdempotencyClaim,
  idempotencyRetentionMs,
  requestFingerprint,
} from './idempotency.js'
