import type { Instant } from '@taskboard/core'
import type { Database } from '../database.js'
import { statement } from '../statement.js'

const prune = statement<{ readonly count: number }>(
  'prune_deliveries',
  /* sql */ `
  with old as materialized (
    select id from taskboard.delivery where status <> 'pending' and created_at < $1::bigint
    order by created_at limit $2::integer for update skip locked
  ),
  gone as (
    delete from taskboard.delivery where id = any (array(select id from old)) returning 1
  )
  select count(*)::float8 as count from gone`,
)

/** `WebhookStore.pruneDeliveries`. */
export async function pruneDeliveries(database: Database, before: Instant, limit: number): Promise<number> {
  // Nobody waits for it, so it is not told of as a commit.
  const [row] = await database.read(null, prune, [before, limit])
  return row?.count ?? 0
}
