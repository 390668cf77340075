import type { HoldReason, Task } from './task.js'

/** The state of a task in one word, for APIs without columns. */
export const taskStatuses = ['pending', 'in_progress', 'completed', 'failed', 'cancelled', 'blocked'] as const
export type TaskStatus = (typeof taskStatuses)[number]

const heldAs: Readonly<Record<HoldReason, TaskStatus>> = {
  failed: 'failed',
  cancelled: 'cancelled',
  needs_input: 'blocked',
  approval: 'blocked',
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
