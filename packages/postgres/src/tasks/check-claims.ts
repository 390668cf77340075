import type { At, ClaimProof } from '@taskboard/core/storage'
import type { Database } from '../database.js'
import type { PgConnection } from '../pool.js'
import { statement } from '../statement.js'

/**
 * Present, tasks, fencing tokens. Looks up each task by its key. The comparison of the lease's end prevents the use of an index
 * of ends.
 */
const checkLeases = statement<{ readonly isHeld: boolean }>(
  'check_claims',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now)
  select exists (
    select from taskboard.task t
    where t.id = c.task_id and t.fencing_token = c.fencing_token and coalesce(t.lease_expires_at, 0) > p.now
  ) as "isHeld"
  from unnest($2::text[], $3::bigint[]) with ordinality as c (task_id, fencing_token, ord), p
  order by c.ord`,
)

/** `TaskStore.checkClaims`. */
export async function checkClaims(
  database: Database,
  proofs: readonly ClaimProof[],
  at: At<PgConnection>,
): Promise<readonly boolean[]> {
  const ids = proofs.map(({ taskId }) => taskId)
  const tokens = proofs.map(({ fencingToken }) => fencingToken)
  const rows = await database.read(at, checkLeases, [at.now, ids, tokens])
  return rows.map(({ isHeld }) => isHeld)
}
