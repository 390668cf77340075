import type { Instant } from '@taskboard/core'
import type { Database } from '../database.js'
import { statement } from '../statement.js'

const prune = statement<{ readonly count: number }>(
  'prune_deliveries',
  /* sql */ `
  with p as materialized (select coalesce($3::bigint, taskboard.now_ms()) - $1::bigint as end_at),
  old as materialized (
    select id from taskboard.delivery where status <> 'pending' and created_at < (select end_at from p)
    order by created_at limit $2::integer for update skip locked
  ),
  gone as (
    delete from taskboard.delivery where id = any (array(select id from old)) returning 1
  )
  select count(*)::float8 as count from gone`,
)

/** `Storage.prune` of deliveries. */
export async function pruneDeliveries(
  database: Database,
  olderThanMs: number,
  limit: number,
  now: Instant | null,
): Promise<number> {
  // Nothing waits for it, so it does not signal a commit.
  const [row] = await database.read(null, prune, [olderThanMs, limit, now])
  return row?.count ?? 0
}
