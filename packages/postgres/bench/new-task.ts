import type { NewTask } from '@taskboard/core'

/** The task that is added, about what a client sends. */
export function newTask(workspaceId: string): NewTask {
  return {
    workspaceId,
    title: 'Summarise the quarterly figures',
    description: 'One page, with a chart of the last eight quarters.',
    type: null,
    priority: 'high',
    assignedTo: null,
    dueDate: Date.UTC(2030, 0, 1, 9),
    notBefore: null,
    tags: ['report', 'finance'],
    metadata: {},
    dependsOn: [],
    maxAttempts: 5,
  }
}
