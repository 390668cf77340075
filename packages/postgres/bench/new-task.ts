import type { NewTask } from '@taskboard/core/storage'
import { newTask as taskWith } from '@taskboard/testing'

/** The task to add, similar to a client's. */
export function newTask(workspaceId: string): NewTask {
  return taskWith({
    workspaceId,
    title: 'Summarise the quarterly figures',
    description: 'One page, with a chart of the last eight quarters.',
    priority: 'high',
    dueDate: Date.UTC(2030, 0, 1, 9),
    tags: ['report', 'finance'],
  })
}
