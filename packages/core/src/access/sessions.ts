import type { z } from 'zod'
import type { AuditActor, Clock } from '../environment/index.js'
import { isTaskboardError, parseInput, TaskboardError } from '../errors/index.js'
import { createRateLimiter } from '../limits/index.js'
import type { AccessTokens } from './access-token.js'
import { addressBucket } from './credential-guard.js'
import { createLookUps } from './look-ups.js'
import { createKnownClients } from './known-clients.js'
import type { Authenticator } from './authenticator.js'
import {
  asField,
  createLoginCheck,
  mostAddresses,
  requireAllowed,
  userActor,
  wrongLogin,
  type LoginCheckDeps,
  type LoginOrigin,
} from './login-check.js'
import type { LoginCodes } from './login-codes.js'
import { mintRefreshToken, parseRefreshToken, type RefreshTokenHashes } from './refresh-token.js'
import type { Session, SessionOrigin, SessionRecord, SignIn } from './session-store.js'
import { loginInput, proofInput } from './access-input.js'

/** A login. `mfaCode` is a one-time password or a recovery code, for users who are enrolled. */
export type LoginInput = z.input<typeof loginInput>

/** A session of someone who is logged in. */
export interface OwnSession {
  readonly userId: string
  readonly sessionId: string
}

/** How someone who is logged in shows again who they are: by the password, and a code when enrolled, or by a fresh login code. */
export type ProofInput = z.input<typeof proofInput>

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

/** Of whom a session begins. Without `mfaSecret`, the second factor isn't looked at. */
type Begun = Pick<SignIn, 'userId' | 'passwordHash'> & Partial<Pick<SignIn, 'mfaSecret'>>

/** Logs users in and out. Every method rejects with `SERVICE_UNAVAILABLE` when the storage doesn't respond. */
export interface Sessions {
  /**
   * Begins a session. An unknown address and a wrong password give the same error and take the same time. Ten wrong passwords or five
   * wrong codes lock this address for this client for 15 minutes, whether the user exists or not.
   * @throws TaskboardError `UNAUTHORIZED` for a wrong login; its `field` is `mfaCode` when the password was right and a code is missing or
   * wrong. `RATE_LIMITED` with the wait; `MISSING_FIELD`, `INVALID_FIELD`.
   */
  login(input: LoginInput, origin: LoginOrigin): Promise<SessionTokens>
  /**
   * Begins a session by a one-time login code, without a password or a second factor. Of all callers with the same code, one succeeds.
   * @throws TaskboardError `UNAUTHORIZED` for a code that was used, has expired, or isn't valid; `RATE_LIMITED` after too many of them.
   */
  loginByCode(code: string, origin: LoginOrigin): Promise<SessionTokens>
  /**
   * Whom a login code would log in, so that a page can ask before it uses the code.
   * @throws TaskboardError as `loginByCode`, but not for a code that was used.
   */
  showCode(
    code: string,
    origin: LoginOrigin,
  ): Promise<{ readonly email: string; readonly accountName: string }>
  /**
   * Exchanges a refresh token for the next one, once. Of two concurrent calls one gets it, and the session stays. Showing the token
   * again more than 10 s later revokes the session, because two clients have it.
   * @throws TaskboardError `UNAUTHORIZED`, `RATE_LIMITED`.
   */
  refresh(refreshToken: string, origin: LoginOrigin): Promise<SessionTokens>
  /**
   * Proves a session again, as a login does. Wrong passwords and codes count like failed logins.
   * @throws TaskboardError `INVALID_FIELD` naming the wrong field: `password`, `mfaCode` (the password was right) or `code`;
   * `RATE_LIMITED`; `UNAUTHORIZED` when the session expired or was revoked.
   */
  prove(session: OwnSession, input: ProofInput, origin: LoginOrigin): Promise<void>
  /**
   * Checks the password of a user, and the code of a second factor, as a login does, and begins no session.
   * @throws TaskboardError `INVALID_FIELD` (`password`, `mfaCode`) for a wrong one, `RATE_LIMITED`.
   */
  confirm(
    userId: string,
    input: { readonly password: string; readonly mfaCode: string | null },
    origin: LoginOrigin,
  ): Promise<void>
  /** Begins a session of a user whose password was set or checked just now. @throws TaskboardError `UNAUTHORIZED` when it is another one by now. */
  begin(user: Begun, origin: LoginOrigin): Promise<SessionTokens>
  /** The answer to a token that isn't valid: counts it. @throws TaskboardError `RATE_LIMITED` after too many from the address. */
  refuseToken(clientAddress: string, message: string): TaskboardError
  /**
   * Looks up a token, which counts a wrong one by `refuseToken`. Waits while those in progress may use up what the address may still have wrong.
   * @throws TaskboardError `RATE_LIMITED` for an address that has shown too many wrong ones.
   */
  withFewWrong<T>(clientAddress: string, lookUp: () => Promise<T>): Promise<T>
  /** The valid sessions of a user, newest first. */
  list(userId: string): Promise<readonly SessionRecord[]>
  /**
   * Revokes the session of a user with an id, or all of the user's but one. This process rejects them immediately, others within a second.
   * @throws TaskboardError `NOT_FOUND` for an id that isn't one of the user's live sessions.
   */
  end(
    userId: string,
    which: { readonly id: string } | { readonly exceptId: string | null },
    by: AuditActor | undefined,
  ): Promise<void>
  /**
   * Revokes the session of a refresh token, or else of the access token in an `Authorization` header. Idempotent.
   * @throws TaskboardError `MISSING_FIELD` (`refreshToken`) with neither, `UNAUTHORIZED` for an access token that isn't valid.
   */
  logout(
    shown: {
      readonly refreshToken?: string | null | undefined
      readonly authorization?: string | undefined
    },
    origin: LoginOrigin,
  ): Promise<void>
}

export interface SessionsDeps extends LoginCheckDeps {
  readonly codes: Pick<LoginCodes, 'redeem' | 'show'>
  readonly tokens: Pick<AccessTokens, 'sign' | 'ttlMs'>
  readonly refreshTokenTtlMs: number
  /** How long a session lasts at most. */
  readonly sessionTtlMs: number
  readonly authenticator: Pick<Authenticator, 'findSession' | 'forgetSession'>
}

const MINUTE_MS = 60_000
const SECOND_MS = 1_000
/** Sessions whose tokens are looked up from every address. */
const MOST_KNOWN_SESSIONS = 10_000
const REUSE_GRACE_MS = 10_000
const TOO_MANY_WRONG = 'too many wrong tokens from this address'
const WRONG_REFRESH = 'the refresh token is not valid'
const WRONG_CODE = 'the login link was used before, or has expired; ask for a new one'

/** The service behind login, refresh and logout. */
export function createSessions(deps: SessionsDeps): Sessions {
  const { environment, store, tokens, authenticator, perMinute: limit } = deps
  const { refreshTokenTtlMs: ttlMs, sessionTtlMs: longestMs } = deps
  const { random, clock } = environment
  const guard = createTokenGuard(limit, clock)
  const { refuseToken } = guard
  /** The families of refresh tokens that were right in this process: a wrong token of another address doesn't stop them. */
  const known = createKnownClients(MOST_KNOWN_SESSIONS)
  const { check, checkAgain } = createLoginCheck(deps)

  const answer = (session: Session, refreshToken: string) => tokensOf(tokens, session, refreshToken)

  async function begin(
    { userId, passwordHash, mfaSecret }: Begun,
    wrong: string,
    from: LoginOrigin,
  ): Promise<SessionTokens> {
    const { token, ...hashes } = mintRefreshToken(random)
    const session = { userId, passwordHash, mfaSecret, ...hashes, ttlMs, longestMs, origin: originOf(from) }
    const begun = await store
      .insertSession(session, environment.call({ by: userActor(userId, from) }))
      .catch((error) => refuseLogin(error, wrong))
    known.add(hashes.familyHash)
    return answer(begun, token)
  }

  return {
    async login(input, origin) {
      const login = parseInput(loginInput, input)
      return begin(await check(login, origin), wrongLogin, origin)
    },
    async loginByCode(code, origin) {
      const signIn = await deps.codes.redeem(code)
      if (signIn === null) throw refuseToken(origin.clientAddress, WRONG_CODE)
      return begin(signIn, WRONG_CODE, origin)
    },
    async showCode(code, { clientAddress }) {
      const signIn = await deps.codes.show(code)
      if (signIn === null) throw refuseToken(clientAddress, WRONG_CODE)
      return { email: signIn.email, accountName: signIn.accountName }
    },
    async prove({ userId, sessionId: id }, input, origin) {
      const { code, password, mfaCode } = parseInput(proofInput, input)
      if (code == null) await checkAgain({ userId, password: password ?? '', mfaCode }, origin)
      else if ((await deps.codes.redeem(code))?.userId !== userId) {
        throw asField(refuseToken(origin.clientAddress, WRONG_CODE), 'code')
      }
      const by = userActor(userId, origin, id)
      if (!(await store.proveSession({ id, userId }, environment.call({ by })))) {
        throw new TaskboardError('UNAUTHORIZED', 'the session expired or was revoked')
      }
      authenticator.forgetSession(id)
    },
    async confirm(userId, given, origin) {
      const { password, mfaCode } = parseInput(proofInput, given)
      await checkAgain({ userId, password: password ?? '', mfaCode }, origin)
    },
    begin: (user, origin) => begin(user, wrongLogin, origin),
    ...guard,
    ...createEndings(deps),
    refresh: createRefresh(deps, { known, guard, answer }),
  }
}

type Guard = Pick<Sessions, 'refuseToken' | 'withFewWrong'>

interface RefreshDeps {
  readonly known: ReturnType<typeof createKnownClients>
  readonly guard: Guard
  readonly answer: (session: Session, refreshToken: string) => Promise<SessionTokens>
}

function createRefresh(
  { environment, store, authenticator, refreshTokenTtlMs: ttlMs }: SessionsDeps,
  { known, guard, answer }: RefreshDeps,
): Sessions['refresh'] {
  return async (refreshToken, from) => {
    async function exchange(shown: RefreshTokenHashes): Promise<SessionTokens> {
      const { token, tokenHash: nextTokenHash } = mintRefreshToken(environment.random, refreshToken)
      const request = { ...shown, nextTokenHash, ttlMs, reuseGraceMs: REUSE_GRACE_MS, origin: originOf(from) }
      const found = await store.consumeRefreshToken(request, environment.call({ by: userActor(null, from) }))
      if (found?.outcome === 'rotated') {
        known.add(shown.familyHash)
        return answer(found.session, token)
      }
      if (found?.outcome !== 'reused') known.forget(shown.familyHash)
      if (found?.outcome === 'ended') authenticator.forgetSession(found.session.id)
      throw guard.refuseToken(from.clientAddress, WRONG_REFRESH)
    }

    const shown = parseRefreshToken(refreshToken)
    if (shown === null) throw guard.refuseToken(from.clientAddress, WRONG_REFRESH)
    // A host may refresh for all its users from one address, at which also wrong ones come in.
    if (known.has(shown.familyHash)) return exchange(shown)
    return guard.withFewWrong(from.clientAddress, () => exchange(shown))
  }
}

/** Counts tokens that aren't valid. */
function createTokenGuard(limit: number, clock: Clock): Guard {
  const wrong = createRateLimiter({ limit, windowMs: MINUTE_MS, maxKeys: mostAddresses, clock })
  const askFor = createLookUps(wrong)
  return {
    refuseToken(clientAddress, message) {
      requireAllowed(wrong.take(addressBucket(clientAddress)), TOO_MANY_WRONG)
      return new TaskboardError('UNAUTHORIZED', message)
    },
    async withFewWrong(clientAddress, lookUp) {
      const client = addressBucket(clientAddress)
      const end = await askFor(client)
      if (end === null) {
        const { retryAfterMs } = wrong.take(client)
        throw new TaskboardError('RATE_LIMITED', TOO_MANY_WRONG, { retryAfterMs })
      }
      return lookUp().finally(end)
    },
  }
}

async function tokensOf(
  tokens: SessionsDeps['tokens'],
  { id, userId, expiresInMs }: Session,
  refreshToken: string,
): Promise<SessionTokens> {
  const accessToken = await tokens.sign({ userId, sessionId: id })
  return {
    accessToken,
    refreshToken,
    expiresInS: tokens.ttlMs / SECOND_MS,
    tokenType: 'Bearer',
    refreshExpiresInS: Math.floor(expiresInMs / SECOND_MS),
  }
}

/** The part that lists sessions and stops them. */
function createEndings({
  environment,
  store,
  authenticator,
}: SessionsDeps): Pick<Sessions, 'list' | 'end' | 'logout'> {
  return {
    list: (userId) => store.listSessions({ userId }, environment.call()),
    async end(userId, which, by) {
      const ended = await store.endSessions({ userId, ...which }, environment.call({ by }))
      for (const id of ended) authenticator.forgetSession(id)
      if ('id' in which && ended.length === 0) throw new TaskboardError('NOT_FOUND', 'no such session')
    },
    async logout({ refreshToken, authorization }, origin) {
      const named = await namedSession(authenticator, refreshToken, authorization)
      if (named === null) return
      const ended = await store.endSession(named, environment.call({ by: userActor(null, origin) }))
      if (ended !== null) authenticator.forgetSession(ended.id)
    },
  }
}

const LONGEST_USER_AGENT = 256

/** What is kept of it: printable ASCII, of which a header consists. */
function originOf({ clientAddress, userAgent }: LoginOrigin): SessionOrigin {
  const printable = userAgent?.replaceAll(/[^ -~]/g, '').slice(0, LONGEST_USER_AGENT)
  return { clientAddress, userAgent: printable ?? null }
}

/** The user's password has changed since it was checked. */
function refuseLogin(error: unknown, message: string): never {
  throw isTaskboardError(error, 'NOT_FOUND') ? new TaskboardError('UNAUTHORIZED', message) : error
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
