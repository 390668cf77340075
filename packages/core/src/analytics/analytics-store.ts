import type { Reach } from '../access/index.js'
import type { CallContext, Instant } from '../environment/index.js'

/** A day of UTC, counted from the first of January 1970. */
export type Day = number

/** What happened to tasks in one day. */
export interface DayFigures {
  readonly day: Day
  /** How many were created. */
  readonly created: number
  /** How many were completed, by an agent or by a person's move, and haven't left DONE since. */
  readonly completed: number
  /** How often a task was put on hold because its last attempt failed. */
  readonly failed: number
  /** How many of the completed ones came from DOING. */
  readonly timed: number
  /** How long those were in DOING, in milliseconds, in total. */
  readonly takenMs: number
  /** How long a person would have taken for the completed ones, in milliseconds, in total. */
  readonly baselineMs: number
}

/** How long a person takes for a task, in milliseconds, by the task's type. */
export interface Baselines {
  readonly defaultMs: number
  readonly msByType: Readonly<Record<string, number>>
}

export interface FiguresQuery {
  readonly reach: Reach
  /** Null for all workspaces within reach. */
  readonly workspaceId: string | null
  readonly fromDay: Day
  /** The last day. */
  readonly toDay: Day
  readonly baselines: Baselines
}

/**
 * Figures about tasks, as a function of the event log: only logged data counts, and deleting a task changes nothing. `countEvent` says
 * what each event counts for. The figures are rolled up by day up to a mark, a `seq` of each workspace's log. Events are pruned only
 * up to the mark.
 */
export interface AnalyticsStore<Tx = unknown> {
  /**
   * Counts events after the marks, at most `limit`, and moves the marks, in one transaction. Several processes can call it at the same time: each
   * event is counted once. Returns the number of counted events. Fewer than `limit` means that only events remain that another process
   * is counting, or none.
   */
  rollUp(batch: { readonly limit: number }, call: CallContext<Tx>): Promise<number>
  /**
   * The days with events, in order: what is rolled up, and what came after the marks, at one instant.
   * @throws TaskboardError `NOT_FOUND` (`workspaceId`) for a workspace that isn't within reach.
   */
  readFigures(query: FiguresQuery, call: CallContext<Tx>): Promise<readonly DayFigures[]>
}

/**
 * The day of an instant.
 * @example
 * ```ts
 * import { dayOf } from '@taskboard/core/storage'
 *
 * console.log(dayOf(Date.UTC(1970, 0, 2, 23))) // 1
 * ```
 */
export function dayOf(instant: Instant): Day {
  return Math.floor(instant / 86_400_000)
}
