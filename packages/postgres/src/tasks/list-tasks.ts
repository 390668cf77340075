import type { Column, Task } from '@taskboard/core'
import { cursorAfter, type At, type TaskListQuery, type TaskPage } from '@taskboard/core/storage'
import type { Database } from '../database.js'
import type { PgConnection } from '../pool.js'
import type { Statement } from '../statement.js'
import { listDoing, listDone } from './list-column.js'
import { listTodo, LONGEST_PAGE, type ListedRow } from './list-todo.js'
import { toTask } from './task-row.js'

const statements: Readonly<Record<Column, Statement<ListedRow>>> = {
  TODO: listTodo,
  DOING: listDoing,
  DONE: listDone,
}

/** `TaskStore.listTasks`. A page has at most 1,000 tasks; the rest is in the next one. */
export async function listTasks(
  database: Database,
  { workspaceId, column, limit: wanted, after }: TaskListQuery,
  at: At<PgConnection>,
): Promise<TaskPage> {
  const limit = Math.min(wanted, LONGEST_PAGE)
  const place: (number | string | boolean | null)[] = [
    after?.asOf ?? null,
    after?.rank ?? null,
    after?.createdAt ?? null,
    after?.id ?? null,
  ]
  if (column === 'TODO') place.push(after?.held ?? null, after?.dueDate ?? null)
  // One more than the page, to detect a next page.
  const rows = await database.read(at, statements[column], [at.now, workspaceId, limit + 1, ...place])
  const asOf = rows[0]?.asOf ?? 0
  const found = rows.filter(({ id }) => (id as string | null) !== null)
  const shown = found.slice(0, limit)
  const tasks: Task[] = shown.map(toTask)
  const last = tasks.at(-1)
  if (found.length <= limit || last === undefined) return { tasks, asOf, next: null }
  return { tasks, asOf, next: cursorAfter(last, asOf, shown.at(-1)?.rank ?? 0) }
}
