import type { Instant } from '../environment/index.js'
import { TaskboardError } from '../errors/index.js'
import type { ActingAs, NamedActor, Task } from './task.js'
import { completedEvent } from './transition-events.js'
import { changed, ending, type TransitionResult } from './transition-result.js'

/** The agent that works on the task completes it. */
export function complete(task: Task, result: string, now: Instant): TransitionResult {
  const done = finished(task, now, result)
  return changed(done, [completedEvent(done, result, null)], ending(task, 'completed', null))
}

/** A person completes the task. */
export function finish(
  task: Task,
  {
    result,
    takeOver,
    actor,
  }: { readonly result: string; readonly takeOver: boolean; readonly actor: ActingAs },
  now: Instant,
): TransitionResult {
  if (task.column === 'DONE') {
    if (task.result === result) return changed(task)
    throw new TaskboardError('CONFLICT', 'the task is done; move it out of DONE to give it another result')
  }
  if (!takeOver && task.lease !== null && task.lease.expiresAt > now) {
    throw new TaskboardError(
      'CONFLICT',
      'an agent works on the task; pass its fencing token, or take the task over to complete it yourself',
      { field: 'takeOver' },
    )
  }
  const done = finished(taken(task, actor), now, result)
  return changed(
    done,
    [completedEvent(done, result, actor)],
    ending(task, 'revoked', 'completed by a person'),
  )
}

/** The task in the hands of a person: without a hold, and with fresh attempts. */
export function taken(task: Task, actor: ActingAs): Task {
  return { ...task, hold: null, attempts: 0, takenBy: named(actor) }
}

function named({ kind, id, name = null }: ActingAs): NamedActor {
  return { kind, id, name }
}

export function finished(task: Task, now: Instant, result: string | null): Task {
  return { ...task, column: 'DONE', lease: null, completedAt: now, progress: 100, result, updatedAt: now }
}

/**
 * Whether the task is in DONE by this very completion. Its agent retries it when the answer to the first call was lost.
 * A person who completes the task is in `takenBy`, and a move out of DONE deletes the result.
 * @example
 * ```ts
 * import { createTaskboard } from '@taskboard/core'
 * import { isCompletedBy } from '@taskboard/core/storage'
 * import { memoryStorage } from '@taskboard/memory'
 *
 * const taskboard = createTaskboard({ storage: memoryStorage() })
 * const { workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'professional' })
 * const task = await taskboard.board(workspace.id).add({ title: 'Translate the manual' })
 * const done = { ...task, column: 'DONE', fencingToken: 1, result: 'translated' } as const
 * console.log(isCompletedBy(done, 1, 'translated'), isCompletedBy(done, 1, 'another')) // true false
 * ```
 */
export function isCompletedBy(task: Task, fencingToken: number, result: string): boolean {
  const isByAgent = task.column === 'DONE' && task.takenBy === null
  return isByAgent && task.fencingToken === fencingToken && task.result === result
}
