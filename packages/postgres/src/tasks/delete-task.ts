import { TaskboardError } from '@taskboard/core'
import type { At, TaskTarget } from '@taskboard/core/storage'
import type { Database } from '../database.js'
import type { PgConnection } from '../pool.js'
import { statement } from '../statement.js'

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

/** A separate statement, which sees all that was written until the task was locked. */
const deleteLocked = statement<never>(
  'delete_task',
  /* sql */ `
  with line as (delete from taskboard.task_log where task_id = $1::text),
  output as (delete from taskboard.task_output where task_id = $1::text),
  past as (delete from taskboard.attempt where task_id = $1::text),
  place as (delete from taskboard.todo where task_id = $1::text),
  dependency as (delete from taskboard.task_dependency where task_id = $1::text)
  delete from taskboard.task where id = $1::text`,
)

/** `TaskStore.deleteTask`. */
export async function deleteTask(
  database: Database,
  { workspaceId, taskId }: TaskTarget,
  at: At<PgConnection>,
): Promise<void> {
  const wasLeased = await database.atomically(at, async (session) => {
    const [task] = await session.run(lockTask, [workspaceId, taskId])
    if (task === undefined) throw new TaskboardError('TASK_NOT_FOUND', 'no such task')
    if (task.hasDependents && (await session.run(findDependent, [taskId])).length > 0) {
      throw new TaskboardError('CONFLICT', 'other tasks depend on this one')
    }
    await session.run(deleteLocked, [taskId])
    return task.isLeased
  })
  if (wasLeased) database.noteRevocation(at)
}
