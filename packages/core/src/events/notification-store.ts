import type { At } from '../environment/index.js'
import type { LoggedEvent } from './catalogue.js'

/** A channel that tells a workspace's people of each state change, kept with the place it has reached in the log. */
export interface NotificationTarget {
  readonly workspaceId: string
  /** The name under which the host registered the channel. */
  readonly channel: string
  /** What the channel needs to know of this workspace: an address, a room. */
  readonly settings: Readonly<Record<string, string>>
}

/** A run of events that this process alone may notify of until the claim expires. */
export interface NotificationBatch extends NotificationTarget {
  readonly events: readonly LoggedEvent[]
  /** Shows on the write-back that the claim still holds. */
  readonly claimToken: string
}

export interface NotificationClaim {
  readonly batches: readonly NotificationBatch[]
  /**
   * In how many milliseconds the next batch falls due through time alone (a retry, an expired claim): 0 or more, by the
   * storage's clock. Null when nothing waits.
   */
  readonly nextDueInMs: number | null
}

/** Which channels a workspace uses and how far each has come. Every event reaches each channel at least once, in order. */
export interface NotificationStore<Tx = unknown> {
  /** Adds or replaces a workspace's use of a channel. A new one starts at the present end of the log. */
  saveTarget(target: NotificationTarget, at: At<Tx>): Promise<void>
  /** Ends it. Returns false when there was none. */
  deleteTarget(workspaceId: string, channel: string, at: At<Tx>): Promise<boolean>
  listTargets(workspaceId: string, at: At<Tx>): Promise<readonly NotificationTarget[]>
  /**
   * Claims targets among `channels` that have unread events and are not claimed by another, each for `claimMs`. No batch is
   * empty: events that were pruned before they were read count as read.
   */
  claimNotifications(
    request: { channels: readonly string[]; limit: number; eventsPerTarget: number; claimMs: number },
    at: At<Tx>,
  ): Promise<NotificationClaim>
  /**
   * Ends a claim: the target has read through `readThroughSeq`, and is next due at once (`retryInMs` null) or after
   * `retryInMs` milliseconds of the storage's clock.
   * Returns false, and changes nothing, when the claim was lost meanwhile.
   */
  settleNotifications(
    result: {
      workspaceId: string
      channel: string
      claimToken: string
      readThroughSeq: number
      retryInMs: number | null
    },
    at: At<Tx>,
  ): Promise<boolean>
}
