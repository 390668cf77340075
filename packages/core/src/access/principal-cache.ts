import type { Environment, Instant } from '../environment/index.js'
import { isTaskboardError, TaskboardError } from '../errors/index.js'
import type { Principal } from './principal.js'

/** Who a credential stands for, and for how much longer, by the storage's clock. */
export interface FoundPrincipal {
  readonly principal: Principal
  readonly expiresInMs: number | null
}

/** Remembers for a moment whom credentials of one kind stand for. */
export interface PrincipalCache {
  /**
   * Whom it is known to stand for; undefined when that has to be looked up. In the second half of its trust it is looked up
   * once beside the request, so that requests that keep coming do not wait for it. Nobody hears of a fault of that one, and nobody
   * joins it: who asks after the end of the trust asks the storage.
   */
  peek(credential: string): Principal | undefined
  /** Looks it up; those who ask for the same credential meanwhile share the answer. Null when it stands for nobody. */
  lookUp(credential: string): Promise<Principal | null>
  /** Trusts nothing any more that was or is being looked up for what `isMeant` names. */
  forget(isMeant: (credential: string, principal: Principal) => boolean): void
}

export interface PrincipalCacheOptions {
  readonly environment: Environment
  readonly find: (credential: string) => Promise<FoundPrincipal | null>
  /** How many are remembered at once. */
  readonly size: number
  /** How long a look-up is trusted. */
  readonly ttlMs: number
}

interface Entry {
  readonly principal: Principal
  readonly foundAt: Instant
  readonly trustedUntil: Instant
  /** From when on it is looked up again ahead of that; infinite once it was. */
  refreshFrom: Instant
}

/**
 * A cache of this process; nothing is remembered about unknown credentials. Memory is bounded: the entry that was looked up
 * longest ago, and so would go stale first, makes room.
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
      throw new TaskboardError('SERVICE_UNAVAILABLE', 'credentials cannot be checked now', { cause })
    }
  }

  /** Asks the storage. What it says is kept where `mayKeep` allows that then. */
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

/** A clock that stepped back to before the look-up makes its answer untrusted, not trusted for longer. */
function isWithin(now: Instant, from: Instant, until: Instant): boolean {
  return now >= from && now < until
}
