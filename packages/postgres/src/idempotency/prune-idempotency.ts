import type { Instant } from '@taskboard/core'
import type { Database } from '../database.js'
import { statement } from '../statement.js'

const pruneRecords = statement<{ readonly count: number }>(
  'prune_idempotency',
  /* sql */ `
  with old as materialized (
    select ctid from taskboard.idempotency where created_at < $1::bigint
    order by created_at limit $2::integer for update skip locked
  ),
  gone as (
    delete from taskboard.idempotency where ctid = any (array(select ctid from old)) returning 1
  )
  select count(*)::float8 as count from gone`,
)

/** `Storage.pruneIdempotency`. */
export async function pruneIdempotency(database: Database, before: Instant, limit: number): Promise<number> {
  const [row] = await database.read(null, pruneRecords, [before, limit])
  return row?.count ?? 0
}
