import type { CallContext, Commit, Instant } from '../environment/index.js'
import type { EventDraft, LoggedEvent } from './catalog.js'

/** An opaque place in the feed of all workspaces' events. */
export type FeedPosition = string

export interface FeedPage {
  readonly events: readonly LoggedEvent[]
  /** Where to read on. Equal to the given position when there was nothing new. */
  readonly position: FeedPosition
}

/**
 * The event log: one per workspace, written in the same transaction as each change, and read in the same order by all.
 * The task, webhook and agent stores append to it in their own verbs. Reads return what is committed: they ignore `call.tx`.
 */
export interface EventStore<Tx = unknown> {
  /**
   * Appends an event that comes from outside the board. Each enabled webhook of the workspace that subscribes to it gets a delivery, all or nothing.
   * @throws TaskboardError `NOT_FOUND` when the workspace doesn't exist.
   */
  appendEvent(
    addition: { readonly workspaceId: string; readonly event: EventDraft },
    call: CallContext<Tx>,
  ): Promise<LoggedEvent>
  /** Committed events of one workspace with a `seq` above `afterSeq`, in order, at most `limit`; none of an unknown workspace. */
  readEvents(
    query: { readonly workspaceId: string; readonly afterSeq: number; readonly limit: number },
    call: CallContext<Tx>,
  ): Promise<readonly LoggedEvent[]>
  /**
   * Events of all workspaces after `position`, at most `limit`, in order within each workspace. An event that commits late is never
   * skipped.
   * @throws TaskboardError `INVALID_FIELD` (`position`) for a text that isn't a position.
   */
  readFeed(
    query: { readonly position: FeedPosition; readonly limit: number },
    call: CallContext<Tx>,
  ): Promise<FeedPage>
  /**
   * The position after everything committed so far. With a position: the position after all that `readFeed` would return from there by
   * now, without reading it; the same position when that is nothing. The cost doesn't depend on the number of events.
   * @throws TaskboardError `INVALID_FIELD` (`position`) for a text that isn't a position.
   */
  feedEnd(query: { readonly after: FeedPosition | null }, call: CallContext<Tx>): Promise<FeedPosition>
  /**
   * Calls `listener` soon after a commit that background work may wait for: an event, a task that became ready, a delivery that became
   * due. Only a hint: where `Storage.commitNotifications` says so, it may come late, twice or never. Returns a function that stops it.
   */
  onCommit(listener: (commit: Commit) => void): () => void
  /**
   * Calls `listener` with lines of tasks' logs soon after their commit, for people who watch a run. They are in no log of events. A storage
   * sends as many as it can. A line may be missing, for instance one that was written in a host's transaction or while many others were.
   * Lines of several tasks may come in another order. Returns a function that stops it.
   */
  onTaskLog(listener: (line: WatchedLine) => void): () => void
}

/** A line of a task's log, for those who watch it. */
export interface WatchedLine {
  readonly workspaceId: string
  readonly taskId: string
  readonly at: Instant
  readonly level: string
  readonly message: string
}
