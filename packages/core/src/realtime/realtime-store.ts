import type { Reach } from '../access/index.js'
import type { At } from '../environment/index.js'

/** A connection's request for a slot of its account. */
export interface SlotRequest {
  readonly slotId: string
  readonly accountId: string
  /** The process that the connection is with, as it opened itself. */
  readonly holderId: string
  /** How many slots the account can have; null for any number. */
  readonly limit: number | null
  /**
   * How long a lease lasts without renewal. A lease that seems to last longer was given before the clock stepped back, and ends
   * at most this long after the first request that finds the account full.
   */
  readonly leaseMs: number
}

/** The last event of a workspace's log. */
export interface LogEnd {
  readonly workspaceId: string
  /** 0 when there never was one. */
  readonly seq: number
}

/**
 * Counts each account's realtime connections over all processes. A process holds the slots of its connections under one lease.
 * When it does not renew the lease, because it was killed, all its slots are free from the end of the lease on.
 */
export interface RealtimeStore {
  /** Starts a process's lease, under an unused id. */
  openHolder(holderId: string, leaseMs: number, at: At): Promise<void>
  /** Renews it. False when it had ended: its slots are free, and it can take no more. */
  renewHolder(holderId: string, leaseMs: number, at: At): Promise<boolean>
  /**
   * Takes a slot. Concurrent callers get no more slots than are free; the others get `full`. Returns `lost` when the holder's
   * lease has ended.
   */
  acquireSlot(request: SlotRequest, at: At): Promise<'taken' | 'full' | 'lost'>
  /** Frees slots; ignores unknown ones. */
  releaseSlots(slotIds: readonly string[], at: At): Promise<void>
  /** Frees all of a process's slots, and ends its lease. */
  closeHolder(holderId: string, at: At): Promise<void>
  /** The log ends of a workspace, or (null) of all workspaces, within reach, by workspace id. */
  readLogEnds(reach: Reach, workspaceId: string | null, at: At): Promise<readonly LogEnd[]>
}
