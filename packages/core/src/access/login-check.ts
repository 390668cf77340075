import type { z } from 'zod'
import type { AuditActor, Environment } from '../environment/index.js'
import { isTaskboardError, TaskboardError } from '../errors/index.js'
import { createRateLimiter } from '../limits/index.js'
import type { loginInput } from './access-input.js'
import { addressBucket, networkAround } from './credential-guard.js'
import { credentialDigest } from './credential-digest.js'
import { codeAttempts, isTotpCode, type MfaCodes } from './mfa-codes.js'
import type { createKnownClients } from './known-clients.js'
import type { PasswordClient, PasswordWork } from './password-work.js'
import type { SessionStore, SignIn } from './session-store.js'

/** Where a request comes from, as the host sees it. */
export interface LoginOrigin {
  readonly clientAddress: string
  /** The `User-Agent` header, by which people recognize their sessions. */
  readonly userAgent?: string | null | undefined
  readonly requestId?: string | null | undefined
}

/** A login that was rejected. */
export interface LoginRefusal {
  readonly action: 'login.failed' | 'login.locked'
  /** The user of the address; null when it has none. */
  readonly userId: string | null
  readonly by: AuditActor
}

export interface LoginCheckDeps {
  readonly environment: Environment
  readonly store: SessionStore
  readonly passwords: PasswordWork
  readonly knownClients: ReturnType<typeof createKnownClients>
  readonly mfaCodes: MfaCodes
  /** Called for each wrong login, for the audit. */
  readonly onRefused: (refusal: LoginRefusal) => void
  /** Logins in any rolling minute for each client address, in this process. */
  readonly perMinute: number
}

const MINUTE_MS = 60_000
export const mostAddresses = 100_000
export const wrongLogin = 'the email address or the password is wrong'

type Login = z.output<typeof loginInput>

/** Returns the user of a right login, and counts wrong ones. */
export function createLoginCheck(deps: LoginCheckDeps) {
  const { environment, store, perMinute: limit } = deps
  const { clock } = environment
  const limits = { limit, windowMs: MINUTE_MS, maxKeys: mostAddresses, clock }
  const logins = createRateLimiter(limits)
  /** Logins of known clients, whose places no flood of other addresses can take. */
  const ofKnown = createRateLimiter(limits)
  /** Logins of addresses for which `logins` has no place. */
  const ofNetworks = createRateLimiter(limits)
  const checkOne = createOneCheck(deps)

  function take(bucket: string) {
    if (deps.knownClients.has(bucket)) return ofKnown.take(bucket)
    const decision = logins.take(bucket)
    const hasNoPlace = !decision.allowed && logins.remaining(bucket) > 0
    return hasNoPlace ? ofNetworks.take(wideNetwork(bucket)) : decision
  }

  /** What a client has used of the limit goes with it. */
  function becomeKnown(bucket: string, userId: string): void {
    const isNew = !deps.knownClients.has(bucket)
    const used = isNew ? limit - logins.remaining(bucket) : 0
    for (let count = 0; count < used; count++) ofKnown.take(bucket)
    deps.knownClients.add(bucket, userId)
  }

  async function check(login: Login, origin: LoginOrigin, client?: PasswordClient): Promise<SignIn> {
    const bucket = addressBucket(origin.clientAddress)
    requireAllowed(take(bucket), 'too many logins from this address')
    const signIn = await checkOne(login, { bucket, origin }, client)
    becomeKnown(bucket, signIn.userId)
    return signIn
  }

  /** As a login of a user whose session it is. A field is wrong: the credential of the request is right. */
  async function checkAgain(
    { userId, ...login }: { readonly userId: string } & Omit<Login, 'email'>,
    origin: LoginOrigin,
  ): Promise<void> {
    const signIn = await store.findSignIn({ userId }, environment.call())
    try {
      await check({ email: signIn?.email ?? '', ...login }, origin, { key: userId, isKnown: true })
    } catch (error) {
      throw isTaskboardError(error, 'UNAUTHORIZED') ? asField(error, error.field ?? 'password') : error
    }
  }

  return { check, checkAgain }
}

/** The /32 of an IPv6 network, the /16 of an IPv4 address. */
function wideNetwork(bucket: string): string {
  return bucket.includes(':') ? networkAround(bucket, 2) : bucket.split('.').slice(0, 2).join('.')
}

/**
 * The client for whom a password is checked. The networks of one IPv6 site wait as one client when they are known, because one login makes
 * each known.
 */
function clientOf(bucket: string, isKnown: boolean): PasswordClient {
  return { key: isKnown ? networkAround(bucket, 3) : bucket, isKnown }
}

/** Someone whom Taskboard's login knows, or who shows a token of a session. */
export function userActor(
  userId: string | null,
  { clientAddress, requestId = null }: LoginOrigin,
  sessionId: string | null = null,
): AuditActor {
  return { kind: 'user', id: userId, clientAddress, requestId, sessionId }
}

/** Checks one login. */
function createOneCheck({
  environment,
  store,
  passwords,
  mfaCodes,
  knownClients,
  onRefused,
}: LoginCheckDeps) {
  const refused = (action: LoginRefusal['action'], userId: string | null, origin: LoginOrigin): void =>
    onRefused({ action, userId, by: userActor(userId, origin) })

  /**
   * Counts a guess for the client, and one of a one-time password for the user as well, from wherever it comes. No one guesses a recovery code,
   * so that one stays valid for a user whom others have locked out.
   */
  async function checkCode(signIn: SignIn, code: string, key: string, origin: LoginOrigin): Promise<void> {
    const { userId, mfaSecret: sealedSecret, asOf } = signIn
    const ofUser = codeAttempts(userId)
    for (const each of isTotpCode(code) ? [key, ofUser] : [key]) {
      const decision = await store.takeLoginAttempt({ key: each, kind: 'code' }, environment.call())
      if (!decision.allowed) refused('login.locked', userId, origin)
      requireAllowed(decision, 'too many wrong logins')
    }
    const by = userActor(userId, origin)
    if (sealedSecret === null || !(await mfaCodes.redeem({ userId, sealedSecret, asOf }, code, by))) {
      refused('login.failed', userId, origin)
      throw new TaskboardError('UNAUTHORIZED', 'mfaCode is wrong or was already used', { field: 'mfaCode' })
    }
    await store.clearLoginAttempts({ key: ofUser }, environment.call())
  }

  /** Hashes a password again whose hash costs less than new ones. When that fails, the next login does. */
  async function renew(signIn: SignIn, password: string, client: PasswordClient): Promise<SignIn> {
    const { userId, passwordHash } = signIn
    if (!passwords.isOutdated(passwordHash)) return signIn
    const next = await passwords.hash(password, client).catch(() => null)
    if (next === null) return signIn
    const isRenewed = await store.renewPasswordHash({ userId, passwordHash, next }, environment.call())
    return isRenewed ? { ...signIn, passwordHash: next } : signIn
  }

  return async (
    login: Login,
    { bucket, origin }: { readonly bucket: string; readonly origin: LoginOrigin },
    client = clientOf(bucket, knownClients.has(bucket)),
  ): Promise<SignIn> => {
    const { email, password, mfaCode } = login
    const key = credentialDigest(JSON.stringify([email, bucket]))
    const decision = await store.takeLoginAttempt({ key, kind: 'password' }, environment.call())
    const signIn = await store.findSignIn({ email }, environment.call())
    const userId = signIn?.userId ?? null
    if (!decision.allowed) refused('login.locked', userId, origin)
    requireAllowed(decision, 'too many wrong logins')
    const isRight = await passwords
      .verify(password, signIn?.passwordHash ?? passwords.decoy, client)
      .catch(giveBackGuess({ environment, store }, key))
    if (signIn === null || !isRight) {
      refused('login.failed', userId, origin)
      throw new TaskboardError('UNAUTHORIZED', wrongLogin)
    }
    if (signIn.mfaSecret !== null) {
      if (mfaCode == null) {
        throw new TaskboardError('UNAUTHORIZED', 'mfaCode is required', { field: 'mfaCode' })
      }
      await checkCode(signIn, mfaCode, key, origin)
    }
    await store.clearLoginAttempts({ key }, environment.call())
    return renew(signIn, password, client)
  }
}

/** A password that couldn't be checked wasn't a guess. */
export function giveBackGuess(
  { environment, store }: Pick<LoginCheckDeps, 'environment' | 'store'>,
  key: string,
) {
  return async (error: unknown): Promise<never> => {
    await store.clearLoginAttempts({ key, one: 'password' }, environment.call())
    throw error
  }
}

export function asField({ message }: TaskboardError, field: string): TaskboardError {
  const text = message.startsWith(field) ? message : `${field} is wrong: ${message}`
  return new TaskboardError('INVALID_FIELD', text, { field })
}

/** Returns when allowed. @throws TaskboardError `RATE_LIMITED` with the wait. */
export function requireAllowed(
  { allowed, retryAfterMs }: { readonly allowed: boolean; readonly retryAfterMs: number },
  message: string,
): void {
  if (!allowed) throw new TaskboardError('RATE_LIMITED', message, { retryAfterMs })
}
