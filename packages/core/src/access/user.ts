import type { Instant } from '../environment/index.js'
import type { Scope } from './principal.js'

/** Someone who logs in: of one account. Never with a password. */
export interface User {
  readonly id: string
  readonly accountId: string
  /** Normalized: in lower case. */
  readonly email: string
  /** At most these go into the keys that the user makes. All that there are, for a user who was made without a list. */
  readonly scopes: readonly Scope[]
  readonly createdAt: Instant
}

/** A user to be. */
export interface NewStoredUser {
  /** Normalized. */
  readonly email: string
  /** By the `PasswordHasher`. */
  readonly passwordHash: string
  /** Null for every scope that there is, also those that later versions add. */
  readonly scopes: readonly Scope[] | null
}
