import type { Clock } from '../environment/index.js'
import { TaskboardError } from '../errors/index.js'
import { createRateLimiter, type RateLimiterOptions } from '../limits/index.js'

const MAPPED_IPV4 = /^(?:0{0,4}:){2,5}ffff:(\d+\.\d+\.\d+\.\d+)$/i

const NETWORK_GROUPS = 4

/**
 * The bucket that counts the failures of a client address. It is the address itself for IPv4 (even when written as IPv4-mapped IPv6). For
 * IPv6 it is the /64, because one client commonly owns a whole /64. Any other text is its own bucket.
 */
export function addressBucket(address: string): string {
  if (!address.includes(':')) return address
  const plain = address.split('%')[0] ?? address
  const mapped = MAPPED_IPV4.exec(plain)?.[1]
  if (mapped !== undefined) return mapped
  const [head = '', tail] = plain.split('::')
  const groups = head === '' ? [] : head.split(':')
  if (tail !== undefined) {
    const after = tail === '' ? 0 : tail.split(':').length + (tail.includes('.') ? 1 : 0)
    const shown = tail === '' ? [] : tail.split(':')
    for (let missing = 8 - groups.length - after; missing > 0; missing--) groups.push('0')
    groups.push(...shown)
  }
  const network = groups.slice(0, NETWORK_GROUPS).map((group) => group.toLowerCase().replace(/^0+(?=.)/, ''))
  return `${network.join(':')}::/64`
}

/** The network around the /64 of a bucket, of as many groups of 16 bits; any other bucket as it is. */
export function networkAround(bucket: string, groups: number): string {
  return bucket.endsWith('::/64')
    ? `${bucket.split(':').slice(0, groups).join(':')}::/${groups * 16}`
    : bucket
}

/** Slows down clients that guess credentials. */
export interface CredentialGuard {
  /**
   * The error for a request whose credential isn't valid: `UNAUTHORIZED`, with the exact wait (`retryAfterMs`) when its address failed
   * too often. A request without a credential isn't counted. Don't call it for a request with a valid credential, so that this limit
   * doesn't apply to it.
   */
  refuse(clientAddress: string, authorization: string | undefined): TaskboardError
}

export interface CredentialGuardOptions {
  readonly clock: Clock
  /** Failed credentials in any rolling minute for each client address. Default 60. */
  readonly failuresPerMinute?: number | undefined
  /** How many addresses it tracks at the same time. Further addresses have to wait after a failure. Default 100,000. */
  readonly maxAddresses?: number | undefined
}

type FailureLimits = Pick<CredentialGuardOptions, 'failuresPerMinute' | 'maxAddresses'>

const WINDOW_MS = 60_000
const DEFAULT_FAILURES = 60
const DEFAULT_ADDRESSES = 100_000

/** How many failed credentials an address may have. */
export function failedCredentials(clock: Clock, limits: FailureLimits): RateLimiterOptions {
  const { failuresPerMinute = DEFAULT_FAILURES, maxAddresses = DEFAULT_ADDRESSES } = limits
  return { limit: failuresPerMinute, windowMs: WINDOW_MS, maxKeys: maxAddresses, clock }
}

/** A guard for this process. @throws TaskboardError `INVALID_CONFIG`. */
export function createCredentialGuard(options: CredentialGuardOptions): CredentialGuard {
  const limiter = createRateLimiter(failedCredentials(options.clock, options))

  return {
    refuse(clientAddress, authorization) {
      if (authorization === undefined) return new TaskboardError('UNAUTHORIZED', 'a credential is required')
      const { allowed, retryAfterMs } = limiter.take(addressBucket(clientAddress))
      return allowed
        ? new TaskboardError('UNAUTHORIZED', 'the credential is not valid')
        : new TaskboardError(
            'UNAUTHORIZED',
            'the credential was not accepted, because too many from this address were not valid; try again later',
            { retryAfterMs },
          )
    },
  }
}
