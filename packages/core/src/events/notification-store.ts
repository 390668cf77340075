import type { CallContext } from '../environment/index.js'
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

/** What a workspace's use of a channel becomes. */
export interface NotificationTargetChange extends Pick<NotificationTarget, 'workspaceId' | 'channel'> {
  /** Null removes the channel from the workspace. */
  readonly settings: NotificationTarget['settings'] | null
}

/** The channels of each workspace, with their positions. Every event reaches each channel at least once, in order. */
export interface NotificationStore<Tx = unknown> {
  /**
   * Adds a channel to a workspace, replaces its settings, or removes it. A new one starts at the present end of the log; one with other
   * settings keeps its position. Returns whether the workspace has the channel now, or, for a removal, had it.
   * @throws TaskboardError `NOT_FOUND` for settings of an unknown workspace.
   */
  setTarget(change: NotificationTargetChange, call: CallContext<Tx>): Promise<boolean>
  /** The channels of a workspace, by name; none of an unknown workspace. */
  listTargets(
    query: { readonly workspaceId: string },
    call: CallContext<Tx>,
  ): Promise<readonly NotificationTarget[]>
  /**
   * Claims targets among `channels` that have unread events and no live claim, each for `claimMs`. No other caller gets them until the
   * claim expires. No batch is empty: events that were pruned before they were read count as read.
   */
  claimNotifications(
    request: {
      readonly channels: readonly string[]
      readonly limit: number
      readonly eventsPerTarget: number
      readonly claimMs: number
    },
    call: CallContext<Tx>,
  ): Promise<NotificationClaim>
  /**
   * Ends a claim: the target has read through `readThroughSeq`, and is next due at once (`retryInMs` null) or after
   * `retryInMs` milliseconds of the storage's clock.
   * Returns false, and changes nothing, when the claim was lost meanwhile.
   */
  settleNotifications(
    result: {
      readonly workspaceId: string
      readonly channel: string
      readonly claimToken: string
      readonly readThroughSeq: number
      readonly retryInMs: number | null
    },
    call: CallContext<Tx>,
  ): Promise<boolean>
}
