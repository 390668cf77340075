/**
 * A caller's promise that a create is the same one as before. Recorded in the create's transaction and kept for 24 hours;
 * a twin that runs at the same time waits for the first to commit or fail.
 */
export interface IdempotencyClaim {
  /** Whose key it is and for which operation: the principal's id and the route. */
  readonly scope: string
  /** The caller's `Idempotency-Key`, 1 to 255 visible ASCII characters. */
  readonly key: string
  /** A digest of the request. The same key with another one is refused with `CONFLICT`. */
  readonly fingerprint: string
}

/** What a create gives back. */
export interface Created<T> {
  readonly value: T
  /** True when an earlier create with the same idempotency key made it; `value` is then as it was at its creation. */
  readonly replayed: boolean
}

/** How long a key is remembered. */
export const idempotencyRetentionMs = 86_400_000
