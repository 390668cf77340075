import type { z } from 'zod'
import type { Environment } from '../environment/index.js'
import { parseInput, TaskboardError } from '../errors/index.js'
import type { LimitStore } from '../limits/index.js'
import { loginCodeInput } from './access-input.js'
import type { LoginCodeClaims, LoginCodeTokens } from './access-token.js'
import { credentialDigest } from './credential-digest.js'
import type { SessionStore, SignIn } from './session-store.js'

/** The user, by `userId` or `email`. `ttlMs` is how long the code is valid: whole seconds, default ten minutes, at most a day. */
export type LoginCodeInput = z.input<typeof loginCodeInput>

/** A code that begins one session of a user, without a password. */
export interface LoginCode {
  readonly code: string
  readonly ttlMs: number
}

export interface LoginCodesDeps {
  readonly environment: Environment
  readonly store: Pick<SessionStore, 'findSignIn'>
  readonly limits: LimitStore
  readonly codeTokens: LoginCodeTokens
}

/** Makes and uses up login codes. */
export interface LoginCodes {
  /** @throws TaskboardError `NOT_FOUND` for an unknown user; `MISSING_FIELD`, `INVALID_FIELD`. */
  create(input: LoginCodeInput): Promise<LoginCode>
  /** The user of a code, which stays unused; null for a code that isn't valid. Doesn't say whether it was used. */
  show(code: string): Promise<SignIn | null>
  /** The user of a code, for exactly one of all its callers; null for the others, and for a code that isn't valid. */
  redeem(code: string): Promise<SignIn | null>
}

const DEFAULT_LIFETIME_MS = 600_000
/** Codes expire by the clocks of processes, and their uses are counted by the storage's. */
const CLOCK_DIFFERENCE_MS = 300_000
const LONGEST_CODE = 2_048
const ID_BYTES = 16
/** 64 bits in hexadecimal. */
const MARK_LENGTH = 16

/**
 * Login codes are signed, and stored nowhere. Their uses are counted like requests, exactly over all processes that share the storage.
 * A code ends with the password that the user had when it was made.
 */
export function createLoginCodes({ environment, store, limits, codeTokens }: LoginCodesDeps): LoginCodes {
  async function claimsOf(code: string): Promise<LoginCodeClaims | null> {
    return code.length > LONGEST_CODE ? null : codeTokens.verify(code)
  }

  async function userOf(claims: LoginCodeClaims): Promise<SignIn | null> {
    const signIn = await store.findSignIn({ userId: claims.userId }, environment.call())
    return signIn !== null && markOf(signIn) === claims.password ? signIn : null
  }

  return {
    async create(input) {
      const { userId, email, ttlMs } = parseInput(loginCodeInput, input)
      const lifetimeMs = ttlMs ?? DEFAULT_LIFETIME_MS
      const named = userId == null ? { email: email ?? '' } : { userId }
      const signIn = await store.findSignIn(named, environment.call())
      if (signIn === null) throw new TaskboardError('NOT_FOUND', 'no such user')
      const id = Buffer.from(environment.random.bytes(ID_BYTES)).toString('base64url')
      const password = markOf(signIn)
      const code = await codeTokens.sign({ userId: signIn.userId, password, id, lifetimeMs })
      return { code, ttlMs: lifetimeMs }
    },
    async redeem(code) {
      const claims = await claimsOf(code)
      if (claims === null) return null
      const use = {
        key: `login-code:${claims.id}`,
        limit: 1,
        windowMs: claims.lifetimeMs + CLOCK_DIFFERENCE_MS,
      }
      const { allowed } = await limits.take(use, environment.call())
      if (!allowed) return null
      return userOf(claims)
    },
    async show(code) {
      const claims = await claimsOf(code)
      return claims === null ? null : userOf(claims)
    },
  }
}

/** Tells one password of a user from the next. Short, for the length of links: the code's signature is what no one can forge. */
function markOf({ passwordHash }: SignIn): string {
  return credentialDigest(passwordHash).slice(0, MARK_LENGTH)
}
