import type { CallContext, Instant } from '../environment/index.js'
import type { AttemptDecision, AttemptKind } from './login-attempts.js'

/** What a user's logins and one-time passwords are checked against. */
export interface SignIn {
  readonly userId: string
  readonly email: string
  /** Whether the address is known to be the user's. */
  readonly isEmailVerified: boolean
  readonly accountId: string
  /** The name of the user's account. */
  readonly accountName: string
  readonly passwordHash: string
  /** The sealed secret of the user's one-time passwords. Null when the user isn't enrolled. */
  readonly mfaSecret: string | null
  /** A sealed secret that isn't yet confirmed. */
  readonly mfaPendingSecret: string | null
  /** The storage's present, by which one-time passwords are judged. */
  readonly asOf: Instant
}

/** A change of a user's second factor. */
export type MfaChange =
  /** Stores a secret for confirmation, in place of an earlier one. Rejected when the user is enrolled, or unknown. */
  | { readonly kind: 'offer'; readonly sealedSecret: string }
  /**
   * Enrolls the user with the unconfirmed secret, and uses up its code of `step`. Rejected when the unconfirmed secret is another one or
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

/** A login. It lasts until its refresh tokens expire, its longest time is over, or someone stops it. */
export interface Session {
  readonly id: string
  readonly userId: string
  /** How much longer it lasts, unless it is refreshed. */
  readonly expiresInMs: number
}

/** From where a session was used last. */
export interface SessionOrigin {
  readonly clientAddress: string
  /** Null for a request without the header. */
  readonly userAgent: string | null
}

/** A valid session, as its user sees it. */
export interface SessionRecord extends SessionOrigin {
  readonly id: string
  readonly userId: string
  readonly createdAt: Instant
  /** When it was refreshed last; at first, when it began. */
  readonly lastUsedAt: Instant
  /** When it ends, unless it is refreshed. */
  readonly expiresAt: Instant
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
  /** How long a replaced token may be shown again without revoking the session. */
  readonly reuseGraceMs: number
  readonly origin: SessionOrigin
}

/**
 * `rotated`: the next token replaces the shown one. `reused`: the shown one was replaced a moment ago, and nothing has changed.
 * `ended`: it was replaced earlier, so two clients have tokens of this session. The session is revoked.
 */
export interface RefreshOutcome {
  readonly outcome: 'rotated' | 'reused' | 'ended'
  readonly session: Session
}

/** Logins and second factors. Every verb is atomic. No stored value is a usable password, token or code. */
export interface SessionStore<Tx = unknown> {
  /** A user by the normalized email address, or by the id; null when there is none. */
  findSignIn(
    named: { readonly email: string } | { readonly userId: string },
    call: CallContext<Tx>,
  ): Promise<SignIn | null>
  /**
   * Counts a guess before it is checked, by the rules of `takeLoginAttempt`; `key` is a digest. Concurrent guesses, over all
   * processes, are allowed no more often than guesses in sequence.
   */
  takeLoginAttempt(
    attempt: { readonly key: string; readonly kind: AttemptKind },
    call: CallContext<Tx>,
  ): Promise<AttemptDecision>
  /**
   * Forgets the guesses of a key, after a right one; with `one`, only one guess of that kind, which couldn't be checked. An unknown key is
   * ignored.
   */
  clearLoginAttempts(
    named: { readonly key: string; readonly one?: AttemptKind | undefined },
    call: CallContext<Tx>,
  ): Promise<void>

  /**
   * Begins a session, which is proven from then on. `passwordHash` is the hash that the login was checked against. A change of password comes either before
   * the session, which is then rejected, or after it, and stops it.
   * @throws TaskboardError `NOT_FOUND` for an unknown user, or one who has another `passwordHash` or `mfaSecret` by now.
   */
  insertSession(
    session: {
      readonly userId: string
      readonly passwordHash?: string | undefined
      /** The sealed secret of the second factor that the login was checked with; absent for none that counts. */
      readonly mfaSecret?: string | null | undefined
      readonly familyHash: string
      readonly tokenHash: string
      readonly ttlMs: number
      /** How long the session lasts at most, however often it is refreshed. */
      readonly longestMs: number
      readonly origin: SessionOrigin
    },
    call: CallContext<Tx>,
  ): Promise<Session>
  /**
   * Exchanges a refresh token: see `RefreshOutcome`. Of concurrent calls with the same token, exactly one gets `rotated`. Null for an
   * unknown, expired or revoked session. It remembers the newest `mostRotatedTokens` of the tokens that were replaced a moment ago.
   */
  consumeRefreshToken(request: RefreshRequest, call: CallContext<Tx>): Promise<RefreshOutcome | null>
  /** Revokes a session, by its id or its tokens' family. Null when it was unknown, expired or revoked. */
  endSession(
    named: { readonly id: string } | { readonly familyHash: string },
    call: CallContext<Tx>,
  ): Promise<Pick<Session, 'id' | 'userId'> | null>
  /** The valid sessions of a user, newest first. Empty for an unknown user. */
  listSessions(of: { readonly userId: string }, call: CallContext<Tx>): Promise<readonly SessionRecord[]>
  /** Revokes the sessions of a user: the one with an id, or all but one. Returns the ids of those that it ended. */
  endSessions(
    which: { readonly userId: string } & ({ readonly id: string } | { readonly exceptId: string | null }),
    call: CallContext<Tx>,
  ): Promise<readonly string[]>
  /** Notes that the user of a session has shown who they are just now. False for an unknown, expired or revoked session. */
  proveSession(
    named: { readonly id: string; readonly userId: string },
    call: CallContext<Tx>,
  ): Promise<boolean>
  /**
   * Replaces the hash of a password by another one of the same password, and ends no session. False when the user has another hash by now.
   */
  renewPasswordHash(
    change: { readonly userId: string; readonly passwordHash: string; readonly next: string },
    call: CallContext<Tx>,
  ): Promise<boolean>
  /** Changes a user's second factor: see `MfaChange`. False when the change is rejected, and for an unknown user. */
  changeMfa(
    change: { readonly userId: string; readonly change: MfaChange },
    call: CallContext<Tx>,
  ): Promise<boolean>
  /**
   * Uses up a code of an enrolled user: true for exactly one caller, false for all others and for an unknown user. A `step` of time uses up all codes up to it, so codes of earlier steps are no longer
   * valid.
   */
  redeemMfa(
    code: { readonly userId: string } & ({ readonly step: number } | { readonly recoveryHash: string }),
    call: CallContext<Tx>,
  ): Promise<boolean>
}
