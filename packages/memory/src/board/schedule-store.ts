import { type Actor, type Instant, type Schedule, TaskboardError, type Reach } from '@taskboard/core'
import {
  changedSchedule,
  createSchedule,
  occur,
  type NewSchedule,
  type ScheduleList,
  type ScheduleQuery,
  type ScheduleStore,
} from '@taskboard/core/storage'
import type { Database } from '../tables/database.js'
import { buildTask, requireAssignee, TaskCreated } from './new-task.js'
import { isWithin } from '../tables/reach.js'
import type { MemoryTransaction } from '../tables/transactions.js'

type Store = ScheduleStore<MemoryTransaction>

export function createScheduleStore(database: Database): Store {
  const { transactions, tables, settings, publish } = database
  const { read, write } = transactions
  const { schedules } = tables
  const due = createDueOrder(database)

  function require(workspaceId: string, scheduleId: string): Schedule {
    const schedule = schedules.get(scheduleId)
    if (schedule !== undefined && schedule.workspaceId === workspaceId) return schedule
    throw new TaskboardError('NOT_FOUND', 'no such schedule')
  }

  function insert(input: NewSchedule, now: Instant): Schedule {
    requireAssignee(database, input.workspaceId, input.task.assignedTo)
    const schedule = createSchedule(copied(input), { id: settings.current.newId('sch'), now })
    schedules.set(schedule.id, schedule)
    return schedule
  }

  return {
    insertSchedule: ({ schedule, idempotency: claim }, call) =>
      write(call, (now) => {
        database.requireWorkspace(schedule.workspaceId)
        return database.idempotency.once(claim, now, () => insert(schedule, now))
      }),
    listSchedules: (query, call) =>
      read(call, (now) =>
        'isDue' in query
          ? due.list(query.limit, now)
          : { schedules: select(database, query), nextDueInMs: null },
      ),
    updateSchedule: ({ workspaceId, scheduleId, change }, call) =>
      write(call, (now) => {
        const schedule = require(workspaceId, scheduleId)
        requireAssignee(database, workspaceId, change.task?.assignedTo ?? null)
        const changed = changedSchedule(schedule, copied(change), now)
        schedules.set(scheduleId, changed)
        return changed
      }),
    deleteSchedule: ({ workspaceId, scheduleId }, call) =>
      write(call, () => schedules.delete(require(workspaceId, scheduleId).id)),
    makeOccurrence: ({ workspaceId, scheduleId, nextAt, outcome }, call) =>
      write(call, (now) => {
        const schedule = schedules.get(scheduleId)
        if (schedule?.workspaceId !== workspaceId || schedule.nextAt !== nextAt) return null
        const last = schedule.lastTaskId === null ? undefined : tables.tasks.get(schedule.lastTaskId)
        const occurrence = occur(schedule, last ?? null, now)
        if (occurrence === null) return null
        const { schedule: after, makesTask } = occurrence
        if ('failure' in outcome) {
          schedules.set(scheduleId, { ...after, lastAt: schedule.lastAt, lastError: outcome.failure })
          return null
        }
        if (!makesTask) {
          schedules.set(scheduleId, after)
          return null
        }
        const task = buildTask(database, settings.current.newId('task'), outcome.task, now)
        tables.tasks.set(task.id, task)
        publish(new TaskCreated(task, SYSTEM))
        schedules.set(scheduleId, { ...after, lastTaskId: task.id })
        return task
      }),
  }
}

const SYSTEM: Actor = { kind: 'system', id: null }

/** The enabled schedules in the order in which they are due. Follows their table. */
interface DueOrder {
  list(limit: number, now: Instant): ScheduleList
}

function createDueOrder({ tables, readOnly }: Database): DueOrder {
  const timed = new Map<string, Schedule & { readonly nextAt: Instant }>()
  /** Sorted again when it is asked for after a change. */
  let ordered: readonly (Schedule & { readonly nextAt: Instant })[] | null = []

  tables.schedules.onChange((before, after) => {
    const { id } = (after ?? before) as Schedule
    ordered = null
    if (after == null || after.nextAt === null) timed.delete(id)
    else timed.set(id, { ...after, nextAt: after.nextAt })
  })

  return {
    list(limit, now) {
      ordered ??= [...timed.values()].sort((a, b) => a.nextAt - b.nextAt || (a.id < b.id ? -1 : 1))
      const writable = readOnly.isAny() ? ordered.filter((each) => !readOnly.has(each.workspaceId)) : ordered
      const schedules = writable.slice(0, limit).filter(({ nextAt }) => nextAt <= now)
      const next = writable[schedules.length]
      const isShort = schedules.length < limit && next !== undefined
      return { schedules, nextDueInMs: isShort ? next.nextAt - now : null }
    },
  }
}

function select(
  database: Database,
  query: Exclude<ScheduleQuery, { readonly isDue: true }>,
): readonly Schedule[] {
  const { reach, workspaceId = null, scheduleId, afterId = null, limit } = query
  const isReached = (id: string): boolean => isIn(database, reach, id)
  if (workspaceId !== null && !isReached(workspaceId)) {
    throw new TaskboardError('NOT_FOUND', 'no such workspace', { field: 'workspaceId' })
  }
  const one = scheduleId === undefined ? undefined : database.tables.schedules.get(scheduleId)
  const all = scheduleId === undefined ? [...database.tables.schedules.values()] : one ? [one] : []
  return all
    .filter((each) => (workspaceId === null ? isReached(each.workspaceId) : each.workspaceId === workspaceId))
    .filter(({ id }) => afterId === null || id > afterId)
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .slice(0, limit)
}

function isIn(database: Database, reach: Reach | null, workspaceId: string): boolean {
  return reach === null
    ? database.tables.workspaces.get(workspaceId) !== undefined
    : isWithin(database, reach, workspaceId)
}

/** Settings that the caller can't change. */
function copied<T extends object>(terms: T): T {
  return structuredClone(terms)
}
