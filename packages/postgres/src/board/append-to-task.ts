import { TaskboardError } from '@taskboard/core'
import type { CallContext, TaskAddition } from '@taskboard/core/storage'
import type { Database } from '../database/database.js'
import type { PgConnection } from '../connection/pool.js'
import { statement } from '../connection/statement.js'
import { leaseLost } from './lease-lost.js'

interface AppendedRow {
  readonly exists: boolean
  readonly isHeld: boolean
  readonly at: number
}

/** Renews a live lease, without an event: present, workspace, task, fencing token, length (null for the length of the claim). */
const RENEWED = /* sql */ `
  p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now),
  found as materialized (
    select t.id, t.fencing_token = $4::bigint and coalesce(t.lease_expires_at > p.now, false) as is_held
    from taskboard.task t, p where t.id = $3::text and t.workspace_id = $2::text
    for update of t
  ),
  renewed as (
    update taskboard.task t set lease_expires_at = p.now + coalesce($5::bigint, t.lease_ms), updated_at = p.now, version = t.version + 1
    from p, found f where t.id = f.id and t.workspace_id = $2::text and f.is_held
    returning t.id, taskboard.require_writable(t.workspace_id)
  )`

/** More parameters: the maximum of lines, level, message. */
const appendLine = statement<AppendedRow>(
  'append_log',
  /* sql */ `
  with ${RENEWED},
  added_line as (
    insert into taskboard.task_log (task_id, at, level, message)
    select r.id, p.now, $7::text, $8::text from renewed r, p
  ),
  deleted_line as (
    delete from taskboard.task_log l using (
      select o.id from renewed r, lateral (
        select o.id from taskboard.task_log o where o.task_id = r.id order by o.id desc offset $6::integer - 1
      ) as o
    ) as old
    where l.id = old.id
  )
  select f.id is not null as "exists", coalesce(f.is_held, false) as "isHeld", p.now::float8 as at
  from p left join found f on true`,
)

const renewLease = statement<AppendedRow>(
  'renew_lease',
  /* sql */ `
  with ${RENEWED}
  select f.id is not null as "exists", coalesce(f.is_held, false) as "isHeld", p.now::float8 as at
  from p left join found f on true`,
)

/** Task, maximum of outputs, type, name, address, size. Returns nothing when the maximum is reached. */
const insertOutput = statement<object>(
  'insert_output',
  /* sql */ `
  insert into taskboard.task_output (task_id, type, name, url, size)
  select $1::text, $3::text, $4::text, $5::text, $6::bigint
  where (select count(*) from taskboard.task_output where task_id = $1::text) < $2::integer
  returning id`,
)

function requireAppended(row: AppendedRow | undefined): void {
  if (row?.exists !== true) throw new TaskboardError('TASK_NOT_FOUND', 'no such task')
  if (!row.isHeld) throw leaseLost()
}

/** `TaskStore.appendToTask`. */
export async function appendToTask(
  database: Database,
  { proof, leaseMs, ...added }: TaskAddition,
  call: CallContext<PgConnection>,
): Promise<void> {
  const { workspaceId, taskId, fencingToken } = proof
  const renewal = [call.now, workspaceId, taskId, fencingToken, leaseMs]
  const { logLimit, outputLimit } = database.settings.current
  if ('log' in added) {
    const { level, message } = added.log
    const [row] = await database.write(call, appendLine, [...renewal, logLimit, level, message])
    requireAppended(row)
    // When the host's transaction commits is not known here.
    if (call.tx === undefined) database.reportLine({ workspaceId, taskId, at: row?.at ?? 0, level, message })
    return
  }
  const { type, name, url, size } = added.output
  // A separate statement counts, so that it sees all outputs as of the lock.
  await database.atomically(call, async (session) => {
    requireAppended((await session.run(renewLease, renewal))[0])
    const inserted = await session.run(insertOutput, [taskId, outputLimit, type, name, url, size])
    if (inserted.length === 0) {
      throw new TaskboardError('CONFLICT', `a task has at most ${outputLimit} outputs`)
    }
  })
}
