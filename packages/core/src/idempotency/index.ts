export {
  type Created,
  type IdempotencyClaim,
  idempotencyRetentionMs,
  requestFingerprint,
  sealedClaim,
} from './idempotency.js'
