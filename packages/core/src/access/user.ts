import type { Instant } from '../environment/index.js'
import type { Scope } from './principal.js'

/** Someone who logs in, as a user of one account. Never includes the password. */
export interface User {
  readonly id: string
  readonly accountId: string
  /** Normalized: in lower case. */
  readonly email: string
  /** The scopes that the user's keys may have. All scopes, for a user created without a list. */
  readonly scopes: readonly Scope[]
  readonly createdAt: Instant
}

/** A user to create. */
export interface NewStoredUser {
  /** Normalized. */
  readonly email: string
  /** Hashed by the `PasswordHasher`. */
  readonly passwordHash: string
  /** Null for all scopes, including scopes of later versions. */
  readonly scopes: readonly Scope[] | null
  /** Whether the address is known to be the user's. Default false. */
  readonly isEmailVerified?: boolean | undefined
}

/** An address that may become a user of an account. */
export interface Invitation {
  /** `inv_…`. */
  readonly id: string
  readonly accountId: string
  /** The name of the account. */
  readonly accountName: string
  /** Normalized. */
  readonly email: string
  readonly scopes: readonly Scope[]
  /** The user who invited. */
  readonly createdBy: string
  readonly createdAt: Instant
  readonly expiresAt: Instant
}

/**
 * Whether a user with these scopes may invite to those: the user needs all of them, and the right to change the account.
 * @example
 * ```ts
 * import { mayInvite } from '@taskboard/core/storage'
 *
 * console.log(mayInvite(['tasks:read', 'account:write'], ['tasks:read'])) // true
 * console.log(mayInvite(['tasks:read'], ['tasks:read'])) // false
 * ```
 */
export function mayInvite(held: readonly Scope[], wanted: readonly Scope[]): boolean {
  return held.includes('account:write') && wanted.every((scope) => held.includes(scope))
}

/** An invitation to store. */
export interface NewStoredInvitation {
  readonly accountId: string
  readonly email: string
  /** Null for all scopes, including scopes of later versions. */
  readonly scopes: readonly Scope[] | null
  /** The SHA-256 of its token. */
  readonly tokenHash: string
  readonly createdBy: string
  readonly ttlMs: number
  /** Whether only who reads the mail of the address can have the token, so that a user who accepts has it. Default false. */
  readonly isMailed?: boolean | undefined
}
