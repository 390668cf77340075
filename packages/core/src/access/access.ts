import type { AuditActor, Environment } from '../environment/index.js'
import type { LimitStore } from '../limits/index.js'
import type { AccessStore } from './access-store.js'
import {
  type AccessTokens,
  createAccessTokens,
  createLoginCodeTokens,
  type LoginCodeTokens,
  resolveTokenOptions,
  type TokenOptions,
} from './access-token.js'
import { type Authenticator, createAuthenticator } from './authenticator.js'
import { type CallerKeys, createCallerKeys } from './caller-keys.js'
import { createInvitations, type Invitations, type InvitationsDeps } from './invitations.js'
import { createLoginCodes, type LoginCode, type LoginCodeInput } from './login-codes.js'
import { createMfaCodes } from './mfa-codes.js'
import { createMfa, type Mfa } from './mfa.js'
import { createScryptHasher, type PasswordHasher } from './password-hasher.js'
import { createKnownClients } from './known-clients.js'
import { createPasswordWork, type PasswordWork } from './password-work.js'
import type { SecretBox } from './secret-box.js'
import type { SessionStore } from './session-store.js'
import { giveBackGuess, requireAllowed } from './login-check.js'
import { createSessions, type Sessions, type SessionsDeps } from './sessions.js'
import { TaskboardError } from '../errors/index.js'
import { credentialDigest } from './credential-digest.js'

/** Login with the board's own users. */
export interface Login {
  readonly sessions: Sessions
  readonly mfa: Mfa
  readonly invitations: Invitations
  /**
   * Makes a one-time login code, for the host's own code. It begins a session without a password or a second factor, so the host vouches
   * for anyone who gets it.
   */
  createLoginCode(input: LoginCodeInput): Promise<LoginCode>
  /**
   * Checks the password of a user who is logged in, before a change of it.
   * @throws TaskboardError `INVALID_FIELD` (`currentPassword`) for a wrong one, `RATE_LIMITED` after ten.
   */
  confirmPassword(userId: string, password: string, by: AuditActor): Promise<void>
}

interface LoginDeps extends Pick<InvitationsDeps, 'linkTo' | 'onInvitation'> {
  readonly environment: Environment
  readonly accessStore: AccessStore
  readonly store: SessionStore
  readonly passwords: PasswordWork
  readonly secrets: SecretBox
  readonly tokens: AccessTokens
  readonly codeTokens: LoginCodeTokens
  readonly limits: LimitStore
  readonly refreshTokenTtlMs: number
  readonly sessionTtlMs: number
  /** What authenticator apps show next to the user's address. */
  readonly issuer: string
  readonly authenticator: Pick<Authenticator, 'findSession' | 'forgetSession'>
  readonly onRefused: SessionsDeps['onRefused']
  /** See `SessionsDeps`. Default 60. */
  readonly perMinute?: number | undefined
}

const DEFAULT_PER_MINUTE = 60
const MOST_KNOWN = 10_000
const MOST_KNOWN_OF_USER = 10

/** Wires sessions and second factors, which take the same codes. */
function createLogin(deps: LoginDeps): Login {
  const { perMinute = DEFAULT_PER_MINUTE } = deps
  const mfaCodes = createMfaCodes(deps)
  const codes = createLoginCodes(deps)
  const sessions = createSessions({
    ...deps,
    perMinute,
    mfaCodes,
    codes,
    knownClients: createKnownClients(MOST_KNOWN, MOST_KNOWN_OF_USER),
  })
  return {
    sessions,
    mfa: createMfa({ ...deps, codes: mfaCodes, sessions }),
    invitations: createInvitations({ ...deps, store: deps.accessStore, sessions }),
    createLoginCode: (input) => codes.create(input),
    confirmPassword: createPasswordCheck(deps),
  }
}

/** Everything that identifies a caller. */
export interface Access {
  readonly passwords: PasswordWork
  readonly authenticator: Authenticator
  readonly keys: CallerKeys
  /** Null without `tokens`. */
  readonly login: Login | null
}

interface AccessDeps extends Pick<InvitationsDeps, 'linkTo' | 'onInvitation'> {
  readonly environment: Environment
  readonly store: AccessStore
  readonly sessions: SessionStore
  readonly limits: LimitStore
  readonly secrets: SecretBox
  /** Absent: no login with passwords. */
  readonly tokens?: TokenOptions | undefined
  /** Default: scrypt. */
  readonly hasher?: PasswordHasher | undefined
  /** Called for each wrong login, for the audit. */
  readonly onRefusedLogin?: SessionsDeps['onRefused'] | undefined
  /** Failed credentials, and logins, in any rolling minute for each client address. */
  readonly failuresPerMinute?: number | undefined
  /** How long a key that a user makes lasts at most. */
  readonly longestLifetimeMs?: number | undefined
}

/** Wires keys, tokens, passwords and second factors. @throws TaskboardError `INVALID_CONFIG`. */
export function createAccess(deps: AccessDeps): Access {
  const { environment, store, sessions, limits, secrets, failuresPerMinute } = deps
  const hasher = deps.hasher ?? createScryptHasher({ random: environment.random })
  const passwords = createPasswordWork({ hasher })
  if (deps.tokens === undefined) {
    const authenticator = createAuthenticator({ environment, store, failuresPerMinute })
    const keys = createCallerKeys({ ...deps, authenticator })
    return { passwords, authenticator, keys, login: null }
  }
  const settings = resolveTokenOptions(deps.tokens)
  const tokens = createAccessTokens(settings, environment.clock)
  const authenticator = createAuthenticator({ environment, store, tokens, failuresPerMinute })
  const login = createLogin({
    environment,
    accessStore: store,
    store: sessions,
    linkTo: deps.linkTo,
    onInvitation: deps.onInvitation,
    passwords,
    secrets,
    tokens,
    codeTokens: createLoginCodeTokens(settings, environment.clock),
    limits,
    refreshTokenTtlMs: settings.refreshTokenTtlMs,
    sessionTtlMs: settings.sessionTtlMs,
    issuer: settings.issuer,
    authenticator,
    perMinute: failuresPerMinute,
    onRefused: deps.onRefusedLogin ?? (() => undefined),
  })
  return { passwords, authenticator, keys: createCallerKeys({ ...deps, authenticator }), login }
}

interface ConfirmPasswordDeps {
  readonly environment: Environment
  readonly store: SessionStore
  readonly passwords: PasswordWork
  readonly onRefused: SessionsDeps['onRefused']
}

/** In UTF-16 code units: above the longest password. */
const LONGEST_PASSWORD = 1_024

/** Checks the password of a user who is logged in; ten wrong ones lock that for 15 minutes. */
function createPasswordCheck({ environment, store, passwords, onRefused }: ConfirmPasswordDeps) {
  return async (userId: string, password: string, by: AuditActor): Promise<void> => {
    const key = credentialDigest(`the password of ${userId}`)
    const decision = await store.takeLoginAttempt({ key, kind: 'password' }, environment.call())
    if (!decision.allowed) onRefused({ action: 'login.locked', userId, by })
    requireAllowed(decision, 'too many wrong passwords')
    const signIn =
      password.length > LONGEST_PASSWORD ? null : await store.findSignIn({ userId }, environment.call())
    const client = { key: userId, isKnown: true }
    const isRight =
      signIn !== null &&
      (await passwords
        .verify(password, signIn.passwordHash, client)
        .catch(giveBackGuess({ environment, store }, key)))
    if (!isRight) {
      onRefused({ action: 'login.failed', userId, by })
      throw new TaskboardError('INVALID_FIELD', 'currentPassword is wrong', { field: 'currentPassword' })
    }
    await store.clearLoginAttempts({ key }, environment.call())
  }
}
