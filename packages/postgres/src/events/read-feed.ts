import type { FeedPage, FeedPosition, LoggedEvent } from '@taskboard/core/storage'
import type { Database } from '../database.js'
import { backgroundStatement, statement } from '../statement.js'
import { eventColumns } from './event-row.js'
import { parsePosition, toPosition, type FeedPlace } from './feed-position.js'
import { rewindFeed } from './rewind-feed.js'

interface EndRow {
  readonly xmin: string
  readonly xmax: string
  readonly seen: string
  /** Whether a log is ahead of all transactions, which happens only after a restored dump. */
  readonly isAhead: boolean
}

type FedRow = LoggedEvent & { readonly feedXid: string }

/**
 * An event's `feed_xid` is at least the id of the transaction that wrote it. So commits after a snapshot are at or above its
 * xmin, and below xmin the log is complete. Events at or above xmin that are already committed, beside open transactions, are
 * identified by their place in their workspace's log.
 */
const endOfFeed = statement<EndRow>(
  'feed_end',
  /* sql */ `
  with snapshot as materialized (select pg_current_snapshot() as s)
  select pg_snapshot_xmin(s)::text as xmin, pg_snapshot_xmax(s)::text as xmax, log.seen, log.is_ahead as "isAhead"
  from snapshot, lateral (
    select coalesce(string_agg(workspace_id || ':' || last_seq, ','), '') as seen,
      coalesce(bool_or(feed_xid >= pg_snapshot_xmax(s)), false) as is_ahead
    from taskboard.workspace_log where feed_xid >= pg_snapshot_xmin(s)
  ) log`,
)

/**
 * Below the horizon the log is complete. The horizon is the oldest open transaction of this database. A snapshot also contains
 * transactions of the server's other databases, which write nothing here. The statement looks for them only when they may hide
 * an event.
 */
const HORIZON = /* sql */ `snapshot as materialized (select pg_current_snapshot() as s),
  horizon as materialized (
    select case
      when coalesce((select max_xid < pg_snapshot_xmin(s) from (
        select feed_xid as max_xid from taskboard.event order by feed_xid desc, workspace_id desc, seq desc limit 1
      ) newest), true) then pg_snapshot_xmin(s)
      else coalesce((
        select xid from pg_snapshot_xip(s) as xid
        where xid::xid not in (
          select l.transactionid from pg_locks l join pg_stat_activity a on a.pid = l.pid
          where l.locktype = 'transactionid' and l.granted and l.transactionid is not null
            and a.datid <> (select oid from pg_database where datname = current_database())
        )
        order by xid limit 1
      ), pg_snapshot_xmax(s)) end as xid
    from snapshot
  )`

/** Events from a place on, in order, except those that existed when the feed began. */
const feedPage = statement<FedRow>(
  'read_feed',
  /* sql */ `
  with ${HORIZON}
  select ${eventColumns('e')}, e.feed_xid::text as "feedXid"
  from taskboard.event e
  where (e.feed_xid, e.workspace_id, e.seq) > ($1::text::xid8, $2::text, $3::bigint)
    and e.feed_xid < (select xid from horizon)
    and not (e.feed_xid < $5::text::xid8 and e.seq <= coalesce(($4::jsonb ->> e.workspace_id)::bigint, 0))
  order by e.feed_xid, e.workspace_id, e.seq limit $6::integer`,
)

/** The last event of all pages from a place on. */
const lastOfFeed = backgroundStatement<Pick<FeedPlace, 'feedXid' | 'workspaceId' | 'seq'>>(
  'skip_feed',
  /* sql */ `
  with ${HORIZON}
  select e.feed_xid::text as "feedXid", e.workspace_id as "workspaceId", e.seq::text as seq
  from taskboard.event e
  where (e.feed_xid, e.workspace_id, e.seq) > ($1::text::xid8, $2::text, $3::bigint)
    and e.feed_xid < (select xid from horizon)
  order by e.feed_xid desc, e.workspace_id desc, e.seq desc limit 1`,
)

/** `EventStore.feedEnd` of all committed events. */
export async function feedEnd(database: Database): Promise<FeedPosition> {
  const [end] = await database.read(null, endOfFeed, [])
  if (end === undefined) throw new Error('the statement returned no end of the feed')
  const { xmin, xmax, seen, isAhead } = end
  if (isAhead) {
    await rewindFeed(database)
    return feedEnd(database)
  }
  return toPosition({ feedXid: xmin, workspaceId: '', seq: '0', seen, seenUntil: xmax })
}

/** `EventStore.readFeed`. */
export async function readFeed(database: Database, position: FeedPosition, limit: number): Promise<FeedPage> {
  const place = parsePosition(position)
  const { feedXid, workspaceId, seq, seen, seenUntil } = place
  const values = [feedXid, workspaceId, seq, seenSeqs(seen), seenUntil, limit]
  const rows = await database.read(null, feedPage, values)
  const last = rows.at(-1)
  if (last === undefined) return { events: [], position }
  const end = { feedXid: last.feedXid, workspaceId: last.workspaceId, seq: String(last.seq) }
  return { events: rows.map(toEvent), position: toPosition({ ...place, ...end }) }
}

/** `EventStore.feedEnd` after a position. */
export async function skipFeed(database: Database, position: FeedPosition): Promise<FeedPosition> {
  const place = parsePosition(position)
  const { feedXid, workspaceId, seq } = place
  const [last] = await database.read(null, lastOfFeed, [feedXid, workspaceId, seq])
  return last === undefined ? position : toPosition({ ...place, ...last })
}

function seenSeqs(seen: string): string {
  const pairs = seen.split(',').map((pair) => pair.split(':'))
  return seen === '' ? '{}' : JSON.stringify(Object.fromEntries(pairs))
}

function toEvent(row: FedRow): LoggedEvent {
  const { feedXid: _, ...event } = row
  return event
}
