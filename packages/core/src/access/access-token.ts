import { createSecretKey } from 'node:crypto'
import { jwtVerify, SignJWT } from 'jose'
import type { Clock, Instant } from '../environment/index.js'
import { TaskboardError } from '../errors/index.js'

/** How access and refresh tokens are made. */
export interface TokenOptions {
  /**
   * Signs the access tokens: at least 32 random bytes, the same in all processes. Anyone who knows it can impersonate any user. Text
   * counts by its UTF-8 bytes.
   */
  readonly secret: string | Uint8Array
  /** The `iss` of access tokens, and what authenticator apps show. Default `taskboard`. */
  readonly issuer?: string | undefined
  /** The `aud` of access tokens. Default `taskboard`. */
  readonly audience?: string | undefined
  /** The lifetime of an access token: whole seconds, in milliseconds. Default 15 minutes, at most a day. */
  readonly accessTokenTtlMs?: number | undefined
  /** The lifetime of a refresh token. A session expires when it isn't refreshed for this long. Default 30 days. */
  readonly refreshTokenTtlMs?: number | undefined
  /** How long a session lasts at most, however often it is refreshed. Then the user logs in again. Default 30 days. */
  readonly sessionTtlMs?: number | undefined
}

/** The claims of an access token whose signature is verified. */
export interface AccessClaims {
  readonly userId: string
  readonly sessionId: string
  readonly expiresAt: Instant
}

/** Makes and checks access tokens. */
export interface AccessTokens {
  /** The lifetime of a new token. */
  readonly ttlMs: number
  sign(claims: Pick<AccessClaims, 'userId' | 'sessionId'>): Promise<string>
  /** Null except for a token that `sign` made with the same options and that hasn't expired. */
  verify(token: string): Promise<AccessClaims | null>
}

/** The claims of a one-time login code whose signature is verified. */
export interface LoginCodeClaims {
  readonly userId: string
  /** A digest of the password's hash when the code was made. */
  readonly password: string
  /** Unique, for counting uses. */
  readonly id: string
  readonly lifetimeMs: number
}

/** Signs and verifies one-time login codes. It doesn't count uses. */
export interface LoginCodeTokens {
  sign(claims: LoginCodeClaims): Promise<string>
  /** Null except for a code that `sign` made with the same options and that hasn't expired. */
  verify(code: string): Promise<LoginCodeClaims | null>
}

const ALGORITHM = 'HS256'
const TYPE = 'at+jwt'
/** Its own type, so that a code is never an access token, nor the reverse. */
const CODE_TYPE = 'login-code+jwt'
const LEAST_SECRET_BYTES = 32
const SECOND_MS = 1_000
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const DEFAULT_NAME = 'taskboard'

/** The options with their defaults. */
export interface TokenSettings {
  readonly secret: Uint8Array
  readonly issuer: string
  readonly audience: string
  readonly accessTokenTtlMs: number
  readonly refreshTokenTtlMs: number
  readonly sessionTtlMs: number
}

/** @throws TaskboardError `INVALID_CONFIG` naming the first option that can't work. */
export function resolveTokenOptions(options: TokenOptions): TokenSettings {
  const { issuer = DEFAULT_NAME, audience = DEFAULT_NAME } = options
  const { accessTokenTtlMs = 15 * MINUTE_MS, refreshTokenTtlMs = 30 * DAY_MS } = options
  const { sessionTtlMs = Math.max(30 * DAY_MS, refreshTokenTtlMs) } = options
  const given: unknown = options.secret
  const secret = typeof given === 'string' ? new TextEncoder().encode(given) : given
  if (!(secret instanceof Uint8Array) || secret.length < LEAST_SECRET_BYTES) {
    throw invalid('tokens.secret', `must have at least ${LEAST_SECRET_BYTES} bytes`)
  }
  for (const [field, name] of Object.entries({ issuer, audience })) {
    if (typeof name !== 'string' || name.trim() === '') throw invalid(`tokens.${field}`, 'must be a name')
  }
  if (!isWholeSeconds(accessTokenTtlMs) || accessTokenTtlMs > DAY_MS) {
    throw invalid('tokens.accessTokenTtlMs', 'must be whole seconds, at most a day')
  }
  if (!isWholeSeconds(refreshTokenTtlMs) || refreshTokenTtlMs < accessTokenTtlMs) {
    throw invalid('tokens.refreshTokenTtlMs', 'must be whole seconds, at least accessTokenTtlMs')
  }
  if (!isWholeSeconds(sessionTtlMs) || sessionTtlMs < refreshTokenTtlMs) {
    throw invalid('tokens.sessionTtlMs', 'must be whole seconds, at least refreshTokenTtlMs')
  }
  return {
    secret: Uint8Array.from(secret),
    issuer,
    audience,
    accessTokenTtlMs,
    refreshTokenTtlMs,
    sessionTtlMs,
  }
}

/**
 * JSON Web Tokens (RFC 9068's `at+jwt`) with HMAC-SHA-256, the only accepted algorithm. `iss`, `aud`, `typ`, `exp`, `sub` and `sid`
 * are required and checked. A header with a key or any other member is rejected.
 */
export function createAccessTokens(
  settings: Pick<TokenSettings, 'secret' | 'issuer' | 'audience' | 'accessTokenTtlMs'>,
  clock: Clock,
): AccessTokens {
  const { issuer, audience, accessTokenTtlMs: ttlMs } = settings
  const key = createSecretKey(settings.secret)
  const rules = {
    algorithms: [ALGORITHM],
    typ: TYPE,
    issuer,
    audience,
    requiredClaims: ['exp', 'sub', 'sid'],
  }

  return {
    ttlMs,
    sign({ userId, sessionId }) {
      const issuedAtS = Math.floor(clock.now() / SECOND_MS)
      return new SignJWT({ sid: sessionId })
        .setProtectedHeader({ alg: ALGORITHM, typ: TYPE })
        .setIssuer(issuer)
        .setAudience(audience)
        .setSubject(userId)
        .setIssuedAt(issuedAtS)
        .setExpirationTime(issuedAtS + ttlMs / SECOND_MS)
        .sign(key)
    },
    async verify(token) {
      try {
        const { payload, protectedHeader } = await jwtVerify(token, key, {
          ...rules,
          currentDate: new Date(clock.now()),
        })
        const { sub, sid, exp } = payload
        const isPlain = Object.keys(protectedHeader).every((name) => name === 'alg' || name === 'typ')
        if (!isPlain || typeof sub !== 'string' || typeof sid !== 'string' || exp === undefined) return null
        return { userId: sub, sessionId: sid, expiresAt: exp * SECOND_MS }
      } catch {
        // The caller learns only that the token is not valid, whatever the cause.
        return null
      }
    },
  }
}

/** Login codes as JSON Web Tokens, with the secret, the issuer and the audience of the access tokens. */
export function createLoginCodeTokens(
  { secret, issuer, audience }: Pick<TokenSettings, 'secret' | 'issuer' | 'audience'>,
  clock: Clock,
): LoginCodeTokens {
  const key = createSecretKey(secret)
  const rules = { algorithms: [ALGORITHM], typ: CODE_TYPE, issuer, audience }
  const requiredClaims = ['exp', 'iat', 'sub', 'jti', 'pwd']
  return {
    sign({ userId, password, id, lifetimeMs }) {
      const issuedAtS = Math.floor(clock.now() / SECOND_MS)
      return new SignJWT({ pwd: password })
        .setProtectedHeader({ alg: ALGORITHM, typ: CODE_TYPE })
        .setIssuer(issuer)
        .setAudience(audience)
        .setSubject(userId)
        .setJti(id)
        .setIssuedAt(issuedAtS)
        .setExpirationTime(issuedAtS + lifetimeMs / SECOND_MS)
        .sign(key)
    },
    async verify(code) {
      try {
        const currentDate = new Date(clock.now())
        const { payload } = await jwtVerify(code, key, { ...rules, requiredClaims, currentDate })
        const { sub, jti, iat = 0, exp = 0, pwd } = payload
        if (sub === undefined || jti === undefined || typeof pwd !== 'string') return null
        return { userId: sub, id: jti, password: pwd, lifetimeMs: (exp - iat) * SECOND_MS }
      } catch {
        return null
      }
    },
  }
}

function isWholeSeconds(ms: number): boolean {
  return Number.isSafeInteger(ms) && ms >= SECOND_MS && ms % SECOND_MS === 0
}

function invalid(field: string, rule: string): TaskboardError {
  return new TaskboardError('INVALID_CONFIG', `${field} ${rule}`, { field })
}
