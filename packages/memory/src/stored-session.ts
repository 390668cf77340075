import type { RefreshFamily, Session } from '@taskboard/core/storage'

/** A session with its refresh tokens. */
export interface StoredSession {
  readonly session: Session
  readonly familyHash: string
  readonly family: RefreshFamily
}
