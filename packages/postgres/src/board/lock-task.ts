import { type Instant, type Task, TaskboardError, type TaskCommand } from '@taskboard/core'
import type { TaskTarget } from '@taskboard/core/storage'
import type { Session } from '../database/database.js'
import { statement } from '../connection/statement.js'
import { applyCommand, withinSession, type ReadTask } from './apply-command.js'
import { taskColumns, toTask } from './task-row.js'

/** Present, workspace, task. */
const lockRow = statement<ReadTask>(
  'lock_task_row',
  /* sql */ `
  select coalesce($1::bigint, taskboard.now_ms())::float8 as now, ${taskColumns('t')}
  from taskboard.task t where t.id = $3::text and t.workspace_id = $2::text for update`,
)

/** A task that the session has locked, as it is now. */
interface LockedTask {
  readonly row: ReadTask
  readonly task: Task
}

/**
 * Locks a task until the commit. Lock it before what belongs to it, and the log last.
 * @throws TaskboardError `TASK_NOT_FOUND`.
 */
export async function lockTask(
  session: Session,
  { workspaceId, taskId }: TaskTarget,
  now: Instant | null,
): Promise<LockedTask> {
  const [row] = await session.run(lockRow, [now, workspaceId, taskId])
  if (row === undefined) throw new TaskboardError('TASK_NOT_FOUND', 'no such task')
  return { row, task: toTask(row) }
}

/** `applyCommand` to a task that the session has read. */
export function applyWithin(
  session: Session,
  { workspaceId, taskId }: TaskTarget,
  command: TaskCommand,
  row: ReadTask,
): Promise<Task> {
  return applyCommand(withinSession(session), { workspaceId, taskId }, command, { now: row.now }, row)
}
