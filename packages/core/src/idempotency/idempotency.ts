/**
 * A caller's promise that a create is the same as before. It is recorded in the create's transaction and kept for 24 hours. A
 * concurrent repeat waits for the first create to commit or fail.
 */
export interface IdempotencyClaim {
  /** The owner of the key and the operation: the principal's id and the route. */
  readonly scope: string
  /** The caller's `Idempotency-Key`, 1 to 255 visible ASCII characters. */
  readonly key: string
  /** A digest of the request. The same key with another digest is refused with `CONFLICT`. */
  readonly fingerprint: string
}

/** The result of a create. */
export interface Created<T> {
  readonly value: T
  /** True when an earlier create with the same idempotency key made it; `value` is then as first created. */
  readonly replayed: boolean
}

/** How long a key is kept. */
export const idempotencyRetentionMs = 86_400_000
