import { plainActor, type EventDraft } from '../events/index.js'
import { taskFieldNames, type Actor, type Task, type TaskField, type TaskFields } from './task.js'
import type { TaskCommand } from './transition.js'

/**
 * The fields that differ between two states of a task, in the order in which fields are read. The order of entries counts in lists, and
 * not in metadata.
 * @example
 * ```ts
 * import { changedFields, createTask, parseNewTask } from '@taskboard/core/storage'
 *
 * const input = parseNewTask({ title: 'Translate the manual' }, 'ws_1', 3)
 * const task = createTask(input, { id: 'task_1', now: 0, openDependencies: 0 })
 * console.log(changedFields(task, { ...task, priority: 'urgent', tags: [] })) // [ 'priority' ]
 * ```
 */
export function changedFields(before: TaskFields, after: TaskFields): readonly TaskField[] {
  return taskFieldNames.filter((field) => !isSame(before[field], after[field]))
}

/**
 * The event of an edit by `actor`; null when it left every field as it was.
 * @example
 * ```ts
 * import { createTask, parseNewTask, updatedEvent } from '@taskboard/core/storage'
 *
 * const input = parseNewTask({ title: 'Translate the manual' }, 'ws_1', 3)
 * const task = createTask(input, { id: 'task_1', now: 0, openDependencies: 0 })
 * const actor = { kind: 'user', id: 'user_1' } as const
 * console.log(updatedEvent(task, { ...task, priority: 'urgent' }, actor)?.type) // task.updated
 * console.log(updatedEvent(task, { ...task }, actor)) // null
 * ```
 */
export function updatedEvent(before: Task, after: Task, actor: Actor): EventDraft | null {
  const fields = changedFields(before, after)
  if (fields.length === 0) return null
  const { id: taskId, title, column: status } = after
  return { type: 'task.updated', data: { taskId, title, status, fields, actor: plainActor(actor) } }
}

/**
 * A side effect of an edit: assigning a task to another agent takes it away from the one that works on it.
 * @example
 * ```ts
 * import { createTaskboard, transition } from '@taskboard/core'
 * import { revocationBy } from '@taskboard/core/storage'
 * import { memoryStorage } from '@taskboard/memory'
 *
 * const taskboard = createTaskboard({ storage: memoryStorage() })
 * const { workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'professional' })
 * const task = await taskboard.board(workspace.id).add({ title: 'Translate the manual' })
 * const claim = { kind: 'claim', agentId: 'agent_1', leaseMs: 60_000 } as const
 * const claimed = transition(task, claim, task.createdAt).task
 * const command = revocationBy(claimed, { ...claimed, assignedTo: 'agent_2' }, { kind: 'user', id: 'user_1' })
 * console.log(command?.kind) // revoke
 * ```
 */
export function revocationBy(before: Task, after: Task, actor: Actor): TaskCommand | null {
  const { assignedTo, lease } = after
  if (lease === null || assignedTo === null || assignedTo === before.assignedTo) return null
  return assignedTo === lease.agentId ? null : { kind: 'revoke', reason: 'assigned to another agent', actor }
}

function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  const [entriesOfA, entriesOfB] = [Object.entries(a), Object.entries(b)]
  return (
    Array.isArray(a) === Array.isArray(b) &&
    entriesOfA.length === entriesOfB.length &&
    entriesOfA.every(([name, value]) => Object.hasOwn(b, name) && isSame(value, (b as Values)[name]))
  )
}

type Values = Readonly<Record<string, unknown>>
