import type { Reach } from '../access/index.js'
import type { AgentStatus } from '../events/index.js'
import type { UsageAmounts } from '../usage/index.js'
import type { HoldReason, Task, TaskLogEntry, TaskOutput } from './task.js'

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
 * The status of a task: DOING is `in_progress`, DONE is `completed`, and TODO is `pending` unless a hold makes it `failed`,
 * `cancelled` or (while it waits for a person) `blocked`. A task that waits for other tasks is `pending`.
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
 * A task with its agent: the one that works it; else, in DONE, the one that completed it; else the one that it is assigned to. Null
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
  /** The sum of what was reported. */
  readonly usage: UsageAmounts
}

/** Which tasks to find: those that match every filter that is not null. */
export interface TaskSearch {
  readonly reach: Reach
  readonly status: TaskStatus | null
  /** Tasks that are assigned to the agent, that it works, or that it completed. */
  readonly agentId: string | null
  readonly workspaceId: string | null
  readonly limit: number
  /** The last task of the page before. */
  readonly afterId: string | null
}

export interface TaskSearchPage {
  readonly found: readonly TaskSummary[]
  /** For the next page; null on the last one. */
  readonly nextAfterId: string | null
}
