import type { Environment, Instant } from '../environment/index.js'
import { isTaskboardError, TaskboardError } from '../errors/index.js'
import type { FoundPrincipal, Principal } from './principal.js'

/** Caches the principals of credentials of one kind for a moment. */
export interface PrincipalCache {
  /**
   * The cached principal; undefined when it has to be looked up. In the second half of an entry's lifetime, a request starts one
   * lookup without waiting for it, so that later requests need not wait either. Errors of that lookup are ignored, and nobody joins
   * it: a request after the entry expired asks the storage.
   */
  peek(credential: string): Principal | undefined
  /** Looks it up. Concurrent calls for the same credential share the answer. Null when it has no principal. */
  lookUp(credential: string): Promise<Principal | null>
  /** Drops all lookups, including those in progress, of the principals that `isMeant` selects. */
  forget(isMeant: (credential: string, principal: Principal) => boolean): void
}

export interface PrincipalCacheOptions {
  readonly environment: Environment
  readonly find: (credential: string) => Promise<FoundPrincipal | null>
  /** How many entries it keeps. */
  readonly size: number
  /** How long an entry stays valid. */
  readonly ttlMs: number
}

interface Entry {
  readonly principal: Principal
  readonly foundAt: Instant
  readonly trustedUntil: Instant
  /** When to look it up again before it expires; infinite once that has begun. */
  refreshFrom: Instant
}

/**
 * A cache of this process. It keeps nothing about unknown credentials. Its memory is bounded: it evicts the entry with the oldest
 * lookup, which would expire first.
 */
export function createPrincipalCache(options: PrincipalCacheOptions): PrincipalCache {
  const { environment, size, ttlMs } = options
  const { clock } = environment
  const entries = new Map<string, Entry>()
  const lookups = new Map<string, Promise<Principal | null>>()
  let revocations = 0

  function remember(credential: string, entry: Entry): void {
    entries.delete(credential)
    for (const [oldest, { foundAt, trustedUntil }] of entries) {
      if (entries.size < size && isWithin(entry.foundAt, foundAt, trustedUntil)) break
      entries.delete(oldest)
    }
    if (size > 0) entries.set(credential, entry)
  }

  async function find(credential: string): Promise<FoundPrincipal | null> {
    try {
      return await options.find(credential)
    } catch (cause) {
      if (isTaskboardError(cause)) throw cause
      throw new TaskboardError(
        'SERVICE_UNAVAILABLE',
        'credentials cannot be checked at the moment; try again',
        { cause },
      )
    }
  }

  /** Asks the storage. Caches the answer if `mayKeep` allows it by then. */
  async function lookUp(credential: string, mayKeep: () => boolean): Promise<Principal | null> {
    const foundAt = clock.now()
    const seen = revocations
    const found = await find(credential)
    const isKept = seen === revocations && mayKeep()
    if (found === null) {
      if (isKept) entries.delete(credential)
      return null
    }
    const { principal, expiresInMs } = found
    const trustedUntil = foundAt + Math.min(ttlMs, expiresInMs ?? Infinity)
    if (isKept) remember(credential, { principal, foundAt, trustedUntil, refreshFrom: foundAt + ttlMs / 2 })
    return principal
  }

  function refresh(credential: string, entry: Entry): void {
    entry.refreshFrom = Infinity
    lookUp(credential, () => entries.get(credential) === entry).catch(() => undefined)
  }

  return {
    peek(credential) {
      const entry = entries.get(credential)
      const now = clock.now()
      if (entry === undefined || !isWithin(now, entry.foundAt, entry.trustedUntil)) return undefined
      if (now >= entry.refreshFrom) refresh(credential, entry)
      return entry.principal
    },
    lookUp(credential) {
      const pending = lookups.get(credential)
      if (pending !== undefined) return pending
      const lookup = lookUp(credential, () => true).finally(() => {
        if (lookups.get(credential) === lookup) lookups.delete(credential)
      })
      lookups.set(credential, lookup)
      return lookup
    },
    forget(isMeant) {
      revocations += 1
      lookups.clear()
      for (const [credential, { principal }] of entries) {
        if (isMeant(credential, principal)) entries.delete(credential)
      }
    },
  }
}

/** When the clock has stepped back to before the lookup, its answer is not valid, instead of valid for longer. */
function isWithin(now: Instant, from: Instant, until: Instant): boolean {
  return now >= from && now < until
}
