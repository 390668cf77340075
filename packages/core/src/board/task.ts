import type { Instant } from '../environment/index.js'
import { requireKnownFields, TaskboardError, type TextRules } from '../errors/index.js'
import type { Column, HoldReason, NamedActor } from '../events/index.js'
import { priorities } from '../priority/index.js'
import { parseBudget, type Budget, type BudgetInput } from '../usage/index.js'
import {
  parseChoice,
  parseInstant,
  parseMetadata,
  parseText,
  parseTexts,
  parseWholeNumber,
  type InstantInput,
} from './parse-value.js'
import { typeRules } from './parse-value.js'

export { columns, holdReasons } from '../events/index.js'
export type { ActingAs, Actor, Column, HoldReason, NamedActor } from '../events/index.js'
export { priorities } from '../priority/index.js'
export type { Priority } from '../priority/index.js'
export { logLevels } from './task-record.js'
export type { TaskLogEntry, TaskLogPage, TaskOutput } from './task-record.js'

/** Keeps a task in TODO from every agent until a person releases it. */
export interface Hold {
  readonly reason: HoldReason
  readonly message: string | null
  readonly since: Instant
}

/** An agent's exclusive right to work on a task, until it isn't renewed. */
export interface Lease {
  readonly agentId: string
  /** Grows with every claim of the task. A write with an older one is rejected with `CONFLICT`. */
  readonly fencingToken: number
  /** The instant at which the lease expires. */
  readonly expiresAt: Instant
  /** The length that the claim asked for. A renewal that names no other length uses it. */
  readonly durationMs: number
}

/**
 * The fields of a task that people and programs set and change. This is their only declaration. The types of inputs derive from it, and its
 * type holds each table of the fields, here and in the layers around core.
 */
export interface TaskFields {
  /** 1 to 200 code points, trimmed. */
  readonly title: string
  /** At most 20,000 code points. */
  readonly description: string | null
  /**
   * 1 to 64 code points, trimmed. While the workspace has agents of this type, only they may claim the task; otherwise, and without a
   * type, any agent may.
   */
  readonly type: string | null
  /** Default `medium`. */
  readonly priority: (typeof priorities)[number]
  /** The id of the only agent that may claim the task; null for any. */
  readonly assignedTo: string | null
  readonly dueDate: Instant | null
  /** No agent claims the task before this instant: a planned start, or the backoff after a failed attempt. */
  readonly notBefore: Instant | null
  /** At most 50, each of 1 to 100 code points. */
  readonly tags: readonly string[]
  /** At most 16,384 characters as JSON; names of 1 to 100 code points. */
  readonly metadata: Readonly<Record<string, string | readonly string[]>>
  /** Ids of at most 50 tasks of the same workspace that must be DONE before an agent may claim this one. */
  readonly dependsOn: readonly string[]
  /** The budget of the task, for all attempts together; null for any amount. One report may use more than is left. */
  readonly budget: Budget | null
}

export type TaskField = keyof TaskFields

/**
 * A task as it is stored: an immutable value, which each change replaces as a whole. Times are epoch milliseconds. An absent optional
 * value is null.
 */
export interface Task extends TaskFields {
  readonly id: string
  readonly workspaceId: string
  /** The task that this one is a part of, which may have been deleted since; null for none. It never changes. */
  readonly parentId: string | null
  readonly column: Column
  /** Only in TODO. */
  readonly hold: Hold | null
  /** How many of `dependsOn` aren't DONE. The task is blocked while this is above 0. */
  readonly openDependencies: number
  /** 0 to 100. */
  readonly progress: number
  /** The text that the agent returned; null until the task is completed. */
  readonly result: string | null
  readonly createdAt: Instant
  readonly updatedAt: Instant
  /** When it last entered DOING. */
  readonly startedAt: Instant | null
  /** When it last entered DONE; null while it is elsewhere. */
  readonly completedAt: Instant | null
  /** How many times an agent has claimed it since a person last created, moved or released it. */
  readonly attempts: number
  /** How many claims it may have before it is held as `failed`. */
  readonly maxAttempts: number
  /** The last fencing token given for it; 0 before the first claim. Never decreases. */
  readonly fencingToken: number
  /** Present exactly while an agent works on it. A task that a person moved to DOING has none. */
  readonly lease: Lease | null
  /** The person or program that moved it to DOING or DONE, or completed it; else null. */
  readonly takenBy: NamedActor | null
  /** Whether anyone has commented on it, so that runs of other tasks need not look. */
  readonly hasComments: boolean
  /** The W3C `traceparent` of the span in which it was added; null without telemetry. It never changes, and no API shows it. */
  readonly traceparent: string | null
}

/** A validated task to create in TODO. */
export interface NewTask extends TaskFields {
  readonly workspaceId: string
  /** The id of the task that it becomes a part of; null for none. */
  readonly parentId: string | null
  readonly maxAttempts: number
  /** See `Task.traceparent`. Absent: null. */
  readonly traceparent?: string | null | undefined
}

/** A validated change: its fields are replaced as a whole, the others stay. */
export type TaskChange = Partial<TaskFields>

/** The values that callers may give for a field, where more is allowed than is stored. */
interface WiderInputs {
  readonly dueDate: InstantInput
  readonly notBefore: InstantInput
  readonly budget: BudgetInput
}

/** The input of `board.update`. Undefined keeps a field; null clears it to the default of a new task. The title can't be cleared. */
// No type of its own for a value, so that editors show what a field takes.
export type TaskChangeInput = {
  readonly [F in keyof TaskFields]?:
    | (F extends keyof WiderInputs ? WiderInputs[F] : TaskFields[F])
    | (F extends 'title' ? never : null)
    | undefined
}

/** A task to add. A field that is absent, undefined or null has its default. */
export interface TaskInput extends TaskChangeInput {
  readonly title: string
  /**
   * The id of a task of the workspace that this one becomes a part of. A task has at most 50 subtasks that aren't DONE, and there are at
   * most five levels.
   */
  readonly parentId?: string | null | undefined
  /** 1 to 100. */
  readonly maxAttempts?: number | null | undefined
}

const TITLE: TextRules = { most: 200, isBlankAllowed: false }
const DESCRIPTION: TextRules = { most: 20_000, isBlankAllowed: true }
const TAG: TextRules = { most: 100, isBlankAllowed: false }
/** The form of an id. The storage checks whether it exists. */
const REFERENCE: TextRules = { most: 64, isBlankAllowed: false }
/** How many tags and how many dependencies a task has at most. */
export const taskListEntries = 50
const MOST_ATTEMPTS = 100
const NO_TEXTS: readonly string[] = Object.freeze([])
const NO_METADATA: TaskFields['metadata'] = Object.freeze({})

/**
 * Reads each field, whatever it contains, and throws `INVALID_FIELD` with its name for an invalid value. Null and undefined read as the
 * empty value. Not a schema: every create runs this, and a schema took a quarter of its time.
 */
const read: { readonly [F in TaskField]: (value: unknown) => TaskFields[F] } = {
  title: (value) => parseText('title', trimmed(value), TITLE),
  description: (value) => (value == null ? null : parseText('description', value, DESCRIPTION)),
  type: (value) => (value == null ? null : parseText('type', trimmed(value), typeRules)),
  priority: (value) => (value == null ? 'medium' : parseChoice('priority', value, priorities)),
  assignedTo: (value) => (value == null ? null : parseText('assignedTo', value, REFERENCE)),
  dueDate: (value) => (value == null ? null : parseInstant('dueDate', value)),
  notBefore: (value) => (value == null ? null : parseInstant('notBefore', value)),
  tags: (value) => (value == null ? NO_TEXTS : parseTexts('tags', value, TAG, taskListEntries)),
  metadata: (value) => (value == null ? NO_METADATA : parseMetadata('metadata', value)),
  // Distinct ids, in the given order.
  dependsOn: (value) =>
    value == null ? NO_TEXTS : [...new Set(parseTexts('dependsOn', value, REFERENCE, taskListEntries))],
  budget: parseBudget,
}

/** The names of the fields, in the order in which they are read. */
export const taskFieldNames = Object.keys(read) as readonly TaskField[]
const changeable: ReadonlySet<string> = new Set(taskFieldNames)
const known: ReadonlySet<string> = new Set([...taskFieldNames, 'parentId', 'maxAttempts'])

/**
 * Validates a task to add, whatever its fields contain, and fills in the defaults.
 * @throws TaskboardError `MISSING_FIELD` or `INVALID_FIELD`, naming the first field that is wrong.
 * @example
 * ```ts
 * import { parseNewTask } from '@taskboard/core/storage'
 *
 * const task = parseNewTask({ title: ' Translate the manual ' }, 'ws_1', 3)
 * console.log(task.title, task.priority, task.maxAttempts) // Translate the manual medium 3
 * ```
 */
export function parseNewTask(input: TaskInput, workspaceId: string, maxAttempts: number): NewTask {
  requireObject(input, 'the task must be an object')
  requireKnownFields(input, known)
  if ((input.title as unknown) == null) {
    throw new TaskboardError('MISSING_FIELD', 'title is required', { field: 'title' })
  }
  return {
    workspaceId,
    title: read.title(input.title),
    description: read.description(input.description),
    type: read.type(input.type),
    priority: read.priority(input.priority),
    assignedTo: read.assignedTo(input.assignedTo),
    dueDate: read.dueDate(input.dueDate),
    notBefore: read.notBefore(input.notBefore),
    tags: read.tags(input.tags),
    metadata: read.metadata(input.metadata),
    dependsOn: read.dependsOn(input.dependsOn),
    parentId: input.parentId == null ? null : parseText('parentId', input.parentId, REFERENCE),
    budget: read.budget(input.budget),
    maxAttempts:
      input.maxAttempts == null
        ? maxAttempts
        : parseWholeNumber('maxAttempts', input.maxAttempts, 1, MOST_ATTEMPTS),
  }
}

/**
 * Validates a change, whatever its fields contain.
 * @throws TaskboardError `INVALID_FIELD`, naming the first field that is wrong.
 */
export function parseTaskChange(input: TaskChangeInput): TaskChange {
  requireObject(input, 'the change must be an object')
  requireKnownFields(input, changeable)
  const change: Record<string, unknown> = {}
  for (const field of taskFieldNames) {
    const value = input[field]
    if (value !== undefined) change[field] = read[field](value)
  }
  return change
}

function trimmed(value: unknown): unknown {
  return typeof value === 'string' ? value.trim() : value
}

function requireObject(input: unknown, rule: string): void {
  if (typeof input === 'object' && input !== null && !Array.isArray(input)) return
  throw new TaskboardError('INVALID_FIELD', rule)
}

/** The rest of a task: what the board decides. `notBefore` is set by callers, and by backoffs and claims. */
type TaskState = Omit<Task, Exclude<TaskField, 'notBefore'>>

/**
 * The task with these fields in this state. Each member is named: for a literal, the engine learns that the object is long-lived and
 * allocates it in old memory immediately. The copies of a spread are moved twice before they get there. On an in-memory board of a million
 * tasks that is a quarter of the cost of a claim.
 * @example
 * ```ts
 * import { createTask, makeTask, parseNewTask } from '@taskboard/core/storage'
 *
 * const input = parseNewTask({ title: 'Translate the manual' }, 'ws_1', 3)
 * const state = createTask(input, { id: 'task_1', now: 0, openDependencies: 0 })
 * console.log(makeTask({ ...input, title: 'Print the manual' }, state).title) // Print the manual
 * ```
 */
export function makeTask(fields: Omit<TaskFields, 'notBefore'>, state: TaskState): Task {
  return {
    id: state.id,
    workspaceId: state.workspaceId,
    parentId: state.parentId,
    title: fields.title,
    description: fields.description,
    type: fields.type,
    priority: fields.priority,
    column: state.column,
    hold: state.hold,
    assignedTo: fields.assignedTo,
    dueDate: fields.dueDate,
    notBefore: state.notBefore,
    tags: fields.tags,
    metadata: fields.metadata,
    dependsOn: fields.dependsOn,
    budget: fields.budget,
    openDependencies: state.openDependencies,
    progress: state.progress,
    result: state.result,
    createdAt: state.createdAt,
    updatedAt: state.updatedAt,
    startedAt: state.startedAt,
    completedAt: state.completedAt,
    attempts: state.attempts,
    maxAttempts: state.maxAttempts,
    fencingToken: state.fencingToken,
    lease: state.lease,
    takenBy: state.takenBy,
    hasComments: state.hasComments,
    traceparent: state.traceparent,
  }
}

/**
 * The task that a storage creates from `input`: in TODO, without an attempt. Pure, as `transition` is. The storage supplies the id, the
 * time, and how many of the dependencies aren't DONE.
 * @example
 * ```ts
 * import { createTask, parseNewTask } from '@taskboard/core/storage'
 *
 * const input = parseNewTask({ title: 'Translate the manual' }, 'ws_1', 3)
 * const { column, attempts } = createTask(input, { id: 'task_1', now: 0, openDependencies: 0 })
 * console.log(column, attempts) // TODO 0
 * ```
 */
export function createTask(
  input: NewTask,
  created: { readonly id: string; readonly now: Instant; readonly openDependencies: number },
): Task {
  const { id, now, openDependencies } = created
  return makeTask(input, {
    id,
    workspaceId: input.workspaceId,
    parentId: input.parentId,
    column: 'TODO',
    hold: null,
    notBefore: input.notBefore,
    openDependencies,
    progress: 0,
    result: null,
    createdAt: now,
    updatedAt: now,
    startedAt: null,
    completedAt: null,
    attempts: 0,
    maxAttempts: input.maxAttempts,
    fencingToken: 0,
    lease: null,
    takenBy: null,
    hasComments: false,
    traceparent: input.traceparent ?? null,
  })
}

/** How an attempt ended. */
export const attemptOutcomes = [
  'completed',
  'failed',
  'retried',
  'held',
  'expired',
  'revoked',
  'returned',
  'postponed',
] as const
export type AttemptOutcome = (typeof attemptOutcomes)[number]

/** How many of a task's attempts are read, the newest ones: agents that give a task back, or postpone it, can have made any number. */
export const mostAttempts = 100

/** One claim of a task by an agent, kept permanently. */
export interface Attempt {
  readonly fencingToken: number
  readonly agentId: string
  readonly startedAt: Instant
  readonly endedAt: Instant | null
  /** Null while the attempt is in progress. */
  readonly outcome: AttemptOutcome | null
  /** The reason for the end, from the agent or the lease. */
  readonly reason: string | null
}

/**
 * Whether the task is ready at `now`, for any agent that may claim it.
 * @example
 * ```ts
 * import { createTaskboard } from '@taskboard/core'
 * import { isReady } from '@taskboard/core/storage'
 * import { memoryStorage } from '@taskboard/memory'
 *
 * const taskboard = createTaskboard({ storage: memoryStorage() })
 * const { workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'professional' })
 * const task = await taskboard.board(workspace.id).add({ title: 'Translate the manual' })
 * console.log(isReady(task, task.createdAt)) // true
 * ```
 */
export function isReady(task: Task, now: Instant): boolean {
  return (
    task.column === 'TODO' &&
    task.hold === null &&
    task.openDependencies === 0 &&
    (task.notBefore === null || task.notBefore <= now)
  )
}
