import type { Reach } from '../access/index.js'
import type { At } from '../environment/index.js'

/** A connection that wants to count against its account's cap. */
export interface SlotRequest {
  readonly slotId: string
  readonly accountId: string
  /** The process that the connection is with, as it opened itself. */
  readonly holderId: string
  /** How many the account may have; null for any number. */
  readonly limit: number | null
  /**
   * How long a lease lasts that nobody renews. One that seems to last longer was given before the clock stepped back, and ends
   * at most so long after the first request that finds the account full.
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
 * How many realtime connections each account has over all processes. A process holds its connections' slots under one lease:
 * when it does not renew that, because it was killed, all of them are free from the end of the lease on.
 */
export interface RealtimeStore {
  /** Begins a process's lease, under an id that nobody has used. */
  openHolder(holderId: string, leaseMs: number, at: At): Promise<void>
  /** Prolongs it. False when it had ended: its slots are free, and it takes none any more. */
  renewHolder(holderId: string, leaseMs: number, at: At): Promise<boolean>
  /**
   * Takes a slot. Of callers that ask at once no more get one than there are free; `full` for the others, `lost` for one whose
   * holder's lease has ended.
   */
  acquireSlot(request: SlotRequest, at: At): Promise<'taken' | 'full' | 'lost'>
  /** Frees slots; unknown ones are passed over. */
  releaseSlots(slotIds: readonly string[], at: At): Promise<void>
  /** Frees all of a process's slots, and ends its lease. */
  closeHolder(holderId: string, at: At): Promise<void>
  /** The ends of the logs of a workspace, or (null) of all, within reach, by the workspace's id. */
  readLogEnds(reach: Reach, workspaceId: string | null, at: At): Promise<readonly LogEnd[]>
}
