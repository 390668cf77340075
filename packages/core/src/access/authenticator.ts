import type { Environment } from '../environment/index.js'
import { TaskboardError } from '../errors/index.js'
import type { AccessStore } from './access-store.js'
import type { AccessTokens } from './access-token.js'
import { API_KEY_LENGTH, hashApiKey, isApiKey } from './api-key.js'
import { parseBearer } from './bearer.js'
import { createPrincipalCache, type PrincipalCache } from './principal-cache.js'
import type { Principal } from './principal.js'
import { createTokenCache } from './token-cache.js'

/** Identifies the caller of a request. */
export interface Authenticator {
  /**
   * The principal of an `Authorization` header. Null when the header is absent, or has neither a known, unexpired and unrevoked key
   * nor an access token of a live session. Synchronous when the credential was looked up less than `cacheTtlMs` ago. Otherwise a
   * promise, which concurrent calls with the same credential share.
   * @throws TaskboardError `SERVICE_UNAVAILABLE` (rejecting) when the storage does not answer.
   */
  authenticate(authorization: string | undefined): Principal | null | Promise<Principal | null>
  /** The session of a header's access token, also when it has ended; null when there is no such token. */
  findSession(authorization: string | undefined): Promise<string | null>
  /** Drops all lookups of this key, including those in progress. Called when this process revokes the key. */
  forget(keyId: string): void
  /** The same for a session that ends. */
  forgetSession(sessionId: string): void
}

export interface AuthenticatorOptions {
  readonly environment: Environment
  readonly store: Pick<AccessStore, 'findPrincipal'>
  /** Verifies access tokens. Absent: only API keys are valid. */
  readonly tokens?: Pick<AccessTokens, 'verify'> | undefined
  /** How many keys, and as many sessions and tokens, the cache keeps. Default 10,000. */
  readonly cacheSize?: number | undefined
  /**
   * How long a lookup stays valid, and so how long a key or session can still pass after another process ended it. Default 1,000;
   * 0 looks up each request. A request in the second half of that time starts another lookup without waiting for it.
   */
  readonly cacheTtlMs?: number | undefined
}

const DEFAULT_CACHE_SIZE = 10_000
const DEFAULT_CACHE_TTL_MS = 1_000

/**
 * An authenticator for API keys and access tokens, distinguished by a key's length, form and checksum. The cache has the hashes of
 * known credentials, never a credential itself, and nothing about unknown ones. Its memory is bounded.
 */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { environment, store, tokens, cacheSize = DEFAULT_CACHE_SIZE } = options
  const { cacheTtlMs = DEFAULT_CACHE_TTL_MS } = options
  requireWhole('cacheSize', cacheSize)
  requireWhole('cacheTtlMs', cacheTtlMs)
  const cache = { environment, size: cacheSize, ttlMs: cacheTtlMs }
  const keys = createPrincipalCache({
    ...cache,
    find: (keyHash) => store.findPrincipal({ keyHash }, { now: environment.storageNow() }),
  })
  const users =
    tokens === undefined
      ? undefined
      : createTokenAuthenticator(
          createTokenCache({ clock: environment.clock, tokens, size: cacheSize }),
          createPrincipalCache({
            ...cache,
            find: (sessionId) => store.findPrincipal({ sessionId }, { now: environment.storageNow() }),
          }),
        )

  return {
    authenticate(authorization) {
      const token = authorization === undefined ? null : parseBearer(authorization)
      if (token === null) return null
      if (token.length !== API_KEY_LENGTH) return users?.authenticate(token) ?? null
      const hash = hashApiKey(token)
      // The checksum of a cached key is known to be right: only the others need the computation.
      const known = keys.peek(hash)
      if (known !== undefined) return known
      return isApiKey(token) ? keys.lookUp(hash) : null
    },
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
