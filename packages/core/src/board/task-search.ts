import type { Reach } from '../access/index.js'
import type { AgentStatus } from '../events/index.js'
import type { Instant } from '../environment/index.js'
import { scoreUnits, type Scoring } from '../priority/index.js'
import type { UsageAmounts } from '../usage/index.js'
import { hasWords } from './search-words.js'
import type { Column, HoldReason, Priority, Task, TaskLogEntry, TaskOutput } from './task.js'
import type { TaskCursor } from './task-cursor.js'

/** The state of a task in one word, for APIs without columns. */
export const taskStatuses = ['pending', 'in_progress', 'completed', 'failed', 'cancelled', 'blocked'] as const

export type TaskStatus = (typeof taskStatuses)[number]

const heldAs: Readonly<Record<HoldReason, TaskStatus>> = {
  failed: 'failed',
  cancelled: 'cancelled',
  needs_input: 'blocked',
  approval: 'blocked',
  budget: 'blocked',
}

/**
 * The status of a task. DOING is `in_progress`, DONE is `completed`, and TODO is `pending` unless a hold makes it `failed`, `cancelled` or
 * (while it waits for a person) `blocked`. A task that waits for other tasks is `pending`.
 * @example
 * ```ts
 * import { taskStatus } from '@taskboard/core'
 *
 * const hold = { reason: 'needs_input', message: 'Into which language?', since: Date.now() } as const
 * console.log(taskStatus({ column: 'TODO', hold: null })) // pending
 * console.log(taskStatus({ column: 'TODO', hold })) // blocked
 * ```
 */
export function taskStatus({ column, hold }: Pick<Task, 'column' | 'hold'>): TaskStatus {
  if (column === 'DOING') return 'in_progress'
  if (column === 'DONE') return 'completed'
  return hold === null ? 'pending' : heldAs[hold.reason]
}

/** The agent shown with a task. */
export interface TaskAgent {
  readonly id: string
  readonly name: string
  readonly status: AgentStatus
}

/**
 * A task with its agent: the one that works on it. Else, in DONE, the one that completed it; else the one that it is assigned to. Null
 * when there is none of these.
 */
export interface TaskSummary {
  readonly task: Task
  readonly agent: TaskAgent | null
}

/** A task with its log and its outputs. */
export interface TaskDetail extends TaskSummary {
  /** The newest lines, oldest first. */
  readonly logs: readonly TaskLogEntry[]
  /** All of them, oldest first. */
  readonly outputs: readonly TaskOutput[]
  /** The sum of its reported usage. */
  readonly usage: UsageAmounts
}

/**
 * The orders of a search. `created`: newest first, by id. `updated`: latest change first. `due`: earliest due date first, none last. These
 * order equal tasks by id, newest first. `priority_score`: only tasks in TODO, in the order of the board's list of that column. That is by
 * score at the instant of the first page, highest first, with tasks on hold after all others.
 */
export const taskSorts = ['created', 'updated', 'due', 'priority_score'] as const

export type TaskSort = (typeof taskSorts)[number]

/** Which tasks to find: those that match every condition that isn't null, and every one of the words. */
export interface TaskConditions {
  /** Each begins a word of the title or the description. From `searchWords`; empty for any task. */
  readonly words: readonly string[]
  readonly status: TaskStatus | null
  readonly column: Column | null
  readonly hold: HoldReason | null
  /** Exactly this type. */
  readonly type: string | null
  /** Has exactly this tag. */
  readonly tag: string | null
  readonly priority: Priority | null
  readonly assignedTo: string | null
  /** The task that it is a part of. */
  readonly parentId: string | null
  /** At or after the instant. */
  readonly createdAfter: Instant | null
  /** Before the instant. */
  readonly createdBefore: Instant | null
  /** Due at or after the instant. */
  readonly dueAfter: Instant | null
  /** Due before the instant. */
  readonly dueBefore: Instant | null
}

export interface TaskSearch extends TaskConditions {
  readonly reach: Reach
  /** Tasks that are assigned to the agent, that it works, or that it completed. */
  readonly agentId: string | null
  readonly workspaceId: string | null
  readonly sort: TaskSort
  readonly limit: number
  /** The place of the last task of the page before, in the same order. */
  readonly after: TaskCursor | null
}

export interface TaskSearchPage {
  readonly found: readonly TaskSummary[]
  /** The instant of the scores: the cursor's, or now. */
  readonly asOf: Instant
  /** Whether there is a next page, behind the last of `found`. */
  readonly hasMore: boolean
}

/** The conditions that every task meets. */
export const anyTask: TaskConditions = Object.freeze({
  words: Object.freeze([]),
  status: null,
  column: null,
  hold: null,
  type: null,
  tag: null,
  priority: null,
  assignedTo: null,
  parentId: null,
  createdAfter: null,
  createdBefore: null,
  dueAfter: null,
  dueBefore: null,
})

/**
 * Whether a task meets the conditions.
 * @example
 * ```ts
 * import { anyTask, createTask, meetsConditions, parseNewTask, searchWords } from '@taskboard/core/storage'
 *
 * const input = parseNewTask({ title: 'Translate the manual', tags: ['print'] }, 'ws_1', 3)
 * const task = createTask(input, { id: 'task_1', now: 0, openDependencies: 0 })
 * console.log(meetsConditions(task, { ...anyTask, words: searchWords('manual trans'), tag: 'print' })) // true
 * ```
 */
export function meetsConditions(task: Task, conditions: TaskConditions): boolean {
  const { words, status, column, hold, type, tag, priority, assignedTo, parentId } = conditions
  return (
    (status === null || taskStatus(task) === status) &&
    (column === null || task.column === column) &&
    (hold === null || task.hold?.reason === hold) &&
    (type === null || task.type === type) &&
    (tag === null || task.tags.includes(tag)) &&
    (priority === null || task.priority === priority) &&
    (assignedTo === null || task.assignedTo === assignedTo) &&
    (parentId === null || task.parentId === parentId) &&
    isBetween(task.createdAt, conditions.createdAfter, conditions.createdBefore) &&
    isBetween(task.dueDate, conditions.dueAfter, conditions.dueBefore) &&
    (words.length === 0 || hasWords(words, [task.title, task.description]))
  )
}

function isBetween(at: Instant | null, from: Instant | null, before: Instant | null): boolean {
  if (from === null && before === null) return true
  return at !== null && (from === null || at >= from) && (before === null || at < before)
}

/** Above every due date. */
const NO_DUE_DATE = Number.MAX_SAFE_INTEGER

/**
 * The place of a task in a sort: the greater `rank` comes first.
 * @example
 * ```ts
 * import { createTask, parseNewTask, searchPlace } from '@taskboard/core/storage'
 * import { defaultScoring } from '@taskboard/core'
 *
 * const input = parseNewTask({ title: 'Translate the manual', dueDate: 5 }, 'ws_1', 3)
 * const task = createTask(input, { id: 'task_1', now: 0, openDependencies: 0 })
 * console.log(searchPlace(task, 'due', 0, defaultScoring).rank) // -5
 * ```
 */
export function searchPlace(task: Task, sort: TaskSort, asOf: Instant, scoring: Scoring): TaskCursor {
  const { id, createdAt, dueDate, hold } = task
  return { asOf, rank: rankOf(task, sort, asOf, scoring), held: hold !== null, dueDate, createdAt, id }
}

function rankOf(task: Task, sort: TaskSort, asOf: Instant, scoring: Scoring): number {
  switch (sort) {
    case 'created':
      return 0
    case 'updated':
      return task.updatedAt
    case 'due':
      return -(task.dueDate ?? NO_DUE_DATE)
    case 'priority_score':
      return scoreUnits(task, asOf, scoring)
  }
}
