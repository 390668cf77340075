import type { Reach } from '../access/index.js'
import type { At, Instant } from '../environment/index.js'

/** A day of UTC, counted from the first of January 1970. */
export type Day = number

/** What happened in one day to tasks. */
export interface DayFigures {
  readonly day: Day
  /** How many were created. */
  readonly created: number
  /** How many were completed, by an agent or by a person's move, and not moved out of DONE since. */
  readonly completed: number
  /** How many times one was put on hold because its last attempt failed. */
  readonly failed: number
  /** How many of the completed ones had been in DOING just before, */
  readonly timed: number
  /** and for how long, in milliseconds, all together. */
  readonly takenMs: number
  /** How long a person would have taken for the completed ones, in milliseconds, all together. */
  readonly baselineMs: number
}

/** How long a person takes for a task, in milliseconds, by the task's type. */
export interface Baselines {
  readonly defaultMs: number
  readonly msByType: Readonly<Record<string, number>>
}

export interface FiguresQuery {
  /** Null for all workspaces within reach. */
  readonly workspaceId: string | null
  readonly fromDay: Day
  /** The last one. */
  readonly toDay: Day
  readonly baselines: Baselines
}

/**
 * Figures about tasks, as a function of the event log: nothing is counted that the log does not tell, and deleting a task changes
 * nothing. `countEvent` says what each event counts for. They are kept rolled up by day up to a `seq` of each workspace's log, its
 * mark, and events are pruned only up to that.
 */
export interface AnalyticsStore<Tx = unknown> {
  /**
   * Counts events after the marks, at most `limit` of them, and moves the marks, in one transaction. Several processes may do so at
   * once: each event is counted once. Returns how many events it has taken; fewer than `limit` when there were no more that others
   * are not at work on.
   */
  rollUp(limit: number, at: At<Tx>): Promise<number>
  /**
   * The days on which something happened, in order: what is rolled up, and what came after the marks, as of one instant.
   * @throws TaskboardError `NOT_FOUND` (`workspaceId`) for a workspace that is not within reach.
   */
  readFigures(reach: Reach, query: FiguresQuery, at: At<Tx>): Promise<readonly DayFigures[]>
}

/** The day of an instant. */
export function dayOf(instant: Instant): Day {
  return Math.floor(instant / 86_400_000)
}
