import type { Clock } from '../environment/index.js'
import { TaskboardError } from '../errors/index.js'
import { createRateLimiter } from '../limits/index.js'
import { addressBucket } from './address-bucket.js'

/** Slows down clients that guess credentials. */
export interface CredentialGuard {
  /**
   * The error for a request whose credential is not valid: `UNAUTHORIZED`, or `RATE_LIMITED` with the exact wait when its address
   * failed too often. A request without a credential is not counted. Do not call it for a request with a valid credential, so that
   * this limit does not apply to it.
   */
  refuse(clientAddress: string, authorization: string | undefined): TaskboardError
}

export interface CredentialGuardOptions {
  readonly clock: Clock
  /** Failed credentials in any rolling minute for each client address. Default 60. */
  readonly failuresPerMinute?: number | undefined
  /** How many addresses it tracks at once. Failures of further addresses return `RATE_LIMITED`. Default 100,000. */
  readonly maxAddresses?: number | undefined
}

const WINDOW_MS = 60_000
const DEFAULT_FAILURES = 60
const DEFAULT_ADDRESSES = 100_000

/** A guard for this process. @throws TaskboardError `INVALID_CONFIG`. */
export function createCredentialGuard(options: CredentialGuardOptions): CredentialGuard {
  const { clock, failuresPerMinute = DEFAULT_FAILURES, maxAddresses = DEFAULT_ADDRESSES } = options
  const limiter = createRateLimiter({
    limit: failuresPerMinute,
    windowMs: WINDOW_MS,
    maxKeys: maxAddresses,
    clock,
  })

  return {
    refuse(clientAddress, authorization) {
      if (authorization === undefined) return new TaskboardError('UNAUTHORIZED', 'a credential is required')
      const { allowed, retryAfterMs } = limiter.take(addressBucket(clientAddress))
      return allowed
        ? new TaskboardError('UNAUTHORIZED', 'the credential is not valid')
        : new TaskboardError('RATE_LIMITED', 'too many failed credentials from this address', {
            retryAfterMs,
          })
    },
  }
}
