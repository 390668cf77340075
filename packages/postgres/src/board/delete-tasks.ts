import type { Actor, Instant } from '@taskboard/core'
import type { CallContext, TaskTarget } from '@taskboard/core/storage'
import { TaskboardError } from '@taskboard/core'
import type { Database } from '../database/database.js'
import { LOG_EVENTS } from '../events/log-events.js'
import type { PgConnection } from '../connection/pool.js'
import { statement } from '../connection/statement.js'
import { actorJson } from './update-task.js'

/** Workspace, task. Waits for transactions that add dependents of the task. */
const lockTask = statement<{ readonly hasDependents: boolean; readonly isLeased: boolean }>(
  'lock_task',
  /* sql */ `
  select t.has_dependents as "hasDependents", t.lease_agent_id is not null as "isLeased" from taskboard.task t
  where t.id = $2::text and t.workspace_id = $1::text for update`,
)

const findDependent = statement<never>(
  'find_dependent',
  `select from taskboard.task_dependency d where d.depends_on = $1::text limit 1`,
)

/**
 * Deletes the tasks whose ids are the array `ids`, and logs `task.deleted`. Rows that refer to them go first. A trigger deletes their
 * remaining rows. Parameters: 2 the present, 3 the actor.
 */
const deleteTargets = (ids: string, workspace: string): string => /* sql */ `
  deleted_log as (delete from taskboard.task_log where task_id = any (${ids})),
  deleted_output as (delete from taskboard.task_output where task_id = any (${ids})),
  deleted_dependency as (delete from taskboard.task_dependency where task_id = any (${ids})),
  deleted as (delete from taskboard.task where id = any (${ids}) and ${workspace} returning *),
  draft as (
    select t.workspace_id, row_number() over (order by t.workspace_id, t.id)::integer as ord, 'task.deleted' as type,
      coalesce($2::bigint, taskboard.now_ms()) as at,
      jsonb_build_object('taskId', t.id, 'title', t.title, 'status', t.column_name, 'actor', $3::jsonb) as data
    from deleted t
  ),
  ${LOG_EVENTS}`

/** Task, present, actor, workspace. A separate statement, which sees all that was written until the task was locked. */
const deleteLocked = statement<never>(
  'delete_task',
  /* sql */ `
  with ${deleteTargets('array[$1::text]', 'workspace_id = $4::text')}
  select from logged where false`,
)

/** `TaskStore.deleteTask`. */
export async function deleteTask(
  database: Database,
  { workspaceId, taskId, actor }: TaskTarget & { readonly actor: Actor },
  call: CallContext<PgConnection>,
): Promise<void> {
  const wasLeased = await database.atomically(call, async (session) => {
    const [task] = await session.run(lockTask, [workspaceId, taskId])
    if (task === undefined) throw new TaskboardError('TASK_NOT_FOUND', 'no such task')
    if (task.hasDependents && (await session.run(findDependent, [taskId])).length > 0) {
      throw new TaskboardError('CONFLICT', 'other tasks depend on this one')
    }
    await session.run(deleteLocked, [taskId, call.now, actorJson(actor), workspaceId])
    return task.isLeased
  })
  if (wasLeased) database.recordRevocation(call)
}

/** Age, limit, present. Walks the index of done tasks of each workspace from its old end. */
const lockDone = statement<{ readonly id: string }>(
  'lock_done_tasks',
  /* sql */ `
  with p as materialized (select coalesce($3::bigint, taskboard.now_ms()) - $1::bigint as end_at)
  select t.id from taskboard.task t
  where t.id = any (array(
    select old.id from p, taskboard.every_workspace w cross join lateral (
      select t.id from taskboard.task t
      where t.workspace_id = w.id and t.column_name = 'DONE' and t.completed_at < p.end_at
        and not exists (select from taskboard.task_dependency d where d.depends_on = t.id)
        and not exists (select from taskboard.task c where c.parent_id = t.id and c.column_name <> 'DONE')
      order by t.completed_at limit $2::integer
    ) as old where not (w.deleting or w.read_only) limit $2::integer
  )) and t.column_name = 'DONE' and t.completed_at < (select end_at from p)
  order by t.id for update skip locked`,
)

/** Tasks, present, actor. A dependent can have been added before the lock. */
const deleteDone = statement<{ readonly count: number }>(
  'delete_done_tasks',
  /* sql */ `
  with target as materialized (
    select t.id from taskboard.task t
    where t.id = any ($1::text[]) and not exists (select from taskboard.task_dependency d where d.depends_on = t.id)
  ),
  ${deleteTargets('array(select id from target)', 'true')}
  select count(*)::float8 as count from deleted`,
)

/** `Storage.prune` of done tasks. */
export function pruneDoneTasks(
  database: Database,
  { olderThanMs, limit }: { readonly olderThanMs: number; readonly limit: number },
  now: Instant | null,
): Promise<number> {
  return database.atomically({ now }, async (session) => {
    const locked = await session.run(lockDone, [olderThanMs, limit, now])
    if (locked.length === 0) return 0
    const ids = locked.map(({ id }) => id)
    const [row] = await session.run(deleteDone, [ids, now, actorJson({ kind: 'system', id: null })])
    return row?.count ?? 0
  })
}
