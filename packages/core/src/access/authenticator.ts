import type { Environment, Instant } from '../environment/index.js'
import { isTaskboardError, TaskboardError } from '../errors/index.js'
import type { AccessStore } from './access-store.js'
import { API_KEY_LENGTH, hashApiKey, isApiKey } from './api-key.js'
import { parseBearer } from './bearer.js'
import type { Principal } from './principal.js'

/** Finds out who is calling. */
export interface Authenticator {
  /**
   * The principal of an `Authorization` header; null when there is none, or when it holds no key that is known, unexpired and
   * unrevoked. Plain when the key was looked up less than `cacheTtlMs` ago, else a promise, which concurrent calls with
   * the same key share.
   * @throws TaskboardError `SERVICE_UNAVAILABLE` (rejecting) when the storage cannot tell.
   */
  authenticate(authorization: string | undefined): Principal | null | Promise<Principal | null>
  /** Trusts nothing any more that was or is being looked up for this key: called when it is revoked in this process. */
  forget(keyId: string): void
}

export interface AuthenticatorOptions {
  readonly environment: Environment
  readonly store: Pick<AccessStore, 'findPrincipalByKeyHash'>
  /** How many keys are remembered at once. Default 10,000. */
  readonly cacheSize?: number | undefined
  /**
   * How long a look-up is trusted, and so how long a key revoked by another process can still pass. Default 1,000; 0 looks
   * every request up.
   */
  readonly cacheTtlMs?: number | undefined
}

interface Entry {
  readonly principal: Principal
  readonly foundAt: Instant
  readonly trustedUntil: Instant
}

type Found = Awaited<ReturnType<AccessStore['findPrincipalByKeyHash']>>

const DEFAULT_CACHE_SIZE = 10_000
const DEFAULT_CACHE_TTL_MS = 1_000

/**
 * An authenticator over API keys. It remembers found keys by their hash, never a key itself, and nothing about unknown ones.
 * Memory is bounded: the entry that was looked up longest ago, and so would go stale first, makes room.
 */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { environment, store, cacheSize = DEFAULT_CACHE_SIZE, cacheTtlMs = DEFAULT_CACHE_TTL_MS } = options
  const { clock } = environment
  requireWhole('cacheSize', cacheSize)
  requireWhole('cacheTtlMs', cacheTtlMs)
  const entries = new Map<string, Entry>()
  const lookups = new Map<string, Promise<Principal | null>>()
  let revocations = 0

  function remember(hash: string, entry: Entry): void {
    entries.delete(hash)
    for (const [oldest, { foundAt, trustedUntil }] of entries) {
      if (entries.size < cacheSize && isWithin(entry.foundAt, foundAt, trustedUntil)) break
      entries.delete(oldest)
    }
    if (cacheSize > 0) entries.set(hash, entry)
  }

  async function find(hash: string): Promise<Found> {
    try {
      return await store.findPrincipalByKeyHash(hash, { now: environment.storageNow() })
    } catch (cause) {
      if (isTaskboardError(cause)) throw cause
      throw new TaskboardError('SERVICE_UNAVAILABLE', 'credentials cannot be checked now', { cause })
    }
  }

  async function lookUp(hash: string): Promise<Principal | null> {
    const foundAt = clock.now()
    const seen = revocations
    const found = await find(hash)
    if (found === null) return null
    const trustedUntil = Math.min(foundAt + cacheTtlMs, found.expiresAt ?? Infinity)
    if (seen === revocations) remember(hash, { principal: found.principal, foundAt, trustedUntil })
    return found.principal
  }

  function joinLookup(hash: string): Promise<Principal | null> {
    const pending = lookups.get(hash)
    if (pending !== undefined) return pending
    const lookup = lookUp(hash).finally(() => {
      if (lookups.get(hash) === lookup) lookups.delete(hash)
    })
    lookups.set(hash, lookup)
    return lookup
  }

  return {
    authenticate(authorization) {
      const token = authorization === undefined ? null : parseBearer(authorization)
      if (token === null || token.length !== API_KEY_LENGTH) return null
      const hash = hashApiKey(token)
      // A remembered key is known to be whole, so only the others have their checksum worked out.
      const entry = entries.get(hash)
      if (entry !== undefined && isWithin(clock.now(), entry.foundAt, entry.trustedUntil))
        return entry.principal
      return isApiKey(token) ? joinLookup(hash) : null
    },
    forget(keyId) {
      revocations += 1
      lookups.clear()
      for (const [hash, { principal }] of entries) {
        if (principal.id === keyId) entries.delete(hash)
      }
    },
  }
}

/** A clock that stepped back to before the look-up makes its answer untrusted, not trusted for longer. */
function isWithin(now: Instant, from: Instant, until: Instant): boolean {
  return now >= from && now < until
}

function requireWhole(field: string, value: number): void {
  if (Number.isSafeInteger(value) && value >= 0) return
  throw new TaskboardError('INVALID_CONFIG', `${field} must be a whole number, 0 or more`, { field })
}
