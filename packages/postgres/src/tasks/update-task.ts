import { TaskboardError, type Actor, type Task } from '@taskboard/core'
import { revocationBy, type CallContext, type TaskChange, type TaskTarget } from '@taskboard/core/storage'
import type { Database, Session } from '../database.js'
import type { PgConnection } from '../pool.js'
import { statement } from '../statement.js'
import { applyCommand, withinSession, type ReadTask } from './apply-command.js'
import { changeDependencies } from './dependencies.js'
import { fieldUpdates, fieldValues } from './field-columns.js'
import { getTask } from './get-task.js'
import { taskColumns, toTask } from './task-row.js'

interface EditedRow extends ReadTask {
  readonly exists: boolean
  readonly formerAssignee: string | null
}

/** Present, workspace, task, the columns to set. A row without a task, or with `exists` set, means that there is no such agent. */
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
    set ${fieldUpdates('e')}, open_dependencies = e.open_dependencies, updated_at = p.now, version = t.version + 1
    from edit e, p
    where t.id = e.id and (e.assigned_to is null or exists (
      select from taskboard.agent a where a.id = e.assigned_to and a.workspace_id = e.workspace_id
    ))
    returning t.*
  )
  select f.id is not null as "exists", f.assigned_to as "formerAssignee", p.now::float8 as now, ${taskColumns('t')}
  from p left join found f on true left join written t on true`,
)

/** The `edit` of `TaskStore.changeTask`. One statement, unless dependencies change or the task is assigned to an agent. */
export async function updateTask(
  database: Database,
  target: TaskTarget,
  change: TaskChange,
  actor: Actor,
  call: CallContext<PgConnection>,
): Promise<Task> {
  const { workspaceId, taskId } = target
  if (Object.keys(change).length === 0) return getTask(database, workspaceId, taskId, call)
  if (change.dependsOn === undefined && change.assignedTo == null) {
    const values = [call.now, workspaceId, taskId, JSON.stringify(fieldValues(change))]
    return toTask(editedRow(await database.write(call, editTask, values)))
  }
  const { task, isRevoked } = await database.atomically(call, (session) =>
    editWithin(session, target, change, actor, call),
  )
  if (isRevoked) database.noteRevocation(call)
  return task
}

/** Edits a task within a transaction, with all that follows. */
export async function editWithin(
  session: Session,
  target: TaskTarget,
  change: TaskChange,
  actor: Actor,
  call: CallContext<PgConnection>,
): Promise<{ readonly task: Task; readonly isRevoked: boolean }> {
  const { workspaceId, taskId } = target
  const { dependsOn } = change
  const dependencies =
    dependsOn === undefined
      ? { columns: {}, fault: null }
      : await changeDependencies(session, workspaceId, taskId, [...new Set(dependsOn)])
  const text = JSON.stringify({ ...fieldValues(change), ...dependencies.columns })
  const row = editedRow(await session.run(editTask, [call.now, workspaceId, taskId, text]))
  // Refused last: an unknown agent takes precedence. The writes are rolled back.
  if (dependencies.fault !== null) {
    throw new TaskboardError('INVALID_FIELD', dependencies.fault, { field: 'dependsOn' })
  }
  const edited = toTask(row)
  const revocation = revocationBy({ ...edited, assignedTo: row.formerAssignee }, edited, actor)
  if (revocation === null) return { task: edited, isRevoked: false }
  return { task: await applyCommand(withinSession(session), target, revocation, call, row), isRevoked: true }
}

function editedRow([row]: readonly EditedRow[]): EditedRow {
  if (row?.exists !== true) throw new TaskboardError('TASK_NOT_FOUND', 'no such task')
  if ((row.id as string | null) !== null) return row
  throw new TaskboardError('INVALID_FIELD', 'assignedTo must be an agent of the workspace', {
    field: 'assignedTo',
  })
}
