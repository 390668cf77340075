import type { Instant } from '@taskboard/core'
import type { Database } from '../database.js'
import { statement } from '../statement.js'

/**
 * Takes the first rows of the table, which are nearly the oldest, so no batch sorts all old events. A range with two ends makes
 * the planner expect few events. Events that are not yet rolled up stay.
 */
const pruneOldest = statement<{ readonly count: number }>(
  'prune_events',
  /* sql */ `
  with p as materialized (select coalesce($3::bigint, taskboard.now_ms()) - $1::bigint as end_at),
  gone as (
    delete from taskboard.event where ctid = any (array(
      select e.ctid from taskboard.event e
      where e.at < (select end_at from p) and e.at > -9223372036854775808 and e.seq <= coalesce((
        select m.seq from taskboard.analytics_mark m where m.workspace_id = e.workspace_id
      ), 0)
      limit $2::integer
    ))
    returning 1
  )
  select count(*)::float8 as count from gone`,
)

/** `Storage.prune` of events. */
export async function pruneEvents(
  database: Database,
  olderThanMs: number,
  limit: number,
  now: Instant | null,
): Promise<number> {
  const [row] = await database.read(null, pruneOldest, [olderThanMs, limit, now])
  return row?.count ?? 0
}
