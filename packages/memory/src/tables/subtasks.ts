import { TaskboardError, type Task } from '@taskboard/core'
import { requireSubtaskRoom, taskLevels } from '@taskboard/core/storage'
import type { TaskTable } from './task-slots.js'

/** The subtasks of tasks. Follows the tasks' table. */
export interface Subtasks {
  /**
   * Checks that a task may get so many more subtasks.
   * @throws TaskboardError `INVALID_FIELD` for a task that the workspace doesn't have; `CONFLICT` beyond the bounds.
   */
  requireRoom(workspaceId: string, parentId: string, added: number): void
  /** Whether some of them aren't done. */
  hasOpen(parentId: string): boolean
}

export function createSubtasks(tasks: TaskTable): Subtasks {
  const open = new Map<string, number>()

  function count(task: Task | undefined, change: 1 | -1): void {
    if (task === undefined || task.parentId === null || task.column === 'DONE') return
    const now = (open.get(task.parentId) ?? 0) + change
    if (now === 0) open.delete(task.parentId)
    else open.set(task.parentId, now)
  }

  tasks.onChange((before, after) => {
    if (before?.parentId == null && after?.parentId == null) return
    count(before, -1)
    count(after, 1)
  })

  /** As far as its ancestors still exist. */
  function levelOf(task: Task): number {
    let level = 1
    for (let at = parentOf(task); at !== undefined && level < taskLevels; at = parentOf(at)) level += 1
    return level
  }

  const parentOf = ({ parentId }: Task): Task | undefined =>
    parentId === null ? undefined : tasks.get(parentId)

  return {
    hasOpen: (parentId) => open.has(parentId),
    requireRoom(workspaceId, parentId, added) {
      const parent = tasks.get(parentId)
      if (parent?.workspaceId !== workspaceId) {
        throw new TaskboardError('INVALID_FIELD', 'parentId must be a task of the workspace', {
          field: 'parentId',
        })
      }
      requireSubtaskRoom({ level: levelOf(parent), open: open.get(parentId) ?? 0 }, added)
    },
  }
}
