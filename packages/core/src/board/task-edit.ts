import type { EventDraft } from '../events/index.js'
import { taskFieldNames, type Actor, type Task, type TaskField, type TaskFields } from './task.js'

/**
 * The fields that differ between two states of a task, in the order in which fields are read. The order of entries counts in lists, and
 * not in metadata.
 * @example
 * ```ts
 * import { changedFields, createTask, readNewTask } from '@taskboard/core/storage'
 *
 * const input = readNewTask({ title: 'Translate the manual' }, 'ws_1', 3)
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
 * import { createTask, readNewTask, updatedEvent } from '@taskboard/core/storage'
 *
 * const input = readNewTask({ title: 'Translate the manual' }, 'ws_1', 3)
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
  return { type: 'task.updated', data: { taskId, title, status, fields, actor } }
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
