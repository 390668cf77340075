import type { Instant } from '../environment/index.js'

/** The fields that order tasks of the same score. Every `Task` is one. */
export interface Tied {
  readonly id: string
  readonly createdAt: Instant
  readonly dueDate: Instant | null
}

/**
 * The order of tasks of the same score: by due date (none last), then by creation, then by id. Below 0 when `a` comes first.
 * @example
 * ```ts
 * import { compareTied } from '@taskboard/core/storage'
 *
 * const due = { id: 'task_2', createdAt: 2, dueDate: 10 }
 * const older = { id: 'task_1', createdAt: 1, dueDate: null }
 * console.log([older, due].toSorted(compareTied).map(({ id }) => id)) // [ 'task_2', 'task_1' ]
 * ```
 */
export function compareTied(a: Tied, b: Tied): number {
  const [dueA, dueB] = [a.dueDate ?? Infinity, b.dueDate ?? Infinity]
  if (dueA !== dueB) return dueA < dueB ? -1 : 1
  if (a.createdAt !== b.createdAt) return a.createdAt - b.createdAt
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0
}
