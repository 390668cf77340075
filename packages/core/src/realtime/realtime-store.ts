import type { Reach } from '../access/index.js'
import type { CallContext } from '../environment/index.js'

/** A connection's request for a slot of its account. */
export interface SlotRequest {
  readonly slotId: string
  readonly accountId: string
  /** The process that the connection is with, as it opened itself. */
  readonly holderId: string
  /** How many slots the account can have; null for any number. */
  readonly limit: number | null
  /**
   * How long a lease lasts without renewal. A lease that seems to last longer was given before the clock stepped back. It expires at most
   * this long after the first request that finds the account full.
   */
  readonly leaseMs: number
}

/** The last event of a workspace's log. */
export interface LogEnd {
  readonly workspaceId: string
  /** 0 when there never was one. */
  readonly seq: number
}

/** A process's lease. */
export interface HolderLease {
  readonly holderId: string
  readonly leaseMs: number
  /** Whether the lease begins, under an id that was never used, or is renewed. */
  readonly step: 'begin' | 'renew'
}

/** Which slots to free: some; or all of a process, whose lease expires with them. */
export type SlotRelease = { readonly slotIds: readonly string[] } | { readonly holderId: string }

/** Which log ends to read. */
export interface LogEndQuery {
  readonly reach: Reach
  /** Null for all workspaces within reach. */
  readonly workspaceId: string | null
}

/**
 * Counts each account's realtime connections over all processes. A process holds the slots of its connections under one lease.
 * When it doesn't renew the lease, because it was killed, all its slots are free from the end of the lease on.
 * These verbs aren't part of a transaction: they ignore `call.tx`.
 */
export interface RealtimeStore {
  /**
   * Begins or renews a process's lease: it ends `leaseMs` from now. Returns false, and changes nothing, when the lease to renew had
   * expired: its slots are free, and it can take no more.
   */
  leaseHolder(lease: HolderLease, call: CallContext): Promise<boolean>
  /**
   * Takes a slot. Concurrent callers get no more slots than are free; the others get `full`. Returns `lost` when the holder's
   * lease has expired.
   */
  acquireSlot(request: SlotRequest, call: CallContext): Promise<'taken' | 'full' | 'lost'>
  /** Frees slots; ignores unknown ids. Once a process's lease has expired this way, `leaseHolder` can't renew it. */
  releaseSlots(release: SlotRelease, call: CallContext): Promise<void>
  /** The log ends of a workspace, or of all workspaces, within reach, by workspace id. None of a workspace beyond reach. */
  readLogEnds(query: LogEndQuery, call: CallContext): Promise<readonly LogEnd[]>
}
