import type { z } from 'zod'
import type { Environment } from '../environment/index.js'
import { isTaskboardError, parseInput, TaskboardError } from '../errors/index.js'
import { createRateLimiter } from '../limits/index.js'
import type { AccessTokens } from './access-token.js'
import { addressBucket } from './credential-guard.js'
import type { Authenticator } from './authenticator.js'
import { credentialDigest } from './credential-digest.js'
import type { MfaCodes } from './mfa-codes.js'
import type { LoginCodes } from './login-codes.js'
import type { PasswordHasher } from './password-hasher.js'
import { mintRefreshToken, parseRefreshToken } from './refresh-token.js'
import type { SessionStore, SignIn } from './session-store.js'
import { loginInput } from './access-input.js'

/** A login. `mfaCode` is a one-time password or a recovery code, for users who are enrolled. */
export type LoginInput = z.input<typeof loginInput>

/** Where a request comes from, as the host sees it. */
export interface LoginOrigin {
  readonly clientAddress: string
}

/** The tokens of a session. */
export interface SessionTokens {
  readonly accessToken: string
  /** Good for one refresh. */
  readonly refreshToken: string
  /** The lifetime of the access token, in seconds. */
  readonly expiresInS: number
  readonly tokenType: 'Bearer'
  /** The lifetime of the refresh token, in seconds. */
  readonly refreshExpiresInS: number
}

/** Logs users in and out. Every method rejects with `SERVICE_UNAVAILABLE` when the storage does not answer. */
export interface Sessions {
  /**
   * Begins a session. An unknown address and a wrong password give the same error and take the same time. Ten wrong passwords or five
   * wrong codes lock this address for this client for 15 minutes, whether the user exists or not.
   * @throws TaskboardError `UNAUTHORIZED` for a wrong login, with `field` `mfaCode` when the password was right and a code is
   *   missing or wrong; `RATE_LIMITED` with the wait; `MISSING_FIELD`, `INVALID_FIELD`.
   */
  login(input: LoginInput, origin: LoginOrigin): Promise<SessionTokens>
  /**
   * Begins a session by a one-time login code, without a password or a second factor. Of all callers with the same code, one succeeds.
   * @throws TaskboardError `UNAUTHORIZED` for a code that was used, has expired, or is not valid; `RATE_LIMITED` after too many of them.
   */
  loginByCode(code: string, origin: LoginOrigin): Promise<SessionTokens>
  /**
   * Exchanges a refresh token for the next one, once. Of two concurrent calls one gets it, and the session stays. Showing the token
   * again more than 10 s later ends the session, because two clients have it.
   * @throws TaskboardError `UNAUTHORIZED`, `RATE_LIMITED`.
   */
  refresh(refreshToken: string, origin: LoginOrigin): Promise<SessionTokens>
  /**
   * Ends the session of a refresh token, or else of the access token in an `Authorization` header. Idempotent.
   * @throws TaskboardError `MISSING_FIELD` (`refreshToken`) with neither, `UNAUTHORIZED` for an access token that is not valid.
   */
  logout(shown: {
    readonly refreshToken?: string | null | undefined
    readonly authorization?: string | undefined
  }): Promise<void>
}

export interface SessionsDeps {
  readonly environment: Environment
  readonly store: SessionStore
  readonly hasher: PasswordHasher
  readonly mfaCodes: MfaCodes
  readonly codes: Pick<LoginCodes, 'redeem'>
  readonly tokens: Pick<AccessTokens, 'sign' | 'ttlMs'>
  readonly refreshTokenTtlMs: number
  readonly authenticator: Pick<Authenticator, 'findSession' | 'forgetSession'>
  /** Logins in any rolling minute for each client address, and as many failed refreshes and codes, in this process. */
  readonly perMinute: number
}

const MINUTE_MS = 60_000
const SECOND_MS = 1_000
const MOST_ADDRESSES = 100_000
const REUSE_GRACE_MS = 10_000
const WRONG_LOGIN = 'the e-mail address or the password is wrong'
const WRONG_REFRESH = 'the refresh token is not valid'
const WRONG_CODE = 'the login link was used before, or has expired; ask for a new one'

/** The service behind login, refresh and logout. */
export function createSessions(deps: SessionsDeps): Sessions {
  const { environment, store, tokens, authenticator, refreshTokenTtlMs: ttlMs } = deps
  const { random, clock } = environment
  const { perMinute: limit } = deps
  const logins = createRateLimiter({ limit, windowMs: MINUTE_MS, maxKeys: MOST_ADDRESSES, clock })
  const badTokens = createRateLimiter({ limit, windowMs: MINUTE_MS, maxKeys: MOST_ADDRESSES, clock })
  const checkLogin = createLoginCheck(deps)

  async function answer(
    session: { readonly id: string; readonly userId: string },
    refreshToken: string,
  ): Promise<SessionTokens> {
    const accessToken = await tokens.sign({ userId: session.userId, sessionId: session.id })
    return {
      accessToken,
      refreshToken,
      expiresInS: tokens.ttlMs / SECOND_MS,
      tokenType: 'Bearer',
      refreshExpiresInS: ttlMs / SECOND_MS,
    }
  }

  async function begin({ userId, passwordHash }: SignIn, wrong: string): Promise<SessionTokens> {
    const { token, ...hashes } = mintRefreshToken(random)
    const session = { userId, passwordHash, ...hashes, ttlMs }
    return answer(
      await store.insertSession(session, environment.call()).catch((error) => refuseLogin(error, wrong)),
      token,
    )
  }

  /** A valid token never meets this limit: it cannot be guessed, and a host may refresh for all its users from one address. */
  function refuseToken(clientAddress: string, message: string): TaskboardError {
    requireAllowed(
      badTokens.take(addressBucket(clientAddress)),
      'too many failed refreshes from this address',
    )
    return new TaskboardError('UNAUTHORIZED', message)
  }

  return {
    async login(input, { clientAddress }) {
      const login = parseInput(loginInput, input)
      const bucket = addressBucket(clientAddress)
      requireAllowed(logins.take(bucket), 'too many logins from this address')
      return begin(await checkLogin(login, bucket), WRONG_LOGIN)
    },
    async loginByCode(code, { clientAddress }) {
      const signIn = await deps.codes.redeem(code)
      if (signIn === null) throw refuseToken(clientAddress, WRONG_CODE)
      return begin(signIn, WRONG_CODE)
    },
    async refresh(refreshToken, { clientAddress }) {
      const shown = parseRefreshToken(refreshToken)
      if (shown === null) throw refuseToken(clientAddress, WRONG_REFRESH)
      const { token, tokenHash: nextTokenHash } = mintRefreshToken(random, refreshToken)
      const request = { ...shown, nextTokenHash, ttlMs, reuseGraceMs: REUSE_GRACE_MS }
      const found = await store.consumeRefreshToken(request, environment.call())
      if (found?.outcome === 'rotated') return answer(found.session, token)
      if (found?.outcome === 'ended') authenticator.forgetSession(found.session.id)
      throw refuseToken(clientAddress, WRONG_REFRESH)
    },
    async logout({ refreshToken, authorization }) {
      const named = await namedSession(authenticator, refreshToken, authorization)
      if (named === null) return
      const ended = await store.endSession(named, environment.call())
      if (ended !== null) authenticator.forgetSession(ended.id)
    },
  }
}

/** The user's password has changed since it was checked. */
function refuseLogin(error: unknown, message: string): never {
  throw isTaskboardError(error, 'NOT_FOUND') ? new TaskboardError('UNAUTHORIZED', message) : error
}

/** Returns the user of a right login. */
function createLoginCheck(deps: SessionsDeps) {
  const { environment, store, hasher, mfaCodes } = deps

  async function checkCode(signIn: SignIn, code: string, key: string): Promise<void> {
    requireAllowed(
      await store.takeLoginAttempt({ key, kind: 'code' }, environment.call()),
      'too many wrong logins',
    )
    const { userId, mfaSecret: sealedSecret, asOf } = signIn
    if (sealedSecret !== null && (await mfaCodes.redeem({ userId, sealedSecret, asOf }, code))) return
    throw new TaskboardError('UNAUTHORIZED', 'mfaCode is wrong or was already used', { field: 'mfaCode' })
  }

  return async (login: z.output<typeof loginInput>, bucket: string): Promise<SignIn> => {
    const { email, password, mfaCode } = login
    const key = credentialDigest(JSON.stringify([email, bucket]))
    requireAllowed(
      await store.takeLoginAttempt({ key, kind: 'password' }, environment.call()),
      'too many wrong logins',
    )
    const signIn = await store.findSignIn({ email }, environment.call())
    const isRight = await hasher.verify(password, signIn?.passwordHash ?? hasher.decoy)
    if (signIn === null || !isRight) throw new TaskboardError('UNAUTHORIZED', WRONG_LOGIN)
    if (signIn.mfaSecret !== null) {
      if (mfaCode == null) {
        throw new TaskboardError('UNAUTHORIZED', 'mfaCode is required', { field: 'mfaCode' })
      }
      await checkCode(signIn, mfaCode, key)
    }
    await store.clearLoginAttempts({ key }, environment.call())
    return signIn
  }
}

async function namedSession(
  authenticator: Pick<Authenticator, 'findSession'>,
  refreshToken: string | null | undefined,
  authorization: string | undefined,
): Promise<{ familyHash: string } | { id: string } | null> {
  if (refreshToken != null) {
    const shown = parseRefreshToken(refreshToken)
    return shown === null ? null : { familyHash: shown.familyHash }
  }
  if (authorization === undefined) {
    throw new TaskboardError('MISSING_FIELD', 'refreshToken is required', { field: 'refreshToken' })
  }
  const id = await authenticator.findSession(authorization)
  if (id === null) throw new TaskboardError('UNAUTHORIZED', 'the access token is not valid')
  return { id }
}

/** Returns when allowed. @throws TaskboardError `RATE_LIMITED` with the wait. */
export function requireAllowed(
  { allowed, retryAfterMs }: { readonly allowed: boolean; readonly retryAfterMs: number },
  message: string,
): void {
  if (!allowed) throw new TaskboardError('RATE_LIMITED', message, { retryAfterMs })
}
