import { isTaskboardError, type Backoff } from '@taskboard/core'
import type { At } from '@taskboard/core/storage'
import type { Database } from '../database.js'
import type { PgConnection } from '../pool.js'
import { statement } from '../statement.js'
import { applyCommand, type SeenTask } from './apply-command.js'
import { taskColumns } from './task-row.js'

/** Present, limit. */
const findExpired = statement<SeenTask>(
  'find_expired_leases',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now)
  select (select now from p)::float8 as now, ${taskColumns('t')} from taskboard.task t
  where t.lease_expires_at <= (select now from p)
  order by t.lease_expires_at
  limit $2::integer`,
)

/** Present. */
const nextExpiry = statement<{ readonly inMs: number | null }>(
  'next_lease_expiry',
  /* sql */ `
  select (n.at - least(n.at, coalesce($1::bigint, taskboard.now_ms())))::float8 as "inMs" from (
    select min(lease_expires_at) as at from taskboard.task where lease_expires_at is not null
  ) n`,
)

/** `TaskStore.expireLeases`. Several processes may run it at once: each lease ends once, and both may count it. */
export async function expireLeases(
  database: Database,
  { limit, backoff }: { readonly limit: number; readonly backoff: Backoff },
  at: At<PgConnection>,
): Promise<{ readonly expired: number; readonly nextExpiryInMs: number | null }> {
  let expired = 0
  for (const seen of await database.read(at, findExpired, [at.now, limit])) {
    const target = { workspaceId: seen.workspaceId, taskId: seen.id }
    try {
      const task = await applyCommand(database, target, { kind: 'expire', backoff }, at, seen)
      if (task.lease === null) expired += 1
    } catch (error) {
      // The task was deleted in the meantime.
      if (!isTaskboardError(error, 'TASK_NOT_FOUND')) throw error
    }
  }
  const [next] = await database.read(at, nextExpiry, [at.now])
  return { expired, nextExpiryInMs: next?.inMs ?? null }
}
