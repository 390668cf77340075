import type { Instant } from '@taskboard/core'
import type { Database } from '../database.js'
import { statement } from '../statement.js'

const pruneOldest = statement<{ readonly count: number }>(
  'prune_events',
  /* sql */ `
  with gone as (
    delete from taskboard.event where ctid = any (array(
      select e.ctid from taskboard.event e where e.at < $1::bigint
      order by e.at, e.workspace_id, e.seq limit $2::integer
    ))
    returning 1
  )
  select count(*)::float8 as count from gone`,
)

/** `EventStore.pruneEvents`. */
export async function pruneEvents(database: Database, before: Instant, limit: number): Promise<number> {
  const [row] = await database.read(null, pruneOldest, [before, limit])
  return row?.count ?? 0
}
