import type { Environment, InTransaction } from '../environment/index.js'
import { TaskboardError } from '../errors/index.js'
import { encodeCursor } from './cursor.js'
import { columns, type Column, type Task } from './task.js'
import type { TaskPage, TaskStore, TaskWrite } from './task-store.js'

export interface TaskList {
  readonly tasks: readonly Task[]
  /** The instant of the order and the scores. */
  readonly asOf: number
  /** For the next page; null on the last one. */
  readonly nextCursor: string | null
}

/** Changes a task of the workspace. */
export function changeOf<Tx>(
  { environment, tasks }: { readonly environment: Environment; readonly tasks: TaskStore<Tx> },
  workspaceId: string,
) {
  return (taskId: string, command: TaskWrite, options?: InTransaction<Tx>): Promise<Task> =>
    tasks.changeTask({ target: { workspaceId, taskId }, command }, environment.call(options))
}

export function toList(page: TaskPage): TaskList {
  return { tasks: page.tasks, asOf: page.asOf, nextCursor: page.next && encodeCursor(page.next) }
}

export function requireColumn(column: Column, field: 'column' | 'to'): Column {
  if (columns.includes(column)) return column
  throw new TaskboardError('INVALID_FIELD', `${field} must be one of ${columns.join(', ')}`, { field })
}
