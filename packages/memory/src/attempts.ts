import type { Attempt } from '@taskboard/core'
import type { Journal, Reversible } from './journal.js'
import type { TaskTable } from './task-slots.js'

/** The attempts at each task that have ended, oldest first; they live and go with the task's row. */
export interface Attempts {
  of(taskId: string): readonly Attempt[]
  set(taskId: string, attempts: readonly Attempt[]): void
}

const NONE: readonly Attempt[] = Object.freeze([])

export function createAttempts(journal: Journal, tasks: TaskTable): Attempts {
  function swap(taskId: string, attempts: readonly Attempt[]): readonly Attempt[] {
    const row = tasks.row(taskId)
    if (row === undefined) return NONE
    const before = row.attempts
    row.attempts = attempts
    return before
  }

  const reversible: Reversible = { swap: (taskId, attempts) => swap(taskId, attempts as readonly Attempt[]) }

  return {
    of: (taskId) => tasks.row(taskId)?.attempts ?? NONE,
    set(taskId, attempts) {
      journal.note(reversible, taskId, swap(taskId, attempts))
    },
  }
}
