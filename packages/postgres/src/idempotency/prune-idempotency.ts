import type { Instant } from '@taskboard/core'
import type { Database } from '../database.js'
import { statement } from '../statement.js'

const pruneRecords = statement<{ readonly count: number }>(
  'prune_idempotency',
  /* sql */ `
  with p as materialized (select coalesce($3::bigint, taskboard.now_ms()) - $1::bigint as end_at),
  old as materialized (
    select ctid from taskboard.idempotency where created_at < (select end_at from p)
    order by created_at limit $2::integer for update skip locked
  ),
  gone as (
    delete from taskboard.idempotency where ctid = any (array(select ctid from old)) returning 1
  )
  select count(*)::float8 as count from gone`,
)

/** `Storage.prune` of idempotency records. */
export async function pruneIdempotency(
  database: Database,
  olderThanMs: number,
  limit: number,
  now: Instant | null,
): Promise<number> {
  const [row] = await database.read(null, pruneRecords, [olderThanMs, limit, now])
  return row?.count ?? 0
}
