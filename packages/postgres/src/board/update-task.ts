import { TaskboardError, type Actor, type Budget, type Task } from '@taskboard/core'
import {
  requireNoMore,
  revocationBy,
  type CallContext,
  type TaskChange,
  type TaskTarget,
  type TaskWrite,
} from '@taskboard/core/storage'
import type { Database, Session } from '../database/database.js'
import { LOG_EVENTS } from '../events/log-events.js'
import type { PgConnection } from '../connection/pool.js'
import { statement } from '../connection/statement.js'
import { applyCommand, withinSession, type ReadTask } from './apply-command.js'
import { changeDependencies } from './dependencies.js'
import { fieldsChanged, fieldUpdates, fieldValues } from './field-columns.js'
import { getTask } from './get-task.js'
import { DUE_RANK } from './search-sql.js'
import { changedTerms, editedTerms } from './search-terms.js'
import { taskColumns, toTask } from './task-row.js'

interface EditedRow extends ReadTask {
  readonly exists: boolean
  readonly formerAssignee: string | null
}

/** Present, workspace, task, the columns to set, actor, terms of its texts. A row without a task, or with `exists` set, means that there is no such agent. */
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
    where t.id = e.id and t.workspace_id = $2::text and (e.assigned_to is null or exists (
      select from taskboard.agent a where a.id = e.assigned_to and a.workspace_id = $2::text
    ))
    returning t.*
  ),
  searchable as (
    update taskboard.task_search s
    set due_rank = ${DUE_RANK}, terms = ${editedTerms}
    from written t join found f on f.id = t.id cross join jsonb_to_record($6::jsonb) as w (title tsvector, description tsvector)
    where s.workspace_id = t.workspace_id and s.task_id = t.id and (
      w.title is not null or w.description is not null
      or (f.due_date, f.type, f.tags, f.priority_rank) is distinct from (t.due_date, t.type, t.tags, t.priority_rank)
    )
  ),
  draft as (
    select t.workspace_id, 1 as ord, 'task.updated' as type, p.now as at, jsonb_build_object(
      'taskId', t.id, 'title', t.title, 'status', t.column_name, 'fields', c.fields, 'actor', $5::jsonb) as data
    from written t join found f on f.id = t.id cross join p
      cross join lateral (select ${fieldsChanged('f', 't')} as fields) c
    where cardinality(c.fields) > 0
  ),
  ${LOG_EVENTS}
  select f.id is not null as "exists", f.assigned_to as "formerAssignee", p.now::float8 as now, ${taskColumns('t')}
  from p left join found f on true left join written t on true`,
)

/** Workspace, task. Locked, so that the budget stays until the edit. */
const lockBudget = statement<{ readonly budget: Budget | null }>(
  'lock_budget_of_task',
  /* sql */ `
  select t.budget from taskboard.task t where t.id = $2::text and t.workspace_id = $1::text for update of t`,
)

type Edit = Extract<TaskWrite, { readonly kind: 'edit' }>

/**
 * The `edit` of `TaskStore.changeTask`. One statement, unless dependencies change, the task is assigned to an agent, or its budget may not be
 * raised.
 */
export async function updateTask(
  database: Database,
  target: TaskTarget,
  { change, actor, lowersBudget = false }: Edit,
  call: CallContext<PgConnection>,
): Promise<Task> {
  const { workspaceId, taskId } = target
  const { budget } = change
  const isBounded = lowersBudget && budget !== undefined
  if (Object.keys(change).length === 0) return getTask(database, workspaceId, taskId, call)
  if (change.dependsOn === undefined && change.assignedTo == null && !isBounded) {
    const values = [
      call.now,
      workspaceId,
      taskId,
      JSON.stringify(fieldValues(change)),
      actorJson(actor),
      changedTerms(workspaceId, change),
    ]
    return toTask(editedRow(await database.write(call, editTask, values)))
  }
  const { task, isRevoked } = await database.atomically(call, async (session) => {
    if (isBounded) {
      const [found] = await session.run(lockBudget, [workspaceId, taskId])
      if (found === undefined) throw new TaskboardError('TASK_NOT_FOUND', 'no such task')
      requireNoMore(budget, found.budget)
    }
    return editWithin(session, target, change, actor, call)
  })
  if (isRevoked) database.recordRevocation(call)
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
  const row = editedRow(
    await session.run(editTask, [
      call.now,
      workspaceId,
      taskId,
      text,
      actorJson(actor),
      changedTerms(workspaceId, change),
    ]),
  )
  // Refused last: an unknown agent takes precedence. The writes are rolled back.
  if (dependencies.fault !== null) {
    throw new TaskboardError('INVALID_FIELD', dependencies.fault, { field: 'dependsOn' })
  }
  const edited = toTask(row)
  const revocation = revocationBy({ ...edited, assignedTo: row.formerAssignee }, edited, actor)
  if (revocation === null) return { task: edited, isRevoked: false }
  return { task: await applyCommand(withinSession(session), target, revocation, call, row), isRevoked: true }
}

/** An actor as JSON, without members beyond its type. */
export function actorJson({ kind, id }: Actor): string {
  return JSON.stringify({ kind, id })
}

function editedRow([row]: readonly EditedRow[]): EditedRow {
  if (row?.exists !== true) throw new TaskboardError('TASK_NOT_FOUND', 'no such task')
  if ((row.id as string | null) !== null) return row
  throw new TaskboardError('INVALID_FIELD', 'assignedTo must be an agent of the workspace', {
    field: 'assignedTo',
  })
}
