import { parseNewTask, type NewTask } from '@taskboard/core/storage'

const MAX_ATTEMPTS = 5

/**
 * A task to insert into a storage, with a default for each field that is left out.
 * @example
 * ```ts
 * import { newTask } from '@taskboard/testing'
 *
 * const task = newTask({ workspaceId: 'ws_1', priority: 'urgent' })
 * console.log(task.title, task.priority, task.maxAttempts) // a task urgent 5
 * ```
 */
export function newTask(given: Partial<NewTask> & Pick<NewTask, 'workspaceId'>): NewTask {
  return Object.assign(parseNewTask({ title: 'a task' }, given.workspaceId, MAX_ATTEMPTS), given)
}
