import type { Attempt } from '@taskboard/core'
import type { Journal, Reversible } from './journal.js'
import type { TaskTable } from './task-slots.js'

/** The ended attempts of each task, oldest first. They are deleted with the task's row. */
export interface Attempts {
  of(taskId: string): readonly Attempt[]
  set(taskId: string, attempts: readonly Attempt[]): void
  /** The attempts of an agent over all tasks, in the order of their ends. */
  ofAgent(agentId: string): readonly Attempt[]
}

const NONE: readonly Attempt[] = Object.freeze([])

export function createAttempts(journal: Journal, tasks: TaskTable): Attempts {
  const agents = new Map<string, Attempt[]>()

  function add(attempt: Attempt): void {
    const own = agents.get(attempt.agentId)
    if (own === undefined) agents.set(attempt.agentId, [attempt])
    else own.splice(placeAfter(own, attempt), 0, attempt)
  }

  function drop(attempt: Attempt): void {
    const own = agents.get(attempt.agentId)
    own?.splice(own.lastIndexOf(attempt), 1)
  }

  function swap(taskId: string, attempts: readonly Attempt[]): readonly Attempt[] {
    const row = tasks.row(taskId)
    if (row === undefined) return NONE
    const before = row.attempts
    row.attempts = attempts
    // One list is always the beginning of the other.
    for (const attempt of before.slice(attempts.length)) drop(attempt)
    for (const attempt of attempts.slice(before.length)) add(attempt)
    return before
  }

  const reversible: Reversible = { swap: (taskId, attempts) => swap(taskId, attempts as readonly Attempt[]) }

  return {
    of: (taskId) => tasks.row(taskId)?.attempts ?? NONE,
    set(taskId, attempts) {
      journal.note(reversible, taskId, swap(taskId, attempts))
    },
    ofAgent: (agentId) => agents.get(agentId) ?? NONE,
  }
}

/** Nearly always the end. */
function placeAfter(attempts: readonly Attempt[], { endedAt }: Attempt): number {
  let place = attempts.length
  while (place > 0 && (attempts[place - 1]?.endedAt ?? 0) > (endedAt ?? 0)) place -= 1
  return place
}
