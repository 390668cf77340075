import type { NewTask } from '@taskboard/core/storage'

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
export function newTask({
  workspaceId,
  title = 'a task',
  description = null,
  type = null,
  priority = 'medium',
  assignedTo = null,
  dueDate = null,
  notBefore = null,
  tags = [],
  metadata = {},
  dependsOn = [],
  maxAttempts = 5,
}: Partial<NewTask> & Pick<NewTask, 'workspaceId'>): NewTask {
  return {
    workspaceId,
    title,
    description,
    type,
    priority,
    assignedTo,
    dueDate,
    notBefore,
    tags,
    metadata,
    dependsOn,
    maxAttempts,
  }
}
