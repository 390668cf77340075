import type { Task } from '@taskboard/core'
import type { TaskTable } from './task-slots.js'

/** The tasks that wait for a task. Follows the tasks' table. */
export interface Dependents {
  /** Ids of the tasks that name `taskId` among their dependencies, in order. */
  of(taskId: string): readonly string[]
}

export function createDependents(tasks: TaskTable): Dependents {
  const waiting = new Map<string, Set<string>>()

  tasks.onChange((before, after) => {
    if (before?.dependsOn === after?.dependsOn) return
    for (const id of before?.dependsOn ?? []) {
      const ids = waiting.get(id)
      ids?.delete((before as Task).id)
      if (ids?.size === 0) waiting.delete(id)
    }
    for (const id of after?.dependsOn ?? []) {
      const ids = waiting.get(id)
      if (ids === undefined) waiting.set(id, new Set([(after as Task).id]))
      else ids.add((after as Task).id)
    }
  })

  return { of: (taskId) => [...(waiting.get(taskId) ?? [])].sort() }
}
