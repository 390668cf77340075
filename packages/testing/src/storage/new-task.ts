import type { NewTask } from '@taskboard/core'

/** A task to insert into a storage, with nothing special to it but what `task` has. */
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
