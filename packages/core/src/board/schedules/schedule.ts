import type { Instant } from '../../environment/index.js'
import { isTaskboardError, TaskboardError } from '../../errors/index.js'
import { parseChoice, parseText } from '../parse-value.js'
import { taskStatus } from '../task-search.js'
import { parseNewTask, type NewTask, type Task, type TaskInput } from '../task.js'
import { nextOccurrence, requireCronRule, type CronRule } from './cron-expression.js'

/** The effect of an occurrence while the task of the previous one is open: `skip` makes no task, `allow` makes one all the same. */
export const overlaps = ['skip', 'allow'] as const
export type Overlap = (typeof overlaps)[number]

/** The fields of a task that would be right for one occurrence only. */
type OneTimeField = 'dueDate' | 'notBefore' | 'dependsOn' | 'parentId'

const oneTimeFields: readonly OneTimeField[] = ['dueDate', 'notBefore', 'dependsOn', 'parentId']

/** The task that each occurrence makes. */
export type ScheduledTask = Omit<NewTask, 'workspaceId' | 'traceparent' | OneTimeField>

/** The settings of a schedule that people set and change. */
export interface ScheduleTerms extends CronRule {
  readonly task: ScheduledTask
  readonly overlap: Overlap
  /** While false, no occurrence is made, and none is made up for later. */
  readonly enabled: boolean
}

/** Tasks that are added again and again, at the times of a cron expression. */
export interface Schedule extends ScheduleTerms {
  readonly id: string
  readonly workspaceId: string
  /** The next occurrence; null while it is disabled, and when there is none. */
  readonly nextAt: Instant | null
  /** The last occurrence that made or skipped a task; null before the first. */
  readonly lastAt: Instant | null
  /** The task that was made last, which may be deleted. */
  readonly lastTaskId: string | null
  /** Why the last occurrence made no task, although it should have; null after one that made or skipped a task. */
  readonly lastError: string | null
  readonly createdAt: Instant
  readonly updatedAt: Instant
}

/** A validated schedule to create. */
export type NewSchedule = ScheduleTerms & Pick<Schedule, 'workspaceId'>

/** A validated change: its settings are replaced as a whole, the others stay. */
export type ScheduleChange = Partial<ScheduleTerms>

/** The task of a schedule, as for `board.add`, without `dueDate`, `notBefore`, `dependsOn` and `parentId`. */
export type ScheduledTaskInput = Omit<TaskInput, OneTimeField>

/** A schedule to create. */
export interface ScheduleInput {
  /** Minute, hour, day of the month, month and day of the week, or a name such as `@daily`; at most 200 characters. */
  readonly cron: string
  /** Default `UTC`. */
  readonly timeZone?: string | null | undefined
  readonly task: ScheduledTaskInput
  /** Default `skip`. */
  readonly overlap?: Overlap | null | undefined
  /** Default true. */
  readonly enabled?: boolean | null | undefined
}

/** A change of a schedule. Undefined keeps a setting. */
export type ScheduleChangeInput = { readonly [K in keyof ScheduleInput]?: ScheduleInput[K] | undefined }

const CRON = { most: 200, isBlankAllowed: false }
const TIME_ZONE = { most: 64, isBlankAllowed: false }

/**
 * Validates a schedule to create, whatever its members contain, and fills in the defaults.
 * @throws TaskboardError `MISSING_FIELD` or `INVALID_FIELD`, naming the first field that is wrong.
 */
export function parseNewSchedule(
  input: ScheduleInput,
  workspaceId: string,
  maxAttempts: number,
): NewSchedule {
  requireObject(input, 'the schedule must be an object')
  for (const field of ['cron', 'task'] as const) {
    if ((input[field] as unknown) == null)
      throw new TaskboardError('MISSING_FIELD', `${field} is required`, { field })
  }
  const rule = parseRule(input.cron, input.timeZone ?? 'UTC')
  return {
    workspaceId,
    ...rule,
    task: parseScheduledTask(input.task, maxAttempts),
    overlap: parseOverlap(input.overlap),
    enabled: parseEnabled(input.enabled),
  }
}

/**
 * Validates a change, whatever its members contain. `before` has the settings that it doesn't name.
 * @throws TaskboardError `INVALID_FIELD`, naming the first field that is wrong.
 */
export function parseScheduleChange(
  input: ScheduleChangeInput,
  before: CronRule,
  maxAttempts: number,
): ScheduleChange {
  requireObject(input, 'the change must be an object')
  const { cron, timeZone, task, overlap, enabled } = input
  const isRuled = cron !== undefined || timeZone !== undefined
  return {
    ...(isRuled
      ? parseRule(cron ?? before.cron, timeZone === undefined ? before.timeZone : (timeZone ?? 'UTC'))
      : {}),
    ...(task === undefined ? {} : { task: parseScheduledTask(task, maxAttempts) }),
    ...(overlap === undefined ? {} : { overlap: parseOverlap(overlap) }),
    ...(enabled === undefined ? {} : { enabled: parseEnabled(enabled) }),
  }
}

function parseRule(cron: unknown, timeZone: unknown): CronRule {
  const rule = {
    cron: parseText('cron', typeof cron === 'string' ? cron.trim() : cron, CRON),
    timeZone: parseText('timeZone', timeZone, TIME_ZONE),
  }
  requireCronRule(rule)
  return rule
}

function parseOverlap(value: unknown): Overlap {
  return value == null ? 'skip' : parseChoice('overlap', value, overlaps)
}

function parseEnabled(value: unknown): boolean {
  if (value == null) return true
  if (typeof value === 'boolean') return value
  throw new TaskboardError('INVALID_FIELD', 'enabled must be true or false', { field: 'enabled' })
}

/** An error about the task names `task`, and the field of the task in its text. */
function parseScheduledTask(input: ScheduledTaskInput, maxAttempts: number): ScheduledTask {
  try {
    requireObject(input, 'must be an object')
    for (const field of oneTimeFields) {
      if ((input as TaskInput)[field] == null) continue
      throw new TaskboardError('INVALID_FIELD', `${field} is not possible in a schedule`)
    }
    const {
      workspaceId: _,
      dueDate: _due,
      notBefore: _before,
      dependsOn: _on,
      parentId: _parent,
      ...task
    } = parseNewTask(input, '', maxAttempts)
    return task
  } catch (error) {
    if (!isTaskboardError(error)) throw error
    const path = error.message.startsWith('must') ? 'task ' : 'task.'
    throw new TaskboardError('INVALID_FIELD', `${path}${error.message}`, { field: 'task' })
  }
}

function requireObject(input: unknown, rule: string): void {
  if (typeof input === 'object' && input !== null && !Array.isArray(input)) return
  throw new TaskboardError('INVALID_FIELD', rule)
}

/** The task of an occurrence, to add. A field that the library has got since the schedule was stored has its default. */
export function scheduledTask({ task, workspaceId }: Pick<Schedule, 'task' | 'workspaceId'>): NewTask {
  return parseNewTask(task, workspaceId, task.maxAttempts)
}

/**
 * The schedule that a storage creates from `input`. Pure, as `createTask` is.
 * @throws TaskboardError `INVALID_FIELD` (`cron`) when the expression has no occurrence after `now`.
 * @example
 * ```ts
 * import { createSchedule, parseNewTask } from '@taskboard/core/storage'
 *
 * const task = parseNewTask({ title: 'Water the plants' }, 'ws_1', 3)
 * const rule = { cron: '0 9 * * *', timeZone: 'UTC', overlap: 'skip', enabled: true } as const
 * const schedule = createSchedule({ workspaceId: 'ws_1', task, ...rule }, { id: 'sch_1', now: 0 })
 * console.log(schedule.nextAt) // 32400000
 * ```
 */
export function createSchedule(
  input: NewSchedule,
  { id, now }: { readonly id: string; readonly now: Instant },
): Schedule {
  const { workspaceId, cron, timeZone, task, overlap, enabled } = input
  return {
    id,
    workspaceId,
    cron,
    timeZone,
    task,
    overlap,
    enabled,
    nextAt: enabled ? requireNext(input, now) : null,
    lastAt: null,
    lastTaskId: null,
    lastError: null,
    createdAt: now,
    updatedAt: now,
  }
}

/**
 * A schedule with a change applied. Its next occurrence is after `now` when the change names the expression, the time zone or
 * `enabled: true` of a disabled one. Else it stays.
 * @throws TaskboardError `INVALID_FIELD` (`cron`) when the expression has no occurrence after `now`.
 * @example
 * ```ts
 * import { changedSchedule, createSchedule, parseNewTask } from '@taskboard/core/storage'
 *
 * const task = parseNewTask({ title: 'Water the plants' }, 'ws_1', 3)
 * const rule = { cron: '0 9 * * *', timeZone: 'UTC', overlap: 'skip', enabled: true } as const
 * const schedule = createSchedule({ workspaceId: 'ws_1', task, ...rule }, { id: 'sch_1', now: 0 })
 * console.log(changedSchedule(schedule, { enabled: false }, 1).nextAt) // null
 * ```
 */
export function changedSchedule(schedule: Schedule, change: ScheduleChange, now: Instant): Schedule {
  if (Object.keys(change).length === 0) return schedule
  const after = { ...schedule, ...change, updatedAt: now }
  if (!after.enabled) return { ...after, nextAt: null }
  const isTimed =
    after.cron !== schedule.cron || after.timeZone !== schedule.timeZone || after.enabled !== schedule.enabled
  return isTimed ? { ...after, nextAt: requireNext(after, now) } : after
}

function requireNext(rule: CronRule, now: Instant): Instant {
  const nextAt = nextOccurrence(rule, now)
  if (nextAt !== null) return nextAt
  throw new TaskboardError('INVALID_FIELD', 'cron must have an occurrence in the future', { field: 'cron' })
}

/** What becomes of a due schedule. */
export interface Occurrence {
  /** Its next occurrence is after the present: those that were missed aren't made one by one. */
  readonly schedule: Schedule
  /** False while the task of the occurrence before is open, with the overlap `skip`. */
  readonly makesTask: boolean
}

/**
 * The action of a storage on a schedule at `now`; null when it isn't due. `last` is the task that it made last, if it still exists. A task
 * that failed or was cancelled isn't open. Pure, as `transition` is.
 * @example
 * ```ts
 * import { createSchedule, occur, parseNewTask } from '@taskboard/core/storage'
 *
 * const task = parseNewTask({ title: 'Water the plants' }, 'ws_1', 3)
 * const rule = { cron: '0 * * * *', timeZone: 'UTC', overlap: 'skip', enabled: true } as const
 * const schedule = createSchedule({ workspaceId: 'ws_1', task, ...rule }, { id: 'sch_1', now: 0 })
 * const late = occur(schedule, null, 3 * 3_600_000 + 1)
 * console.log(late?.makesTask, late?.schedule.nextAt) // true 14400000
 * ```
 */
export function occur(
  schedule: Schedule,
  last: Pick<Task, 'column' | 'hold'> | null,
  now: Instant,
): Occurrence | null {
  const { nextAt } = schedule
  if (nextAt === null || nextAt > now) return null
  const after = { ...schedule, nextAt: nextOccurrence(schedule, now), lastAt: nextAt, lastError: null }
  return { schedule: after, makesTask: schedule.overlap === 'allow' || last === null || !isOpen(last) }
}

function isOpen(task: Pick<Task, 'column' | 'hold'>): boolean {
  return !['completed', 'failed', 'cancelled'].includes(taskStatus(task))
}
