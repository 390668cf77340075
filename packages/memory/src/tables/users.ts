import type { User } from '@taskboard/core'
import type { Table } from './table.js'

/** A user with the stored parts of its password and second factor. */
export interface StoredUser {
  readonly user: User
  readonly passwordHash: string
  readonly isEmailVerified: boolean
  readonly defaultWorkspaceId: string
  readonly mfaSecret: string | null
  readonly mfaPendingSecret: string | null
  readonly mfaStep: number | null
  readonly recoveryHashes: readonly string[]
}

/** Finds users by email. */
export interface Users {
  byEmail(email: string): StoredUser | undefined
}

export function createUsers(table: Table<StoredUser>): Users {
  const ids = new Map<string, string>()
  table.onChange((before, after) => {
    if (before !== undefined) ids.delete(before.user.email)
    if (after !== undefined) ids.set(after.user.email, after.user.id)
  })
  return {
    byEmail(email) {
      const id = ids.get(email)
      return id === undefined ? undefined : table.get(id)
    },
  }
}
