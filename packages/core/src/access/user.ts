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
  /** Null for all scopes, including those of later versions. */
  readonly scopes: readonly Scope[] | null
}
