import type { At, Instant } from '../environment/index.js'
import type { AttemptDecision, AttemptKind } from './login-attempts.js'
import type { Principal } from './principal.js'

/** What a login is judged by. */
export interface SignIn {
  readonly userId: string
  readonly passwordHash: string
  /** The sealed secret of the user's one-time passwords; null when there are none. */
  readonly mfaSecret: string | null
  /** The storage's present, by which one-time passwords are judged. */
  readonly asOf: Instant
}

/** A user's second factor. */
export interface MfaState {
  readonly email: string
  /** Sealed. Null when the user is not enrolled. */
  readonly secret: string | null
  /** Sealed. One that waits to be confirmed. */
  readonly pendingSecret: string | null
  /** The storage's present, by which one-time passwords are judged. */
  readonly asOf: Instant
}

/** What is done to a user's second factor. */
export type MfaChange =
  /** Puts a secret up for confirmation, in place of an earlier one. Refused when the user is enrolled, or unknown. */
  | { readonly kind: 'offer'; readonly sealedSecret: string }
  /**
   * Enrols the user with the secret that waits, whose code of `step` is used by that. Refused when another secret waits, or none: of
   * several confirmations one holds.
   */
  | {
      readonly kind: 'enrol'
      readonly sealedSecret: string
      readonly step: number
      readonly recoveryHashes: readonly string[]
    }
  /** Ends it, with its recovery codes. */
  | { readonly kind: 'remove' }

/** A login that goes on until its refresh tokens end, or someone ends it. */
export interface Session {
  readonly id: string
  readonly userId: string
}

/** A refresh token that is shown, and what is to follow it. */
export interface RefreshRequest {
  /** SHA-256 of what all refresh tokens of the session have in common. */
  readonly familyHash: string
  /** SHA-256 of the token. */
  readonly tokenHash: string
  readonly nextTokenHash: string
  /** How long the next token is good for. */
  readonly ttlMs: number
  /** How long after its replacement a token may come again without harm. */
  readonly reuseGraceMs: number
}

/**
 * `rotated`: the next token is good now, and the shown one no more. `reused`: it was replaced a moment ago, and nothing has
 * changed. `ended`: it was replaced earlier, so two hold tokens of this session, which is over therefore.
 */
export interface RefreshOutcome {
  readonly outcome: 'rotated' | 'reused' | 'ended'
  readonly session: Session
}

/** Logins: who may, who has, and for how long. Nothing here holds a password, a token or a code that could be used. */
export interface SessionStore<Tx = unknown> {
  /** By the normalized e-mail address. */
  findSignIn(email: string, at: At<Tx>): Promise<SignIn | null>
  /**
   * Counts a guess before it is looked at, by the rules of `takeLoginAttempt`; `key` is a digest. Of guesses at the same time,
   * over all processes, no more are allowed than one after the other.
   */
  takeLoginAttempt(key: string, kind: AttemptKind, at: At<Tx>): Promise<AttemptDecision>
  /** Forgets the guesses of a key: one was right. */
  clearLoginAttempts(key: string, at: At<Tx>): Promise<void>

  /**
   * `passwordHash` is what the login was judged by: a change of password goes either before the session, which is refused then,
   * or after it, and ends it.
   * @throws TaskboardError `NOT_FOUND` for an unknown user, or one who has another `passwordHash` by now.
   */
  insertSession(
    session: {
      userId: string
      passwordHash?: string | undefined
      familyHash: string
      tokenHash: string
      ttlMs: number
    },
    at: At<Tx>,
  ): Promise<Session>
  /**
   * Exactly one of those who show the same token at the same time gets `rotated`. Null for an unknown session, and one that is
   * over. Of the tokens that were replaced a moment ago it knows the newest `mostRotatedTokens`.
   */
  consumeRefreshToken(request: RefreshRequest, at: At<Tx>): Promise<RefreshOutcome | null>
  /** Ends a session for good, named by its id or its tokens' family. Gives it back; null when it was over, or never was. */
  endSession(named: { id: string } | { familyHash: string }, at: At<Tx>): Promise<Session | null>
  /** Whom a session stands for, and in how many milliseconds it ends; null when it is over. */
  findPrincipalBySession(
    sessionId: string,
    at: At<Tx>,
  ): Promise<{ principal: Principal; expiresInMs: number } | null>

  findMfa(userId: string, at: At<Tx>): Promise<MfaState | null>
  /** Changes a user's second factor: see `MfaChange`. False when the change is refused. */
  changeMfa(change: { readonly userId: string; readonly change: MfaChange }, at: At<Tx>): Promise<boolean>
  /**
   * Uses up a code: true for exactly one caller. By a `step` of time all codes up to that one are used up, and none of an earlier step
   * holds any more.
   */
  redeemMfa(
    code: { readonly userId: string } & ({ readonly step: number } | { readonly recoveryHash: string }),
    at: At<Tx>,
  ): Promise<boolean>
}
