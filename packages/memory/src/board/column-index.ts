import { columns, type Column, type Instant, type Scoring, type Task } from '@taskboard/core'
import type { TaskListQuery, TaskPage } from '@taskboard/core/storage'
import { createColumnView, type ColumnView } from './column-view.js'
import type { TaskTable } from '../tables/task-slots.js'

/** The columns of each workspace. Follows the tasks' table. */
export interface ColumnIndex {
  /** `TaskStore.listTasks`. */
  list(query: TaskListQuery, now: Instant): TaskPage
  /** All tasks of a column, in no order. */
  tasksOf(workspaceId: string, column: Column): Iterable<Task>
}

type Board = Readonly<Record<Column, ColumnView>>

export function createColumnIndex(tasks: TaskTable, scoring: () => Scoring): ColumnIndex {
  const boards = new Map<string, Board>()

  function boardOf(workspaceId: string): Board {
    let board = boards.get(workspaceId)
    if (board === undefined) {
      const [TODO, DOING, DONE] = columns.map((column) => createColumnView(column, scoring)) as [
        ColumnView,
        ColumnView,
        ColumnView,
      ]
      board = { TODO, DOING, DONE }
      boards.set(workspaceId, board)
    }
    return board
  }

  tasks.onChange((before, after, slots) => {
    const task = after ?? before
    if (task === undefined) return
    const board = boardOf(task.workspaceId)
    if (before !== undefined && before.column === after?.column) board[before.column].replace(before, after)
    else {
      if (before !== undefined) board[before.column].remove(before, slots)
      if (after !== undefined) board[after.column].add(slots)
    }
  })

  return {
    list({ workspaceId, column, limit, after }, now) {
      const asOf = after?.asOf ?? now
      const board = boards.get(workspaceId)
      return board === undefined ? { tasks: [], asOf, next: null } : board[column].list(asOf, after, limit)
    },
    tasksOf: (workspaceId, column) => boards.get(workspaceId)?.[column].tasks() ?? [],
  }
}
