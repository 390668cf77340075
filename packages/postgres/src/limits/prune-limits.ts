import type { Instant } from '@taskboard/core'
import type { Database } from '../database.js'
import { statement } from '../statement.js'

/**
 * By the database's clock a key is idle only a minute after its window closed: a decision may have read the clock earlier and
 * not have reached the row yet.
 */
const pruneIdle = statement<{ readonly count: number }>(
  'prune_limits',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms() - 60000) as now),
  idle as materialized (
    select r.ctid from taskboard.rolling_limit r
    where r.idle_from <= (select now from p) and r.newest + r.window_ms <= (select now from p)
    order by r.idle_from limit $2::integer for update of r skip locked
  ),
  gone as (
    delete from taskboard.rolling_limit where ctid = any (array(select ctid from idle)) returning 1
  )
  select count(*)::float8 as count from gone`,
)

/** An account is idle when its hour is over and its newest second has left the minute. */
const pruneIdleTiers = statement<{ readonly count: number }>(
  'prune_tier_limits',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms() - 60000) as now),
  idle as materialized (
    select r.ctid from taskboard.tier_limit r
    where r.hour <= (select now from p) - 3600000
      and (r.seconds[cardinality(r.seconds)] + 61) * 1000 <= (select now from p)
    order by r.hour limit $2::integer for update of r skip locked
  ),
  gone as (
    delete from taskboard.tier_limit where ctid = any (array(select ctid from idle)) returning 1
  )
  select count(*)::float8 as count from gone`,
)

/** `Storage.prune` of limits. */
export async function pruneLimits(database: Database, limit: number, now: Instant | null): Promise<number> {
  const [rolling] = await database.read(null, pruneIdle, [now, limit])
  const count = rolling?.count ?? 0
  if (count >= limit) return count
  const [tiers] = await database.read(null, pruneIdleTiers, [now, limit - count])
  return count + (tiers?.count ?? 0)
}
