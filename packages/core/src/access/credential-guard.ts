import type { Clock } from '../environment/index.js'
import { TaskboardError } from '../errors/index.js'
import { createRateLimiter } from '../limits/index.js'
import { addressBucket } from './address-bucket.js'

/** Slows down whoever guesses credentials. */
export interface CredentialGuard {
  /**
   * The error to answer a request with whose credential did not hold: `UNAUTHORIZED`, or `RATE_LIMITED` with the exact wait
   * when its address failed too often. A request without any credential guesses nothing and is not counted. Never ask for a
   * request whose credential holds: it then meets no limit here.
   */
  refuse(clientAddress: string, authorization: string | undefined): TaskboardError
}

export interface CredentialGuardOptions {
  readonly clock: Clock
  /** Failed credentials a rolling minute, for each client address. Default 60. */
  readonly failuresPerMinute?: number | undefined
  /** How many addresses are remembered at once; failures of further ones are answered `RATE_LIMITED`. Default 100,000. */
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
