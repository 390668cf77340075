import { TaskboardError } from '../errors/index.js'

/** When to try again: an account is copied for longer, or for less. */
const RETRY_AFTER_MS = 5_000

class ReadOnlyRefusal extends TaskboardError {}

/**
 * The error that a storage throws for a write to a read-only account: `SERVICE_UNAVAILABLE`, with the wait before a retry.
 * @example
 * ```ts
 * import { readOnlyRefusal } from '@taskboard/core/storage'
 *
 * console.log(readOnlyRefusal().code) // SERVICE_UNAVAILABLE
 * ```
 */
export function readOnlyRefusal(cause?: unknown): TaskboardError {
  const message = 'the account takes no writes at the moment; try again'
  return new ReadOnlyRefusal('SERVICE_UNAVAILABLE', message, { retryAfterMs: RETRY_AFTER_MS, cause })
}

/**
 * Whether an error is about one account, so that it isn't an outage.
 * @example
 * ```ts
 * import { isReadOnlyRefusal, readOnlyRefusal } from '@taskboard/core/storage'
 *
 * console.log(isReadOnlyRefusal(readOnlyRefusal()), isReadOnlyRefusal(new Error('away'))) // true false
 * ```
 */
export function isReadOnlyRefusal(error: unknown): boolean {
  return error instanceof ReadOnlyRefusal
}
