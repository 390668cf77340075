import { TaskboardError, type At } from '@taskboard/core'
import type { Database } from '../database.js'
import type { PgConnection } from '../pool.js'
import { statement } from '../statement.js'

/** Workspace, task. What it depends on comes first, as completions lock what others wait for before those that wait. */
const lockTask = statement<{ readonly dependents: number }>(
  'lock_task',
  /* sql */ `
  with dependency as materialized (
    select t.id from taskboard.task t
    where t.id in (select d.depends_on from taskboard.task_dependency d where d.task_id = $2::text)
      and t.workspace_id = $1::text
    order by t.id for update
  )
  select t.dependents from taskboard.task t
  where t.id = $2::text and t.workspace_id = $1::text and (select count(*) from dependency) >= 0
  for update`,
)

/** A statement of its own, which sees what was written until the task was locked. */
const deleteLocked = statement<never>(
  'delete_task',
  /* sql */ `
  with line as (delete from taskboard.task_log where task_id = $1::text),
  output as (delete from taskboard.task_output where task_id = $1::text),
  past as (delete from taskboard.attempt where task_id = $1::text),
  place as (delete from taskboard.todo where task_id = $1::text),
  dependency as (delete from taskboard.task_dependency where task_id = $1::text returning depends_on),
  freed as (
    update taskboard.task t set dependents = t.dependents - 1
    where t.id = any (array(select depends_on from dependency))
  )
  delete from taskboard.task where id = $1::text`,
)

/** `TaskStore.deleteTask`. */
export async function deleteTask(
  database: Database,
  workspaceId: string,
  taskId: string,
  at: At<PgConnection>,
): Promise<void> {
  await database.atomically(at, async (session) => {
    const [task] = await session.run(lockTask, [workspaceId, taskId])
    if (task === undefined) throw new TaskboardError('TASK_NOT_FOUND', 'no such task')
    if (task.dependents > 0) throw new TaskboardError('CONFLICT', 'other tasks depend on this one')
    await session.run(deleteLocked, [taskId])
  })
}
