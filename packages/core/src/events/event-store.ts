import type { At, Commit } from '../environment/index.js'
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
  /**
   * Events of all workspaces after `position`, at most `limit`. Within a workspace they come in order; an event that
   * commits late is never skipped.
   */
  readFeed(position: FeedPosition, limit: number): Promise<FeedPage>
  /**
   * The place after everything committed so far; or, with a position, the place after all that `readFeed` has to give from there on by
   * now, for who has no use for it: the position itself when that is nothing. Costs no more for many events than for one.
   */
  feedEnd(after: FeedPosition | null): Promise<FeedPosition>
  /**
   * Calls `listener` soon after something was committed that background work may wait for: an event, a task that became
   * ready, a delivery that became due. A hint only, it may come late, twice or never where `Storage.wakes` says so.
   * Returns how to stop it.
   */
  onCommit(listener: (commit: Commit) => void): () => void
}
