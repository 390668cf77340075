import type { Reach } from '../../access/index.js'
import type { CallContext, Instant } from '../../environment/index.js'
import type { Created, IdempotencyClaim } from '../../idempotency/index.js'
import type { NewTask, Task } from '../task.js'
import type { NewSchedule, Schedule, ScheduleChange } from './schedule.js'

/** Which schedules to list. */
export type ScheduleQuery =
  | {
      /** Null for all of the board. */
      readonly reach: Reach | null
      /** Absent or null for all within reach. */
      readonly workspaceId?: string | null | undefined
      /** Only this one. */
      readonly scheduleId?: string | undefined
      /** Only those with a greater id. */
      readonly afterId?: string | null | undefined
      readonly limit: number
    }
  /** Of all workspaces, those whose next occurrence isn't after the present: the earliest first, then by id. */
  | { readonly isDue: true; readonly limit: number }

export interface ScheduleList {
  /** In the order of their ids, which is the order of creation, unless the query has another order. */
  readonly schedules: readonly Schedule[]
  /**
   * For a query of due ones that found fewer than `limit`: in how many milliseconds the next schedule is due, by the storage's clock. Else
   * null.
   */
  readonly nextDueInMs: number | null
}

/** An occurrence to make. */
export interface OccurrenceRequest {
  readonly workspaceId: string
  readonly scheduleId: string
  /** The `nextAt` of the schedule as it was listed. */
  readonly nextAt: Instant
  /** The task to add, or why there is none: then the occurrence ends with `lastError`. */
  readonly outcome: { readonly task: NewTask } | { readonly failure: string }
}

/**
 * Schedules and their occurrences. Each verb is atomic. The semantics are defined by `createSchedule`, `changedSchedule` and `occur`, which
 * a storage calls with its present. Verbs that name a schedule throw `NOT_FOUND` when the workspace doesn't have it, except
 * `makeOccurrence`.
 */
export interface ScheduleStore<Tx = unknown> {
  /**
   * Creates a schedule.
   * @throws TaskboardError `NOT_FOUND` for an unknown workspace. `INVALID_FIELD` (`cron`) for an expression without an occurrence, and
   * (`assignedTo`) for an agent that the workspace doesn't have. `CONFLICT` for an idempotency key that was used with another fingerprint.
   */
  insertSchedule(
    insertion: { readonly schedule: NewSchedule; readonly idempotency: IdempotencyClaim | null },
    call: CallContext<Tx>,
  ): Promise<Created<Schedule>>
  /**
   * The schedules that a query selects. Leaves out those that don't exist or are beyond reach. The cost of due ones doesn't depend on
   * the number of others.
   * @throws TaskboardError `NOT_FOUND` (`workspaceId`) for a workspace that doesn't exist or isn't within reach.
   */
  listSchedules(query: ScheduleQuery, call: CallContext<Tx>): Promise<ScheduleList>
  /** Replaces the given settings. @throws TaskboardError `INVALID_FIELD` as `insertSchedule` does. */
  updateSchedule(
    update: { readonly workspaceId: string; readonly scheduleId: string; readonly change: ScheduleChange },
    call: CallContext<Tx>,
  ): Promise<Schedule>
  /** Deletes a schedule. The tasks that it made stay. */
  deleteSchedule(
    named: { readonly workspaceId: string; readonly scheduleId: string },
    call: CallContext<Tx>,
  ): Promise<void>
  /**
   * Makes a due occurrence: adds its task, with `task.created` by the system, and sets the next occurrence, in one commit. Of several calls
   * for one occurrence, one makes it. Returns the task. Null when another call made the occurrence, or when the schedule has been changed
   * or deleted since it was listed. The same when the task is skipped, and for a failure.
   * @throws TaskboardError as `TaskStore.insertTask` does; then the occurrence is still due.
   */
  makeOccurrence(occurrence: OccurrenceRequest, call: CallContext<Tx>): Promise<Task | null>
}
