import { TaskboardError } from '../errors/index.js'
import { taskListEntries } from './task.js'

/** How many levels of tasks there are at most: a task without a parent is on the first one. */
export const taskLevels = 5

/** How many subtasks that aren't DONE a task has at most. */
export const mostOpenSubtasks = 50

/**
 * Checks that a parent may get so many more subtasks. `level` is the parent's own, 1 for a task without a parent, as far as its ancestors
 * still exist. `open` is how many of its subtasks aren't DONE.
 * @throws TaskboardError `CONFLICT` (`parentId`) beyond five levels, or beyond 50 open subtasks.
 * @example
 * ```ts
 * import { requireSubtaskRoom } from '@taskboard/core/storage'
 *
 * requireSubtaskRoom({ level: 1, open: 48 }, 2)
 * console.log('two more are allowed') // two more are allowed
 * ```
 */
export function requireSubtaskRoom(
  { level, open }: { readonly level: number; readonly open: number },
  added: number,
): void {
  if (level >= taskLevels) throw refused(`parentId must leave at most ${taskLevels} levels of tasks`)
  if (open + added > mostOpenSubtasks) {
    throw refused(`parentId names a task that would have more than ${mostOpenSubtasks} open subtasks`)
  }
}

function refused(message: string): TaskboardError {
  return new TaskboardError('CONFLICT', message, { field: 'parentId' })
}

/**
 * The dependencies of a task from when it also waits for new subtasks. All that it depended on stays, in its order, while there is room for
 * it. Otherwise, the oldest dependencies that are DONE already are left out.
 * @throws TaskboardError `CONFLICT` (`dependsOn`) when more than 50 would be left.
 * @example
 * ```ts
 * import { dependenciesWhileWaiting } from '@taskboard/core/storage'
 *
 * console.log(dependenciesWhileWaiting(['task_1'], new Set(['task_1']), ['task_2'])) // [ 'task_1', 'task_2' ]
 * ```
 */
export function dependenciesWhileWaiting(
  dependsOn: readonly string[],
  done: ReadonlySet<string>,
  subtasks: readonly string[],
): readonly string[] {
  let surplus = Math.max(0, dependsOn.length + subtasks.length - taskListEntries)
  const kept = dependsOn.filter((id) => {
    if (surplus === 0 || !done.has(id)) return true
    surplus -= 1
    return false
  })
  if (surplus === 0) return [...kept, ...subtasks]
  throw new TaskboardError('CONFLICT', `dependsOn would have more than ${taskListEntries} tasks`, {
    field: 'dependsOn',
  })
}
