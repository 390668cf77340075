import type { Environment } from '../environment/index.js'
import { TaskboardError } from '../errors/index.js'
import type { AccessStore } from './access-store.js'
import type { AccessTokens } from './access-token.js'
import { API_KEY_LENGTH, hashApiKey, isApiKey } from './api-key.js'
import { parseBearer } from './bearer.js'
import { createPrincipalCache, type PrincipalCache } from './principal-cache.js'
import type { Principal } from './principal.js'
import type { SessionStore } from './session-store.js'
import { createTokenCache } from './token-cache.js'

/** Finds out who is calling. */
export interface Authenticator {
  /**
   * The principal of an `Authorization` header; null when there is none, or when it holds neither a key that is known,
   * unexpired and unrevoked nor an access token whose session goes on. Plain when the credential was looked up less than
   * `cacheTtlMs` ago, else a promise, which concurrent calls with the same credential share.
   * @throws TaskboardError `SERVICE_UNAVAILABLE` (rejecting) when the storage cannot tell.
   */
  authenticate(authorization: string | undefined): Principal | null | Promise<Principal | null>
  /** The session of a header's access token, over or not; null when there is no such token. */
  findSession(authorization: string | undefined): Promise<string | null>
  /** Trusts nothing any more that was or is being looked up for this key: called when it is revoked in this process. */
  forget(keyId: string): void
  /** The same for a session that ends. */
  forgetSession(sessionId: string): void
}

export interface AuthenticatorOptions {
  readonly environment: Environment
  readonly store: Pick<AccessStore, 'findPrincipalByKeyHash'>
  /** Absent, only API keys hold. */
  readonly sessions?: AuthenticatorSessions | undefined
  /** How many keys, and as many sessions and tokens, are remembered at once. Default 10,000. */
  readonly cacheSize?: number | undefined
  /**
   * How long a look-up is trusted, and so how long a key that was revoked or a session that was ended by another process can
   * still pass. Default 1,000; 0 looks every request up. Requests that come in the second half of that time have it looked up
   * again beside them.
   */
  readonly cacheTtlMs?: number | undefined
}

export interface AuthenticatorSessions {
  readonly tokens: Pick<AccessTokens, 'verify'>
  readonly store: Pick<SessionStore, 'findPrincipalBySession'>
}

const DEFAULT_CACHE_SIZE = 10_000
const DEFAULT_CACHE_TTL_MS = 1_000

/**
 * An authenticator over API keys and access tokens, told apart by a key's length, shape and checksum. It remembers found
 * credentials by their hash, never one itself, and nothing about unknown ones. Memory is bounded.
 */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { environment, store, sessions, cacheSize = DEFAULT_CACHE_SIZE } = options
  const { cacheTtlMs = DEFAULT_CACHE_TTL_MS } = options
  requireWhole('cacheSize', cacheSize)
  requireWhole('cacheTtlMs', cacheTtlMs)
  const cache = { environment, size: cacheSize, ttlMs: cacheTtlMs }
  const keys = createPrincipalCache({
    ...cache,
    find: (hash) => store.findPrincipalByKeyHash(hash, { now: environment.storageNow() }),
  })
  const users =
    sessions === undefined
      ? undefined
      : createTokenAuthenticator(
          createTokenCache({ clock: environment.clock, tokens: sessions.tokens, size: cacheSize }),
          createPrincipalCache({
            ...cache,
            find: (sessionId) =>
              sessions.store.findPrincipalBySession(sessionId, { now: environment.storageNow() }),
          }),
        )

  return {
    authenticate(authorization) {
      const token = authorization === undefined ? null : parseBearer(authorization)
      if (token === null) return null
      if (token.length !== API_KEY_LENGTH) return users?.authenticate(token) ?? null
      const hash = hashApiKey(token)
      // A remembered key is known to be whole, so only the others have their checksum worked out.
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

/** Whether a header holds what has the form of one of our API keys, known or not. */
export function showsApiKey(authorization: string | undefined): boolean {
  const token = authorization === undefined ? null : parseBearer(authorization)
  return token !== null && isApiKey(token)
}

/** The part for access tokens: what a token says is remembered until it expires, whom its session stands for only a moment. */
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

/** A session stands for its user alone. */
function ofUser(principal: Principal | null, userId: string): Principal | null {
  return principal?.id === userId ? principal : null
}
