import type { At, Commit, Instant } from '../environment/index.js'
import type { EventDraft, LoggedEvent } from './catalogue.js'

/** An opaque place in the feed of all workspaces' events. */
export type FeedPosition = string

export interface FeedPage {
  readonly events: readonly LoggedEvent[]
  /** Where to read on. Equal to the given position when there was nothing new. */
  readonly position: FeedPosition
}

/**
 * The event log: one per workspace, written in the same transaction as each change, read in the same order by all.
 * The task, webhook and agent stores append to it as part of their own verbs.
 */
export interface EventStore<Tx = unknown> {
  /**
   * Appends an event that comes from outside the board, with a delivery to each enabled webhook of the workspace that
   * subscribes to it, all or nothing.
   * @throws TaskboardError `NOT_FOUND` when the workspace does not exist.
   */
  appendEvent(workspaceId: string, draft: EventDraft, at: At<Tx>): Promise<LoggedEvent>
  /** Events of one workspace with a `seq` above `afterSeq`, in order, at most `limit`. Committed ones only. */
  readEvents(workspaceId: string, afterSeq: number, limit: number): Promise<readonly LoggedEvent[]>
  /** The place after everything committed so far. */
  feedEnd(): Promise<FeedPosition>
  /**
   * Events of all workspaces after `position`, at most `limit`. Within a workspace they come in order; an event that
   * commits late is never skipped.
   */
  readFeed(position: FeedPosition, limit: number): Promise<FeedPage>
  /**
   * The place after all that `readFeed` has to give from `position` on by now, for who has no use for it; the position itself
   * when that is nothing. Costs no more for many events than for one.
   */
  skipFeed(position: FeedPosition): Promise<FeedPosition>
  /**
   * Calls `listener` soon after something was committed that background work may wait for: an event, a task that became
   * ready, a delivery that became due. A hint only, it may come late, twice or never where `Storage.wakes` says so.
   * Returns how to stop it.
   */
  onCommit(listener: (commit: Commit) => void): () => void
  /**
   * Drops events older than `olderThanMs`, at most `limit`; returns how many went. Those that analytics have not yet rolled up stay, in
   * some storages with those of other workspaces that are younger.
   */
  pruneEvents(olderThanMs: number, limit: number, now: Instant | null): Promise<number>
}

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
