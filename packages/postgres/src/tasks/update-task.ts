import { TaskboardError, type At, type Task, type TaskChange } from '@taskboard/core'
import type { Database, Session } from '../database.js'
import type { PgConnection } from '../pool.js'
import { statement } from '../statement.js'
import { changeDependencies } from './change-dependencies.js'
import { getTask } from './read-tasks.js'
import { flagOf, taskColumns, toTask, type TaskRow } from './task-row.js'

interface EditedRow extends TaskRow {
  readonly exists: boolean
}

/** Present, workspace, task, the columns to set. A row without a task, or where `exists`, says that there is no such agent. */
const editTask = statement<EditedRow>(
  'edit_task',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now),
  found as materialized (
    select * from taskboard.task t where t.id = $3::text and t.workspace_id = $2::text for update
  ),
  edit as materialized (
    select e.* from found f cross join lateral jsonb_populate_record(row(f.*)::taskboard.task, $4::jsonb) e
  ),
  written as (
    update taskboard.task t
    set title = e.title, description = e.description, type = e.type, flag = e.flag, assigned_to = e.assigned_to,
      due_date = e.due_date, not_before = e.not_before, tags = e.tags, metadata = e.metadata,
      depends_on = e.depends_on, open_dependencies = e.open_dependencies, updated_at = p.now, version = t.version + 1
    from edit e, p
    where t.id = e.id and (e.assigned_to is null or exists (
      select from taskboard.agent a where a.id = e.assigned_to and a.workspace_id = e.workspace_id
    ))
    returning t.*
  )
  select exists (select from found) as "exists", ${taskColumns('t')} from p left join written t on true`,
)

/** `TaskStore.updateTask`. In one statement, unless the dependencies change. */
export async function updateTask(
  database: Database,
  workspaceId: string,
  taskId: string,
  change: TaskChange,
  at: At<PgConnection>,
): Promise<Task> {
  if (Object.keys(change).length === 0) return getTask(database, workspaceId, taskId, at)
  const columns = toColumns(change)
  const { dependsOn } = change
  if (dependsOn === undefined) {
    const rows = await database.write(at, editTask, [at.now, workspaceId, taskId, JSON.stringify(columns)])
    return editedTask(rows)
  }
  return database.atomically(at, async (session: Session) => {
    const dependencies = await changeDependencies(session, workspaceId, taskId, [...new Set(dependsOn)])
    const text = JSON.stringify({ ...columns, ...dependencies.columns })
    const edited = editedTask(await session.run(editTask, [at.now, workspaceId, taskId, text]))
    // Told last, as an unknown agent comes before it; what was written is undone.
    if (dependencies.fault !== null) {
      throw new TaskboardError('INVALID_FIELD', dependencies.fault, { field: 'dependsOn' })
    }
    return edited
  })
}

function editedTask([row]: readonly EditedRow[]): Task {
  if (row?.exists !== true) throw new TaskboardError('TASK_NOT_FOUND', 'no such task')
  if ((row.id as string | null) !== null) return toTask(row)
  throw new TaskboardError('INVALID_FIELD', 'assignedTo must be an agent of the workspace', {
    field: 'assignedTo',
  })
}

/** What is undefined is left out of the JSON, and so stays as it is. */
function toColumns(change: TaskChange): object {
  const { title, description, type, priority, assignedTo, dueDate, notBefore, tags, metadata } = change
  return {
    title,
    description,
    type,
    tags,
    metadata,
    flag: priority && flagOf(priority),
    assigned_to: assignedTo,
    due_date: dueDate,
    not_before: notBefore,
  }
}
