import type { Environment, Instant } from '../environment/index.js'
import { isTaskboardError, TaskboardError } from '../errors/index.js'
import type { FoundPrincipal, Principal } from './principal.js'

/** Caches the principals of credentials of one kind for a moment, and for a little longer which credentials have none. */
export interface PrincipalCache {
  /**
   * The cached principal, or null for a credential that had none lately; undefined when it has to be looked up. In the second half of
   * an entry's lifetime, a request starts one lookup without waiting for it, so that later requests need not wait either. Errors of
   * that lookup are ignored, and no one joins it: a request after the entry expired asks the storage.
   */
  peek(credential: string): Principal | null | undefined
  /** Looks it up. Concurrent calls for the same credential share the answer. Null when it has no principal. */
  lookUp(credential: string): Promise<Principal | null>
  /** Whether the credential was made in this process, or had a principal at its last lookup here. */
  isKnown(credential: string): boolean
  /** A credential that is being made here. It is looked up until it has a principal, however often it had none. */
  expect(credential: string): void
  /** Drops all lookups, including those in progress, of the principals that `isMeant` selects. */
  forget(isMeant: (credential: string, principal: Principal) => boolean): void
}

export interface PrincipalCacheOptions {
  readonly environment: Environment
  readonly find: (credential: string) => Promise<FoundPrincipal | null>
  /** Called for a credential whose use should be noted. */
  readonly noteUse?: (id: string) => void
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

/** How many times as many credentials are known as have an entry. */
const KNOWN_PER_ENTRY = 10
/**
 * How long a credential without a principal is rejected unasked. Another process may have made it only after it was tried. This is rare, so
 * this can be longer than the life of an entry.
 */
const UNKNOWN_TTL_MS = 10_000

/** A cache of this process. Its memory is bounded: it evicts the entry with the oldest lookup, which would expire first. */
export function createPrincipalCache(options: PrincipalCacheOptions): PrincipalCache {
  const { environment, size, ttlMs } = options
  const { clock } = environment
  const entries = new Map<string, Entry>()
  const lookups = new Map<string, Promise<Principal | null>>()
  const known = createKnownCredentials(size * KNOWN_PER_ENTRY)
  const unknown = createUnknownCredentials({ size, ttlMs: ttlMs === 0 ? 0 : UNKNOWN_TTL_MS })
  let revocations = 0

  function notFound(credential: string, foundAt: Instant): void {
    entries.delete(credential)
    if (known.isExpected(credential)) return
    known.delete(credential)
    unknown.add(credential, foundAt)
  }

  /** Asks the storage. Caches the answer if `mayKeep` allows it by then. */
  async function lookUp(credential: string, mayKeep: () => boolean): Promise<Principal | null> {
    const foundAt = clock.now()
    const seen = revocations
    const found = await findBy(options.find, credential)
    const isKept = seen === revocations && mayKeep()
    if (found === null) {
      if (isKept) notFound(credential, foundAt)
      return null
    }
    known.add(credential)
    unknown.delete(credential)
    const { expiresInMs, provenAgoMs, isUseNoted } = found
    if (!isUseNoted) options.noteUse?.(found.principal.id)
    const principal =
      provenAgoMs === null ? found.principal : { ...found.principal, provenAt: foundAt - provenAgoMs }
    const trustedUntil = foundAt + Math.min(ttlMs, expiresInMs ?? Infinity)
    const entry = { principal, foundAt, trustedUntil, refreshFrom: foundAt + ttlMs / 2 }
    if (isKept) remember(entries, size, credential, entry)
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
      if (entry === undefined) return unknown.has(credential, now) ? null : undefined
      if (!isWithin(now, entry.foundAt, entry.trustedUntil)) return undefined
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
    isKnown: (credential) => known.has(credential),
    expect(credential) {
      unknown.delete(credential)
      known.expect(credential)
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

/** Adds an entry, and evicts what has expired, and the oldest ones beyond the size. */
function remember(entries: Map<string, Entry>, size: number, credential: string, entry: Entry): void {
  entries.delete(credential)
  for (const [oldest, { foundAt, trustedUntil }] of entries) {
    if (entries.size < size && isWithin(entry.foundAt, foundAt, trustedUntil)) break
    entries.delete(oldest)
  }
  if (size > 0) entries.set(credential, entry)
}

/** Any fault is `SERVICE_UNAVAILABLE`. */
async function findBy(
  find: PrincipalCacheOptions['find'],
  credential: string,
): Promise<FoundPrincipal | null> {
  try {
    return await find(credential)
  } catch (cause) {
    if (isTaskboardError(cause)) throw cause
    throw new TaskboardError(
      'SERVICE_UNAVAILABLE',
      'credentials cannot be checked at the moment; try again',
      { cause },
    )
  }
}

/** When the clock has stepped back to before the lookup, its answer isn't valid, instead of valid for longer. */
function isWithin(now: Instant, from: Instant, until: Instant): boolean {
  return now >= from && now < until
}

/** The credentials that were found or made in this process, at most `size`. Those whose last lookup is the oldest are forgotten first. */
function createKnownCredentials(size: number) {
  const known = new Map<string, 'expected' | 'found'>()

  function put(credential: string, how: 'expected' | 'found'): void {
    known.delete(credential)
    known.set(credential, how)
    const [oldest] = known.keys()
    if (known.size > size && oldest !== undefined) known.delete(oldest)
  }

  return {
    has: (credential: string): boolean => known.has(credential),
    isExpected: (credential: string): boolean => known.get(credential) === 'expected',
    add: (credential: string): void => put(credential, 'found'),
    expect: (credential: string): void => put(credential, 'expected'),
    delete: (credential: string): void => void known.delete(credential),
  }
}

/** The credentials that had no principal within the last `ttlMs`, at most `size`, of which the oldest are forgotten first. */
function createUnknownCredentials({ size, ttlMs }: { readonly size: number; readonly ttlMs: number }) {
  const since = new Map<string, Instant>()
  const isOver = (at: Instant, now: Instant): boolean => !isWithin(now, at, at + ttlMs)

  return {
    has(credential: string, now: Instant): boolean {
      const at = since.get(credential)
      return at !== undefined && !isOver(at, now)
    },
    add(credential: string, now: Instant): void {
      since.delete(credential)
      for (const [oldest, at] of since) {
        if (since.size < size && !isOver(at, now)) break
        since.delete(oldest)
      }
      if (size > 0 && ttlMs > 0) since.set(credential, now)
    },
    delete: (credential: string): void => void since.delete(credential),
  }
}
