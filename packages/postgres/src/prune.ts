import type { Instant } from '@taskboard/core'
import { linkKeptMs, type Pruning } from '@taskboard/core/storage'
import type { Database } from './database/database.js'
import { statement, type Statement } from './connection/statement.js'
import { pruneDoneTasks } from './board/delete-tasks.js'

/** Batch `b` of events is older than `p.end_at` and rolled up. */
const IS_OLD = /* sql */ `b.at < (select end_at from p) and b.at > -9223372036854775808 and b.last_seq <= coalesce((
        select m.seq from taskboard.analytics_mark m where m.workspace_id = b.workspace_id
      ), 0)`

/**
 * Takes the first rows of the table, which are nearly the oldest, so that none sorts all old ones. A range with two ends makes the planner
 * expect few. Events that aren't yet rolled up stay, and so do events that a delivery may refer to, which has the time of its event. All
 * stay while an ended delivery is as old, since deliveries are pruned first. In a table with partitions several rows have the same place,
 * so the deleted ones are those to which all of it applies.
 */
const pruneOldest = statement<{ readonly count: number }>(
  'prune_events',
  /* sql */ `
  with p as materialized (
    select least(c.at, (select min(d.created_at) from taskboard.due_delivery d where d.created_at < c.at and d.seq is not null)) as end_at
    from (select coalesce($3::bigint, taskboard.now_ms()) - $1::bigint as at) c
    where not exists (select from taskboard.ended_delivery d where d.created_at < c.at and d.seq is not null)
  ),
  deleted as (
    delete from taskboard.event_batch b where b.ctid = any (array(
      select b.ctid from taskboard.event_batch b where ${IS_OLD} limit $2::integer
    )) and ${IS_OLD}
    returning b.last_seq - b.first_seq + 1 as events
  )
  select coalesce(sum(events), 0)::float8 as count from deleted`,
)

/** `Storage.prune` of events, at most `limit` batches. */
async function pruneEvents(
  database: Database,
  olderThanMs: number,
  limit: number,
  now: Instant | null,
): Promise<number> {
  const [row] = await database.read(null, pruneOldest, [olderThanMs, limit, now])
  return row?.count ?? 0
}

const pruneRecords = statement<{ readonly count: number }>(
  'prune_idempotency',
  /* sql */ `
  with p as materialized (select coalesce($3::bigint, taskboard.now_ms()) - $1::bigint as end_at),
  old_record as materialized (
    select ctid from taskboard.idempotency where created_at < (select end_at from p)
    order by created_at limit $2::integer for update skip locked
  ),
  deleted as (
    delete from taskboard.idempotency where ctid = any (array(select ctid from old_record)) returning 1
  )
  select count(*)::float8 as count from deleted`,
)

/** `Storage.prune` of idempotency records. */
async function pruneIdempotency(
  database: Database,
  olderThanMs: number,
  limit: number,
  now: Instant | null,
): Promise<number> {
  const [row] = await database.read(null, pruneRecords, [olderThanMs, limit, now])
  return row?.count ?? 0
}

/**
 * By the database's clock a key is idle only a minute after its window closed. A decision may have read the clock earlier and not have
 * reached the row yet.
 */
const pruneIdle = statement<{ readonly count: number }>(
  'prune_limits',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms() - 60000) as now),
  idle_limit as materialized (
    select r.ctid from taskboard.rolling_limit r
    where r.idle_from <= (select now from p) and r.newest + r.window_ms <= (select now from p)
    order by r.idle_from limit $2::integer for update of r skip locked
  ),
  deleted as (
    delete from taskboard.rolling_limit where ctid = any (array(select ctid from idle_limit)) returning 1
  )
  select count(*)::float8 as count from deleted`,
)

/** An account is idle when its hour is over and its newest second has left the minute. */
const pruneIdleTiers = statement<{ readonly count: number }>(
  'prune_tier_limits',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms() - 60000) as now),
  idle_limit as materialized (
    select r.ctid from taskboard.tier_limit r
    where r.hour <= (select now from p) - 3600000
      and (r.seconds[cardinality(r.seconds)] + 61) * 1000 <= (select now from p)
    order by r.hour limit $2::integer for update of r skip locked
  ),
  deleted as (
    delete from taskboard.tier_limit where ctid = any (array(select ctid from idle_limit)) returning 1
  )
  select count(*)::float8 as count from deleted`,
)

/** `Storage.prune` of limits. */
async function pruneLimits(database: Database, limit: number, now: Instant | null): Promise<number> {
  const [rolling] = await database.read(null, pruneIdle, [now, limit])
  const count = rolling?.count ?? 0
  if (count >= limit) return count
  const [tiers] = await database.read(null, pruneIdleTiers, [now, limit - count])
  return count + (tiers?.count ?? 0)
}

type PruneStatement = Statement<{ readonly count: number }>

const pruneOver: PruneStatement = statement(
  'prune_sessions',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now),
  ended_session as materialized (
    select s.ctid from taskboard.session s where s.expires_at <= (select now from p)
    order by s.expires_at limit $2::integer for update of s skip locked
  ),
  deleted as (
    delete from taskboard.session where ctid = any (array(select ctid from ended_session)) returning 1
  )
  select count(*)::float8 as count from deleted`,
)

const pruneInvitations: PruneStatement = statement(
  'prune_invitations',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now),
  old_invitation as materialized (
    select i.ctid from taskboard.invitation i where i.expires_at <= (select now from p)
    order by i.expires_at limit $2::integer for update of i skip locked
  ),
  deleted as (
    delete from taskboard.invitation where ctid = any (array(select ctid from old_invitation)) returning 1
  )
  select count(*)::float8 as count from deleted`,
)

const pruneLinks: PruneStatement = statement(
  'prune_links',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) - ${linkKeptMs} as end_at),
  old_link as materialized (
    select l.ctid from taskboard.link l where l.expires_at <= (select end_at from p)
    order by l.expires_at limit $2::integer for update of l skip locked
  ),
  deleted as (
    delete from taskboard.link where ctid = any (array(select ctid from old_link)) returning 1
  )
  select count(*)::float8 as count from deleted`,
)

/**
 * By the database's clock, a minute later than possible: a login attempt may have read the clock earlier and not have reached
 * the row yet.
 */
const pruneAttempts: PruneStatement = statement(
  'prune_login_attempts',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms() - 60000) as now),
  past_attempt as materialized (
    select a.ctid from taskboard.login_attempt a where a.holds_until <= (select now from p)
    order by a.holds_until limit $2::integer for update of a skip locked
  ),
  deleted as (
    delete from taskboard.login_attempt where ctid = any (array(select ctid from past_attempt)) returning 1
  )
  select count(*)::float8 as count from deleted`,
)

/** `Storage.prune` for finished records. */
async function pruneOverRows(
  database: Database,
  pruning: PruneStatement,
  limit: number,
  now: Instant | null,
): Promise<number> {
  const [row] = await database.read(null, pruning, [now, limit])
  return row?.count ?? 0
}

const pruneDeliveryRows = statement<{ readonly count: number }>(
  'prune_deliveries',
  /* sql */ `
  with p as materialized (select coalesce($3::bigint, taskboard.now_ms()) - $1::bigint as end_at),
  old_delivery as materialized (
    select ctid from taskboard.ended_delivery where created_at < (select end_at from p) and created_at > -9223372036854775808
    limit $2::integer for update skip locked
  ),
  deleted as (
    delete from taskboard.ended_delivery where ctid = any (array(select ctid from old_delivery)) returning 1
  )
  select count(*)::float8 as count from deleted`,
)

/** `Storage.prune` of deliveries. */
async function pruneDeliveries(
  database: Database,
  olderThanMs: number,
  limit: number,
  now: Instant | null,
): Promise<number> {
  // Nothing waits for it, so it does not signal a commit.
  const [row] = await database.read(null, pruneDeliveryRows, [olderThanMs, limit, now])
  return row?.count ?? 0
}

const pruneRecordsOf = (name: string, owner: string) =>
  statement<{ readonly count: number }>(
    name,
    /* sql */ `
  with p as materialized (select coalesce($3::bigint, taskboard.now_ms()) - $1::bigint as end_at),
  old_record as materialized (
    select ctid from taskboard.audit where ${owner} and at < (select end_at from p)
    order by at limit $2::integer for update skip locked
  ),
  deleted as (
    delete from taskboard.audit where ctid = any (array(select ctid from old_record)) returning 1
  )
  select count(*)::float8 as count from deleted`,
  )
const pruneOfAccounts = pruneRecordsOf('prune_audit', 'account_id is not null')
const pruneOfNone = pruneRecordsOf('prune_audit_of_none', 'account_id is null')

/** `Storage.prune` of the audit. */
async function pruneAudit(
  database: Database,
  { ofAccounts, olderThanMs, limit }: Extract<Pruning, { readonly rows: 'audit' }>,
  now: Instant | null,
): Promise<number> {
  const pruning = ofAccounts ? pruneOfAccounts : pruneOfNone
  const [row] = await database.read(null, pruning, [olderThanMs, limit, now])
  return row?.count ?? 0
}

const pruneUpdates = statement<{ readonly count: number }>(
  'prune_bot_updates',
  /* sql */ `
  with p as materialized (select coalesce($3::bigint, taskboard.now_ms()) as now),
  old_update as materialized (
    select ctid from taskboard.bot_update where taken_at < (select now from p) - $1::bigint
    order by taken_at limit $2::integer for update skip locked
  ),
  past_code as materialized (
    select ctid from taskboard.bot_link_code where expires_at <= (select now from p)
    order by expires_at limit $2::integer for update skip locked
  ),
  deleted as (
    delete from taskboard.bot_update where ctid = any (array(select ctid from old_update)) returning 1
  ),
  deleted_code as (
    delete from taskboard.bot_link_code where ctid = any (array(select ctid from past_code)) returning 1
  )
  select greatest((select count(*) from deleted), (select count(*) from deleted_code))::float8 as count`,
)

/** `Storage.prune` of updates of messengers, and of codes that have expired. */
async function pruneBotUpdates(
  database: Database,
  olderThanMs: number,
  limit: number,
  now: Instant | null,
): Promise<number> {
  const [row] = await database.read(null, pruneUpdates, [olderThanMs, limit, now])
  return row?.count ?? 0
}

/** `Storage.prune`. */
export function prune(database: Database, asked: Pruning, now: Instant | null): Promise<number> {
  const { limit } = asked
  switch (asked.rows) {
    case 'done_tasks':
      return pruneDoneTasks(database, asked, now)
    case 'events':
      return pruneEvents(database, asked.olderThanMs, limit, now)
    case 'deliveries':
      return pruneDeliveries(database, asked.olderThanMs, limit, now)
    case 'idempotency':
      return pruneIdempotency(database, asked.olderThanMs, limit, now)
    case 'bot_updates':
      return pruneBotUpdates(database, asked.olderThanMs, limit, now)
    case 'audit':
      return pruneAudit(database, asked, now)
    case 'limits':
      return pruneLimits(database, limit, now)
    case 'sessions':
      return pruneOverRows(database, pruneOver, limit, now)
    case 'invitations':
      return pruneOverRows(database, pruneInvitations, limit, now)
    case 'login_attempts':
      return pruneOverRows(database, pruneAttempts, limit, now)
    case 'links':
      return pruneOverRows(database, pruneLinks, limit, now)
  }
}
