import type { At, Instant } from '../environment/index.js'
import type { AttemptDecision, AttemptKind } from './login-attempts.js'
import type { Principal } from './principal.js'

/** The data that a login is checked against. */
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
  /** Sealed. A secret that is not yet confirmed. */
  readonly pendingSecret: string | null
  /** The storage's present, by which one-time passwords are judged. */
  readonly asOf: Instant
}

/** A change of a user's second factor. */
export type MfaChange =
  /** Stores a secret for confirmation, in place of an earlier one. Refused when the user is enrolled, or unknown. */
  | { readonly kind: 'offer'; readonly sealedSecret: string }
  /**
   * Enrols the user with the unconfirmed secret, and uses up its code of `step`. Refused when the unconfirmed secret is another one or
   * absent: of concurrent confirmations one succeeds.
   */
  | {
      readonly kind: 'enrol'
      readonly sealedSecret: string
      readonly step: number
      readonly recoveryHashes: readonly string[]
    }
  /** Ends the enrolment and deletes its recovery codes. */
  | { readonly kind: 'remove' }

/** A login. It lasts until its refresh tokens expire or someone ends it. */
export interface Session {
  readonly id: string
  readonly userId: string
}

/** A refresh token that a client shows, and its successor. */
export interface RefreshRequest {
  /** SHA-256 of the part that all refresh tokens of the session share. */
  readonly familyHash: string
  /** SHA-256 of the token. */
  readonly tokenHash: string
  readonly nextTokenHash: string
  /** The lifetime of the next token. */
  readonly ttlMs: number
  /** How long a replaced token may be shown again without ending the session. */
  readonly reuseGraceMs: number
}

/**
 * `rotated`: the next token replaces the shown one. `reused`: the shown one was replaced a moment ago, and nothing has changed.
 * `ended`: it was replaced earlier, so two clients have tokens of this session. The session has ended.
 */
export interface RefreshOutcome {
  readonly outcome: 'rotated' | 'reused' | 'ended'
  readonly session: Session
}

/** Logins and second factors. Nothing stored here is a usable password, token or code. */
export interface SessionStore<Tx = unknown> {
  /** By the normalized e-mail address. */
  findSignIn(email: string, at: At<Tx>): Promise<SignIn | null>
  /**
   * Counts a guess before it is checked, by the rules of `takeLoginAttempt`; `key` is a digest. Concurrent guesses, over all
   * processes, are allowed no more often than guesses in sequence.
   */
  takeLoginAttempt(key: string, kind: AttemptKind, at: At<Tx>): Promise<AttemptDecision>
  /** Forgets the guesses of a key, after a right one. */
  clearLoginAttempts(key: string, at: At<Tx>): Promise<void>

  /**
   * `passwordHash` is the hash that the login was checked against. A change of password comes either before the session, which is then
   * refused, or after it, and ends it.
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
   * Of concurrent calls with the same token, exactly one gets `rotated`. Null for an unknown session, and one that has ended. It
   * remembers the newest `mostRotatedTokens` of the tokens that were replaced a moment ago.
   */
  consumeRefreshToken(request: RefreshRequest, at: At<Tx>): Promise<RefreshOutcome | null>
  /** Ends a session, by its id or its tokens' family, and returns it. Null when it was unknown or had ended. */
  endSession(named: { id: string } | { familyHash: string }, at: At<Tx>): Promise<Session | null>
  /** The user of a session, and in how many milliseconds it ends; null when it has ended. */
  findPrincipalBySession(
    sessionId: string,
    at: At<Tx>,
  ): Promise<{ principal: Principal; expiresInMs: number } | null>

  findMfa(userId: string, at: At<Tx>): Promise<MfaState | null>
  /** Changes a user's second factor: see `MfaChange`. False when the change is refused. */
  changeMfa(change: { readonly userId: string; readonly change: MfaChange }, at: At<Tx>): Promise<boolean>
  /**
   * Uses up a code: true for exactly one caller. A `step` of time uses up all codes up to it, so codes of earlier steps are no longer
   * valid.
   */
  redeemMfa(
    code: { readonly userId: string } & ({ readonly step: number } | { readonly recoveryHash: string }),
    at: At<Tx>,
  ): Promise<boolean>
}
