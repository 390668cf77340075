import type { Reach } from '../../access/index.js'
import type { Environment, InTransaction, OnRecord } from '../../environment/index.js'
import { requireLimit, TaskboardError } from '../../errors/index.js'
import { hasAll } from '../../fields/index.js'
import type { IdempotencyClaim } from '../../idempotency/index.js'
import {
  parseNewSchedule,
  parseScheduleChange,
  type Schedule,
  type ScheduleChangeInput,
  type ScheduleInput,
} from './schedule.js'
import type { ScheduleStore } from './schedule-store.js'

export interface ScheduleFilter {
  readonly workspaceId?: string | null | undefined
  /** 1 to 1,000; default 100. */
  readonly limit?: number | undefined
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | null | undefined
}

export interface SchedulePage {
  /** Oldest first. */
  readonly schedules: readonly Schedule[]
  /** Null on the last page. */
  readonly nextCursor: string | null
}

/**
 * The schedules of one workspace. Methods that name a schedule throw `NOT_FOUND` when the workspace doesn't have it. Occurrences are made
 * from `start` to `close` of any process. Those that fall due while none runs are made once, as one, when one starts again.
 */
export interface BoardSchedules<Tx = unknown> {
  /**
   * Creates a schedule. A retry with the same `idempotency` returns the first one's schedule as it was created.
   * @throws TaskboardError `MISSING_FIELD` or `INVALID_FIELD`; `CONFLICT` when the key was used for another schedule.
   */
  create(
    input: ScheduleInput,
    options?: OnRecord<Tx> & { readonly idempotency?: IdempotencyClaim | undefined },
  ): Promise<Schedule>
  list(filter?: Omit<ScheduleFilter, 'workspaceId'>, options?: InTransaction<Tx>): Promise<SchedulePage>
  get(scheduleId: string, options?: InTransaction<Tx>): Promise<Schedule>
  /**
   * Replaces the given settings; null sets a default. With another expression or time zone, or when it is enabled, the next occurrence is the
   * first one after the present.
   * @throws TaskboardError `INVALID_FIELD`.
   */
  update(scheduleId: string, change: ScheduleChangeInput, options?: OnRecord<Tx>): Promise<Schedule>
  /** The tasks that it made stay. */
  delete(scheduleId: string, options?: OnRecord<Tx>): Promise<void>
}

/** The schedules of all workspaces. */
export interface Schedules<Tx = unknown> {
  /** The schedules of one workspace. */
  of(workspaceId: string): BoardSchedules<Tx>
  /** Of all workspaces within reach, oldest first. A workspace beyond it: `NOT_FOUND` (`workspaceId`). */
  listWithin(reach: Reach, filter?: ScheduleFilter, options?: InTransaction<Tx>): Promise<SchedulePage>
  /** One of any workspace within reach. Beyond it: `NOT_FOUND`, as for one that doesn't exist. */
  find(reach: Reach, scheduleId: string, options?: InTransaction<Tx>): Promise<Schedule>
}

const DEFAULT_PAGE = 100

export function createSchedules<Tx>(parts: {
  readonly environment: Environment
  readonly store: ScheduleStore<Tx>
  /** Of a task without `maxAttempts`. */
  readonly maxAttempts: number
  /** Called after a schedule was created or changed, committed or not, and after a failure, even if only the response failed. */
  readonly onChanged: () => void
}): Schedules<Tx> {
  const { environment, store, maxAttempts, onChanged } = parts

  const changing = <T>(change: Promise<T>): Promise<T> => change.finally(onChanged)

  async function find(
    within: { readonly reach: Reach | null; readonly workspaceId?: string },
    scheduleId: string,
    options?: InTransaction<Tx>,
  ): Promise<Schedule> {
    const { schedules } = await store.listSchedules(
      { ...within, scheduleId, limit: 1 },
      environment.call(options),
    )
    const [schedule] = schedules
    if (schedule === undefined) throw new TaskboardError('NOT_FOUND', 'no such schedule')
    return schedule
  }

  async function list(
    reach: Reach | null,
    { workspaceId = null, limit = DEFAULT_PAGE, cursor }: ScheduleFilter,
    options?: InTransaction<Tx>,
  ): Promise<SchedulePage> {
    requireLimit(limit)
    const afterId = cursor == null ? null : parseCursor(cursor)
    const query = { reach, workspaceId, limit: limit + 1, afterId }
    const { schedules: found } = await store.listSchedules(query, environment.call(options))
    const schedules = found.slice(0, limit)
    return { schedules, nextCursor: found.length > limit ? (schedules.at(-1)?.id ?? null) : null }
  }

  return {
    of: (workspaceId) => ({
      async create(input, options) {
        const schedule = parseNewSchedule(input, workspaceId, maxAttempts)
        const idempotency = options?.idempotency ?? null
        const { value } = await changing(
          store.insertSchedule({ schedule, idempotency }, environment.call(options)),
        )
        return value
      },
      list: (filter = {}, options) => list(null, { ...filter, workspaceId }, options),
      get: (scheduleId, options) => find({ reach: null, workspaceId }, scheduleId, options),
      async update(scheduleId, input, options) {
        const before = await find({ reach: null, workspaceId }, scheduleId, options)
        const given = parseScheduleChange(input, before, maxAttempts)
        const change = hasAll(before, given) ? {} : given
        return changing(store.updateSchedule({ workspaceId, scheduleId, change }, environment.call(options)))
      },
      delete: (scheduleId, options) =>
        store.deleteSchedule({ workspaceId, scheduleId }, environment.call(options)),
    }),
    listWithin: (reach, filter = {}, options) => list(reach, filter, options),
    find: (reach, scheduleId, options) => find({ reach }, scheduleId, options),
  }
}

/** A cursor is the last id of the page before. */
function parseCursor(cursor: string): string {
  if (/^sch_[0-9a-z]{1,60}$/.test(cursor)) return cursor
  throw new TaskboardError('INVALID_FIELD', 'cursor must be the next_cursor of an earlier page', {
    field: 'cursor',
  })
}
