import type { CallContext, Instant } from '../environment/index.js'
import type { LoggedEvent, NotificationEventType } from './catalog.js'

/** A channel that notifies a workspace's people of each state change, with its position in the log. */
export interface NotificationTarget {
  readonly workspaceId: string
  /** The name under which the host registered the channel, or the id of one that a user set up. */
  readonly channel: string
  /** The channel's settings for this workspace: an address, a room. */
  readonly settings: Readonly<Record<string, string>>
}

/** Consecutive events that only this process may send until the claim expires. */
export interface NotificationBatch extends NotificationTarget {
  readonly events: readonly LoggedEvent[]
  /** Proves on the write-back that the claim is still valid. */
  readonly claimToken: string
  /** The channel that a user set up, as it was at the claim; absent for the host's. */
  readonly userChannel?: StoredChannel | undefined
}

/** The channels that a claim looks at instead of the host's channels: the users' own. */
export interface UserChannelClaim {
  readonly types: readonly string[]
  /** Only those whose last send failed, or only the others: they wait in different queues, so that the first never delay the others. */
  readonly failing: boolean
}

/** How the sends of a claim to a user's channel ended. */
export interface ChannelHealth {
  /** Consecutive failures as of the end of the claim. */
  readonly failures: number
  /** Of the last failure; null when `failures` is 0. */
  readonly error: string | null
  /** Whether anything was sent. */
  readonly isSent: boolean
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
  /** The host's channels of a workspace, by name; none of an unknown workspace. */
  listTargets(
    query: { readonly workspaceId: string },
    call: CallContext<Tx>,
  ): Promise<readonly NotificationTarget[]>
  /**
   * Claims targets among the host's `channels`, or with `users` among those, that have unread events and no live claim, each for
   * `claimMs`. No other caller gets them until the claim expires. No batch is empty: events that were pruned before they were read count
   * as read.
   */
  claimNotifications(
    request: {
      readonly channels: readonly string[]
      readonly users?: UserChannelClaim | undefined
      readonly limit: number
      readonly eventsPerTarget: number
      readonly claimMs: number
    },
    call: CallContext<Tx>,
  ): Promise<NotificationClaim>
  /**
   * Ends a claim: the target has read through `readThroughSeq`, and is next due immediately (`retryInMs` null) or after
   * `retryInMs` milliseconds of the storage's clock. `health` becomes the health of a user's channel.
   * Returns false, and changes nothing, when the claim was lost before.
   */
  settleNotifications(
    result: {
      readonly workspaceId: string
      readonly channel: string
      readonly claimToken: string
      readonly readThroughSeq: number
      readonly retryInMs: number | null
      /** Absent when nothing was sent, and for the host's channels. */
      readonly health?: ChannelHealth | undefined
    },
    call: CallContext<Tx>,
  ): Promise<boolean>
}

/** A notification channel that a user set up, as stored. */
export interface StoredChannel {
  /** `nch_…` */
  readonly id: string
  readonly workspaceId: string
  /** The name of the registered type. */
  readonly type: string
  readonly name: string
  /** Plain JSON without the secrets. */
  readonly config: Readonly<Record<string, unknown>>
  /** By member of the configuration: sealed by `SecretBox`, never in plain text. */
  readonly secrets: Readonly<Record<string, string>>
  readonly events: readonly NotificationEventType[]
  /** Sends that have failed since the last success or change. */
  readonly failures: number
  /** When they began to fail; null when the last send succeeded, or before the first one. */
  readonly failingSince: Instant | null
  /** Why the last send failed, without secrets; null when it succeeded. */
  readonly lastError: string | null
  readonly lastDeliveredAt: Instant | null
  readonly createdAt: Instant
  readonly updatedAt: Instant
}
