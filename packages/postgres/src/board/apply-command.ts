import { TaskboardError, transition, type Instant, type Task, type TaskCommand } from '@taskboard/core'
import type { CallContext } from '@taskboard/core/storage'
import type { Database, Session } from '../database/database.js'
import { LOG_EVENTS } from '../events/log-events.js'
import type { PgConnection } from '../connection/pool.js'
import { statement } from '../connection/statement.js'
import { dependentsToLock } from './dependents.js'
import { taskColumns, toTask, type TaskRow } from './task-row.js'

/** A task as it was at `now`. */
export type ReadTask = TaskRow & { readonly now: Instant }

/** Present, workspace, task. */
const readTaskRow = statement<ReadTask>(
  'look_at_task',
  /* sql */ `
  select coalesce($1::bigint, taskboard.now_ms())::float8 as now, ${taskColumns('t')}
  from taskboard.task t where t.id = $3::text and t.workspace_id = $2::text`,
)

/** Present, task, ended attempt or null, events. Returns nothing when the task has changed since it was read. */
const writeTask = statement<TaskRow>(
  'write_task',
  /* sql */ `
  with new_state as materialized (
    select * from jsonb_to_record($2::jsonb) as a (
      id text, version bigint, column_name text, hold_reason text, hold_message text, hold_since bigint,
      not_before bigint, progress real, result text, updated_at bigint, started_at bigint, completed_at bigint,
      attempts integer, fencing_token bigint, lease_agent_id text, lease_expires_at bigint, taken_by jsonb, frees boolean
    )
  ),
  written as (
    update taskboard.task t
    set column_name = a.column_name, hold_reason = a.hold_reason, hold_message = a.hold_message,
      hold_since = a.hold_since, not_before = a.not_before, progress = a.progress, result = a.result,
      updated_at = a.updated_at, started_at = a.started_at, completed_at = a.completed_at, attempts = a.attempts,
      fencing_token = a.fencing_token, lease_agent_id = a.lease_agent_id, lease_expires_at = a.lease_expires_at,
      done_by = case when a.column_name = 'DONE' then t.done_by end, taken_by = a.taken_by, version = t.version + 1
    from new_state a
    where t.id = a.id and t.version = a.version
    -- Events are refused where they are numbered.
    returning t.*, case when jsonb_array_length($4::jsonb) = 0 then taskboard.require_writable(t.workspace_id) end as is_checked
  ),
  locked_dependent as materialized (
    select d.id from taskboard.task d
    where d.id in (
      select w.task_id from written t join new_state a on a.frees
        cross join lateral (${dependentsToLock('t.id', "t.column_name = 'DONE'")}) w
      where t.has_dependents
    )
    order by d.id for update
  ),
  -- The attempt that completed a task which leaves DONE. The update wrote nothing if the row was not as it is read here.
  reopened as (
    insert into taskboard.earlier_attempt (task_id, fencing_token, agent_id, started_at, ended_at, outcome)
    select t.id, t.fencing_token, t.done_by, coalesce(t.started_at, t.completed_at), t.completed_at, 'completed'
    from written w join taskboard.task t on t.id = w.id
    where t.done_by is not null and w.done_by is null
  ),
  ended_attempt as (
    insert into taskboard.earlier_attempt (task_id, fencing_token, agent_id, started_at, ended_at, outcome, reason)
    select t.id, e.fencing_token, e.agent_id, e.started_at, $1::bigint, e.outcome, e.reason
    from written t, jsonb_to_record($3::jsonb) as e (
      fencing_token bigint, agent_id text, started_at bigint, outcome text, reason text
    )
    where e.outcome is not null
  ),
  draft as (
    select t.workspace_id, d.ord, d.type, d.data, $1::bigint as at
    from written t, jsonb_to_recordset($4::jsonb) as d (ord integer, type text, data jsonb)
    where (select count(*) from locked_dependent) >= 0
  ),
  ${LOG_EVENTS}
  select ${taskColumns('t')} from written t`,
)

const MOST_READS = 20

/**
 * Applies what `transition` decides for the current task, with all that follows from it. Reads the task again when it changed
 * in between. A task that was already `seen` skips the first read.
 * @throws TaskboardError `TASK_NOT_FOUND`; what `transition` throws; `SERVICE_UNAVAILABLE` after too many concurrent updates.
 */
export async function applyCommand(
  database: Pick<Database, 'read' | 'write' | 'recordRevocation'>,
  target: { readonly workspaceId: string; readonly taskId: string },
  command: TaskCommand,
  call: CallContext<PgConnection>,
  seen?: ReadTask,
): Promise<Task> {
  const { workspaceId, taskId } = target
  const readTask = async (): Promise<ReadTask | undefined> =>
    (await database.read(call, readTaskRow, [call.now, workspaceId, taskId]))[0]
  for (let reads = 0; reads < MOST_READS; reads++) {
    const row = reads === 0 && seen !== undefined ? seen : await readTask()
    if (row === undefined) throw new TaskboardError('TASK_NOT_FOUND', 'no such task')
    const before = toTask(row)
    const decided = transition(before, command, row.now)
    if (decided.task === before) return before
    const [written] = await database.write(call, writeTask, toValues(row, before, decided))
    if (written === undefined) continue
    if (decided.endedAttempt?.outcome === 'revoked') database.recordRevocation(call)
    return toTask(written)
  }
  throw new TaskboardError('SERVICE_UNAVAILABLE', 'too many concurrent updates of the task; retry')
}

/** A session in the place of the database, for `applyCommand`: the caller notes a revocation with the commit. */
export function withinSession(session: Session): Parameters<typeof applyCommand>[0] {
  return {
    read: (_at, statementToRun, values) => session.run(statementToRun, values),
    write: (_at, statementToRun, values) => session.run(statementToRun, values),
    recordRevocation: () => undefined,
  }
}

function toValues(
  { now, version }: { readonly now: Instant; readonly version: number },
  before: Task,
  { task, events, endedAttempt }: ReturnType<typeof transition>,
): readonly unknown[] {
  const after = {
    id: task.id,
    version,
    column_name: task.column,
    hold_reason: task.hold?.reason ?? null,
    hold_message: task.hold?.message ?? null,
    hold_since: task.hold?.since ?? null,
    not_before: task.notBefore,
    progress: task.progress,
    result: task.result,
    updated_at: task.updatedAt,
    started_at: task.startedAt,
    completed_at: task.completedAt,
    attempts: task.attempts,
    fencing_token: task.fencingToken,
    lease_agent_id: task.lease?.agentId ?? null,
    lease_expires_at: task.lease?.expiresAt ?? null,
    taken_by: task.takenBy ?? undefined,
    frees: (before.column === 'DONE') !== (task.column === 'DONE'),
  }
  const ended = {
    fencing_token: endedAttempt?.fencingToken ?? null,
    agent_id: before.lease?.agentId ?? null,
    started_at: before.startedAt ?? now,
    outcome: endedAttempt?.outcome ?? null,
    reason: endedAttempt?.reason ?? null,
  }
  const drafts = events.map(({ type, data }, ord) => ({ ord, type, data }))
  return [now, JSON.stringify(after), JSON.stringify(ended), JSON.stringify(drafts)]
}
