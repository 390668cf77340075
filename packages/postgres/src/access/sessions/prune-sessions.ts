import type { Instant } from '@taskboard/core'
import type { Database } from '../../database.js'
import { statement, type Statement } from '../../statement.js'

type Pruning = Statement<{ readonly count: number }>

const pruneOver: Pruning = statement(
  'prune_sessions',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now),
  over as materialized (
    select s.ctid from taskboard.session s where s.expires_at <= (select now from p)
    order by s.expires_at limit $2::integer for update of s skip locked
  ),
  gone as (
    delete from taskboard.session where ctid = any (array(select ctid from over)) returning 1
  )
  select count(*)::float8 as count from gone`,
)

/**
 * By the database's clock, a minute later than possible: a login attempt may have read the clock earlier and not have reached
 * the row yet.
 */
const pruneAttempts: Pruning = statement(
  'prune_login_attempts',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms() - 60000) as now),
  past as materialized (
    select a.ctid from taskboard.login_attempt a where a.holds_until <= (select now from p)
    order by a.holds_until limit $2::integer for update of a skip locked
  ),
  gone as (
    delete from taskboard.login_attempt where ctid = any (array(select ctid from past)) returning 1
  )
  select count(*)::float8 as count from gone`,
)

/** `Storage.prune` of sessions. */
export function pruneSessions(database: Database, limit: number, now: Instant | null): Promise<number> {
  return prune(database, pruneOver, limit, now)
}

/** `Storage.prune` of login attempts. */
export function pruneLoginAttempts(database: Database, limit: number, now: Instant | null): Promise<number> {
  return prune(database, pruneAttempts, limit, now)
}

async function prune(
  database: Database,
  pruning: Pruning,
  limit: number,
  now: Instant | null,
): Promise<number> {
  const [row] = await database.read(null, pruning, [now, limit])
  return row?.count ?? 0
}
