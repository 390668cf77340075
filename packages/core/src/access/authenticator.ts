import type { Clock, Environment } from '../environment/index.js'
import { TaskboardError } from '../errors/index.js'
import { createRateLimiter } from '../limits/index.js'
import type { AccessStore } from './access-store.js'
import type { AccessClaims, AccessTokens } from './access-token.js'
import { API_KEY_LENGTH, hashApiKey, isApiKey } from './api-key.js'
import { credentialDigest } from './credential-digest.js'
import { addressBucket, failedCredentials } from './credential-guard.js'
import { createLookUps } from './look-ups.js'
import { createPrincipalCache, type PrincipalCache } from './principal-cache.js'
import type { Principal } from './principal.js'

const SCHEME = /^bearer $/i

const TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/

const SCHEME_LENGTH = 7
const LONGEST_TOKEN = 4_096

/**
 * The token of an `Authorization: Bearer <token>` header (RFC 6750, 2.1): the scheme in any case, one space, one token of at
 * most 4,096 characters. Null for anything else.
 */
export function parseBearer(authorization: string): string | null {
  if (authorization.length > SCHEME_LENGTH + LONGEST_TOKEN) return null
  if (!SCHEME.test(authorization.slice(0, SCHEME_LENGTH))) return null
  const token = authorization.slice(SCHEME_LENGTH)
  return TOKEN.test(token) ? token : null
}

/** Caches the claims of valid access tokens, so that a signature is checked once and not with every request. */
interface TokenCache {
  /** The cached claims of a token; undefined when they aren't cached or the token has expired. */
  peek(token: string): AccessClaims | undefined
  /** As `AccessTokens.verify`. */
  verify(token: string): Promise<AccessClaims | null>
}

/** A cache of at most `size` tokens, by their hash. The oldest entry is evicted first. */
function createTokenCache(parts: {
  readonly clock: Clock
  readonly tokens: Pick<AccessTokens, 'verify'>
  readonly size: number
}): TokenCache {
  const { clock, tokens, size } = parts
  const known = new Map<string, AccessClaims>()

  function peekHash(hash: string): AccessClaims | undefined {
    const claims = known.get(hash)
    if (claims === undefined || claims.expiresAt > clock.now()) return claims
    known.delete(hash)
    return undefined
  }

  return {
    peek: (token) => peekHash(credentialDigest(token)),
    async verify(token) {
      const hash = credentialDigest(token)
      const remembered = peekHash(hash)
      if (remembered !== undefined) return remembered
      const claims = await tokens.verify(token)
      if (claims === null || size === 0) return claims
      for (const oldest of known.keys()) {
        if (known.size < size) break
        known.delete(oldest)
      }
      known.set(hash, claims)
      return claims
    },
  }
}

/** Identifies the caller of a request. */
export interface Authenticator {
  /**
   * The principal of an `Authorization` header. Null when the header is absent, or has neither a known, unexpired and unrevoked key
   * nor an access token of a live session. Synchronous when the credential was looked up less than `cacheTtlMs` ago, or ten seconds
   * if it wasn't valid. Otherwise a promise, which concurrent calls with the same credential share.
   *
   * Also null for a key that this process doesn't know, from a client address with too many failed look-ups. Keys that were
   * made in this process, or were valid when it last looked, are looked up from every address.
   * @throws TaskboardError `SERVICE_UNAVAILABLE` (rejecting) when the storage doesn't respond.
   */
  authenticate(
    authorization: string | undefined,
    clientAddress?: string,
  ): Principal | null | Promise<Principal | null>
  /** Call it with the hash of a key that is about to be stored, so that the key is valid from its commit on. */
  expect(keyHash: string): void
  /** The session of a header's access token, even after it expired or was revoked; null when there is no such token. */
  findSession(authorization: string | undefined): Promise<string | null>
  /** Drops all lookups of this key, including those in progress. Called when this process revokes the key. */
  forget(keyId: string): void
  /** The same for a session that is revoked. */
  forgetSession(sessionId: string): void
  /** The same for all keys and sessions of an account that changes. */
  forgetAccount(accountId: string): void
}

export interface AuthenticatorOptions {
  readonly environment: Environment
  readonly store: Pick<AccessStore, 'findPrincipal' | 'noteKeyUse'>
  /** Verifies access tokens. Absent: only API keys are valid. */
  readonly tokens?: Pick<AccessTokens, 'verify'> | undefined
  /** How many keys, and as many sessions and tokens, the cache keeps. Default 10,000. */
  readonly cacheSize?: number | undefined
  /**
   * How long a lookup stays valid, and so how long a key or session can still pass after another process exited it. Default 1,000;
   * 0 looks up each request. A request in the second half of that time starts another lookup without waiting for it.
   */
  readonly cacheTtlMs?: number | undefined
  /** How many unknown keys are looked up for a client address in any rolling minute. Default 60. */
  readonly failuresPerMinute?: number | undefined
}

const DEFAULT_CACHE_SIZE = 10_000
const DEFAULT_CACHE_TTL_MS = 1_000

/**
 * An authenticator for API keys and access tokens, distinguished by a key's length, form and checksum. The cache has the hashes of
 * credentials, never a credential itself. Its memory is bounded.
 */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { environment, store, tokens, cacheSize = DEFAULT_CACHE_SIZE } = options
  const { cacheTtlMs = DEFAULT_CACHE_TTL_MS } = options
  requireWhole('cacheSize', cacheSize)
  requireWhole('cacheTtlMs', cacheTtlMs)
  const cache = { environment, size: cacheSize, ttlMs: cacheTtlMs }
  const failures = createRateLimiter(failedCredentials(environment.clock, options))
  const askFor = createLookUps(failures)
  const keys = createPrincipalCache({
    ...cache,
    find: (keyHash) => store.findPrincipal({ keyHash }, environment.call()),
    // When it fails, the next look-up notes it.
    noteUse: (keyId) => void store.noteKeyUse({ keyId }, environment.call()).catch(() => undefined),
  })
  const users =
    tokens === undefined
      ? undefined
      : createTokenAuthenticator(
          createTokenCache({ clock: environment.clock, tokens, size: cacheSize }),
          createPrincipalCache({
            ...cache,
            find: (sessionId) => store.findPrincipal({ sessionId }, environment.call()),
          }),
        )

  /** Looks up a key. Unknown keys of an address with too many failed look-ups are rejected without one. */
  async function findKey(hash: string, clientAddress: string): Promise<Principal | null> {
    const client = addressBucket(clientAddress)
    const end = await askFor(client)
    if (end === null) return null
    try {
      // One that waited may have been looked up meanwhile.
      const cached = keys.peek(hash)
      if (cached !== undefined) return cached
      const found = await keys.lookUp(hash)
      if (found === null) failures.take(client)
      return found
    } finally {
      end()
    }
  }

  return {
    authenticate(authorization, clientAddress) {
      const token = authorization === undefined ? null : parseBearer(authorization)
      if (token === null) return null
      if (token.length !== API_KEY_LENGTH) return users?.authenticate(token) ?? null
      const hash = hashApiKey(token)
      // The checksum of a cached key is known to be right: only the others need the computation.
      const cached = keys.peek(hash)
      if (cached !== undefined) return cached
      if (!isApiKey(token)) return null
      return clientAddress === undefined || keys.isKnown(hash)
        ? keys.lookUp(hash)
        : findKey(hash, clientAddress)
    },
    expect: (keyHash) => keys.expect(keyHash),
    async findSession(authorization) {
      const token = authorization === undefined ? null : parseBearer(authorization)
      return token === null ? null : ((await users?.findSession(token)) ?? null)
    },
    forget(keyId) {
      keys.forget((_, { id }) => id === keyId)
    },
    forgetSession(sessionId) {
      users?.forget(sessionId)
    },
    forgetAccount(accountId) {
      keys.forget((_, principal) => principal.accountId === accountId)
      users?.forgetAccount(accountId)
    },
  }
}

/** Whether a header has text in the form of an API key, known or not. */
export function showsApiKey(authorization: string | undefined): boolean {
  const token = authorization === undefined ? null : parseBearer(authorization)
  return token !== null && isApiKey(token)
}

/** The part for access tokens: the cache keeps a token's claims until it expires, and the session's user for a moment. */
function createTokenAuthenticator(tokens: ReturnType<typeof createTokenCache>, principals: PrincipalCache) {
  return {
    authenticate(token: string): Principal | null | Promise<Principal | null> {
      const known = tokens.peek(token)
      const principal = known === undefined ? undefined : principals.peek(known.sessionId)
      if (known !== undefined && principal !== undefined) return ofUser(principal, known.userId)
      return (async () => {
        const claims = known ?? (await tokens.verify(token))
        return claims === null ? null : ofUser(await principals.lookUp(claims.sessionId), claims.userId)
      })()
    },
    async findSession(token: string): Promise<string | null> {
      return (await tokens.verify(token))?.sessionId ?? null
    },
    forget: (sessionId: string): void => principals.forget((credential) => credential === sessionId),
    forgetAccount: (accountId: string): void =>
      principals.forget((_, principal) => principal.accountId === accountId),
  }
}

function requireWhole(field: string, value: number): void {
  if (Number.isSafeInteger(value) && value >= 0) return
  throw new TaskboardError('INVALID_CONFIG', `${field} must be a whole number, 0 or more`, { field })
}

/** A session is for one user. */
function ofUser(principal: Principal | null, userId: string): Principal | null {
  return principal?.id === userId ? principal : null
}
