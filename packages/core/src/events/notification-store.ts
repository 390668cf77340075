import type { At } from '../environment/index.js'
import type { LoggedEvent } from './catalogue.js'

/** A channel that notifies a workspace's people of each state change, with its position in the log. */
export interface NotificationTarget {
  readonly workspaceId: string
  /** The name under which the host registered the channel. */
  readonly channel: string
  /** The channel's settings for this workspace: an address, a room. */
  readonly settings: Readonly<Record<string, string>>
}

/** Consecutive events that only this process may send until the claim expires. */
export interface NotificationBatch extends NotificationTarget {
  readonly events: readonly LoggedEvent[]
  /** Proves on the write-back that the claim is still valid. */
  readonly claimToken: string
}

export interface NotificationClaim {
  readonly batches: readonly NotificationBatch[]
  /**
   * In how many milliseconds the next batch is due through time alone (a retry, an expired claim): 0 or more, by the storage's clock.
   * Null when nothing waits.
   */
  readonly nextDueInMs: number | null
}

/** The channels of each workspace, with their positions. Every event reaches each channel at least once, in order. */
export interface NotificationStore<Tx = unknown> {
  /** Adds a channel to a workspace, or replaces its settings. A new one starts at the present end of the log. */
  saveTarget(target: NotificationTarget, at: At<Tx>): Promise<void>
  /** Removes it. Returns false when there was none. */
  deleteTarget(workspaceId: string, channel: string, at: At<Tx>): Promise<boolean>
  listTargets(workspaceId: string, at: At<Tx>): Promise<readonly NotificationTarget[]>
  /**
   * Claims targets among `channels` that have unread events and no live claim, each for `claimMs`. No batch is empty: events that were
   * pruned before they were read count as read.
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
