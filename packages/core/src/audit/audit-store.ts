import type { CallContext, Instant } from '../environment/index.js'
import type { AuditAction, AuditRecord } from './audit-record.js'

/** To whose account a record belongs: by its id (null for none), or by a user, workspace or key of it that exists. */
export type AuditOwner =
  | { readonly accountId: string | null }
  | { readonly userId: string }
  | { readonly workspaceId: string }
  | { readonly keyId: string }

/** A record to append. Its actor is `by` of the call. */
export interface NewAuditRecord extends Pick<AuditRecord, 'action' | 'target' | 'details' | 'count'> {
  readonly of: AuditOwner
}

export interface AuditQuery {
  /** Null for an action outside of accounts. */
  readonly accountId: string | null
  /** Null for all. */
  readonly actions: readonly AuditAction[] | null
  /** By the id of a user or a key; null for all. */
  readonly actorId: string | null
  /** Records at or after it; null for all. */
  readonly from: Instant | null
  /** Records before it; null for all. */
  readonly to: Instant | null
  readonly limit: number
  /** The last record of the page before; null for the first page. */
  readonly after: { readonly at: Instant; readonly id: string } | null
}

/** Who did what. Records are only added, and leave with `Storage.prune` and with their account. */
export interface AuditStore<Tx = unknown> {
  /**
   * Appends records, all by the actor of the call, and returns them. One of a user, workspace or key that doesn't exist belongs to no
   * account.
   */
  appendAudit(records: readonly NewAuditRecord[], call: CallContext<Tx>): Promise<readonly AuditRecord[]>
  /** A page of records, newest first. Empty for an unknown account. */
  listAudit(query: AuditQuery, call: CallContext<Tx>): Promise<readonly AuditRecord[]>
}
