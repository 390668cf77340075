import { TaskboardError } from '@taskboard/core'
import type { FeedPage, FeedPosition, LoggedEvent } from '@taskboard/core/storage'
import type { Database } from '../database/database.js'
import { backgroundStatement, statement, type Statement } from '../connection/statement.js'
import { eventColumns } from './log-events.js'

/**
 * A place in the feed, which is ordered by (`feed_xid`, `workspace_id`, `seq`): everything up to it has been read. While
 * `feedXid` is below `seenUntil`, the events of the workspaces in `seen` up to their `seq` have been read as well.
 */
interface FeedPlace {
  readonly feedXid: string
  readonly workspaceId: string
  readonly seq: string
  /** `workspace:seq` pairs separated by commas; empty for none. */
  readonly seen: string
  readonly seenUntil: string
}

const POSITION =
  /^(\d{1,19})\/([a-z0-9_]{0,64})\/(\d{1,15})(?:\/(\d{1,19})\/((?:[a-z0-9_]{1,64}:\d{1,15},?)+))?$/

const LARGEST_XID = 2n ** 63n - 1n

/** The position as text: `feed_xid/workspace_id/seq`, rarely followed by `until/workspace_id:seq,…`. */
function toPosition({ feedXid, workspaceId, seq, seen, seenUntil }: FeedPlace): FeedPosition {
  const base = `${feedXid}/${workspaceId}/${seq}`
  return seen === '' || BigInt(feedXid) >= BigInt(seenUntil) ? base : `${base}/${seenUntil}/${seen}`
}

/** @throws TaskboardError `INVALID_FIELD` for a text that isn't a position. */
function parsePosition(position: FeedPosition): FeedPlace {
  const [, feedXid = '', workspaceId = '', seq = '', seenUntil = '0', seen = ''] =
    POSITION.exec(position) ?? []
  if (feedXid === '' || BigInt(feedXid) > LARGEST_XID || BigInt(seenUntil) > LARGEST_XID) {
    throw new TaskboardError('INVALID_FIELD', 'position must be one that the feed returned', {
      field: 'position',
    })
  }
  return { feedXid, workspaceId, seq, seen, seenUntil }
}

/** Blocks writes to these logs until the commit. */
const rewindLogs = statement<{ readonly workspaceId: string }>(
  'rewind_logs',
  /* sql */ `
  update taskboard.workspace_log set feed_xid = '0' where feed_xid >= pg_snapshot_xmax(pg_current_snapshot())
  returning workspace_id as "workspaceId"`,
)

const rewindEvents = statement<never>(
  'rewind_events',
  /* sql */ `update taskboard.event_batch set feed_xid = '0' where workspace_id = any ($1::text[])`,
)

/** The statement rewrites every event of such a log. */
const REWIND_TIMEOUT_MS = 600_000

/**
 * Moves logs that are ahead of the present back behind it. A dump restored on another server brings transaction ids that this
 * server reaches only after a long time. Until then the feed would return nothing.
 */
function rewindFeed(database: Database): Promise<void> {
  return database.atomically(
    null,
    async (session) => {
      const rewound = await session.run(rewindLogs, [])
      await session.run(rewindEvents, [rewound.map(({ workspaceId }) => workspaceId)])
    },
    { statementTimeoutMs: REWIND_TIMEOUT_MS },
  )
}

interface EndRow {
  readonly end: string
  readonly xmax: string
  readonly seen: string
  /** Whether a log is ahead of all transactions, which happens only after a restored dump. */
  readonly isAhead: boolean
}

type FedRow = LoggedEvent & FeedRow

interface FeedRow {
  readonly feedXid: string
  readonly isStale: boolean
}

/** What a statement returns when it found nothing. */
interface NoRow {
  readonly feedXid: null
  readonly isStale: boolean
}

/** The newest event's. */
const NEWEST_XID = /* sql */ `
  select feed_xid from taskboard.event_batch order by feed_xid desc, workspace_id desc, last_seq desc limit 1`

/**
 * An event's `feed_xid` is at least the id of the transaction that wrote it. So commits after a snapshot are at or above its
 * xmin, and below xmin the log is complete. Events at or above xmin that are already committed, next to open transactions, are
 * identified by their place in their workspace's log.
 *
 * The end is right after the newest event where xmin is higher. After a crash the server may assign the ids of uncommitted transactions
 * again, which had no need to be on disk.
 */
const endOfFeed = statement<EndRow>(
  'feed_end',
  /* sql */ `
  with snapshot as materialized (select pg_current_snapshot() as s)
  select least(pg_snapshot_xmin(s)::text::numeric, coalesce((${NEWEST_XID})::text::numeric + 1, 0))::text as "end",
    pg_snapshot_xmax(s)::text as xmax, log.seen, log.is_ahead as "isAhead"
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
 *
 * The locks are read after the snapshot was taken. A transaction that committed in between has no lock any more, so that its database is
 * unknown (`is_stale`): a new snapshot is without it.
 */
const HORIZON = /* sql */ `snapshot as materialized (select pg_current_snapshot() as s),
  oldest as materialized (
    select xid, not exists (
      select from pg_locks l where l.locktype = 'transactionid' and l.transactionid = xid::xid
    ) as is_stale
    from snapshot, pg_snapshot_xip(s) as xid
    where case
      when coalesce((${NEWEST_XID}) < pg_snapshot_xmin(s), true) then false
      else xid::xid not in (
        select l.transactionid from pg_locks l join pg_stat_activity a on a.pid = l.pid
        where l.locktype = 'transactionid' and l.granted and l.transactionid is not null
          and a.datid <> (select oid from pg_database where datname = current_database())
      ) end
    order by xid limit 1
  ),
  horizon as materialized (
    select coalesce((select xid from oldest), pg_snapshot_xmax(s)) as xid,
      coalesce((select is_stale from oldest), false) as is_stale
    from snapshot
  )`

/** Events from a place on, in order, except those that existed when the feed began. One row without an event when there is none. */
const feedPage = statement<FedRow | NoRow>(
  'read_feed',
  /* sql */ `
  with ${HORIZON}
  select horizon.is_stale as "isStale", page.*
  from horizon left join lateral (
    select ${eventColumns('e')}, e.feed_xid::text as "feedXid"
    from taskboard.event e
    where (e.feed_xid, e.workspace_id, e.last_seq) > ($1::text::xid8, $2::text, $3::bigint)
      and (e.feed_xid, e.workspace_id, e.seq) > ($1::text::xid8, $2::text, $3::bigint)
      and e.feed_xid < horizon.xid
      and not (e.feed_xid < $5::text::xid8 and e.seq <= coalesce(($4::jsonb ->> e.workspace_id)::bigint, 0))
    order by e.feed_xid, e.workspace_id, e.last_seq, e.nth limit $6::integer
  ) page on true`,
)

/** The last event of all pages from a place on, or one row without an event. */
const lastOfFeed = backgroundStatement<(FeedRow & Pick<FeedPlace, 'workspaceId' | 'seq'>) | NoRow>(
  'skip_feed',
  /* sql */ `
  with ${HORIZON}
  select horizon.is_stale as "isStale", last.*
  from horizon left join lateral (
    select b.feed_xid::text as "feedXid", b.workspace_id as "workspaceId", b.last_seq::text as seq
    from taskboard.event_batch b
    where (b.feed_xid, b.workspace_id, b.last_seq) > ($1::text::xid8, $2::text, $3::bigint)
      and b.feed_xid < horizon.xid
    order by b.feed_xid desc, b.workspace_id desc, b.last_seq desc limit 1
  ) last on true`,
)

/** `EventStore.feedEnd` of all committed events. */
export async function feedEnd(database: Database): Promise<FeedPosition> {
  const [row] = await database.read(null, endOfFeed, [])
  if (row === undefined) throw new Error('the statement returned no end of the feed')
  const { end, xmax, seen, isAhead } = row
  if (isAhead) {
    await rewindFeed(database)
    return feedEnd(database)
  }
  return toPosition({ feedXid: end, workspaceId: '', seq: '0', seen, seenUntil: xmax })
}

/** So many snapshots in a row can hardly each have met a transaction just as it ended. Events that are hidden then are in the next page. */
const MOST_SNAPSHOTS = 5

/** Runs a statement about the feed, again while its horizon is a transaction that is over by then. */
async function readToHorizon<Row extends FeedRow>(
  database: Database,
  query: Statement<Row | NoRow>,
  values: readonly unknown[],
): Promise<readonly Row[]> {
  let rows: readonly (Row | NoRow)[] = []
  for (let snapshot = 0; snapshot < MOST_SNAPSHOTS; snapshot++) {
    rows = await database.read(null, query, values)
    if (rows[0]?.isStale !== true) break
  }
  return rows.filter((row): row is Row => row.feedXid !== null)
}

/** `EventStore.readFeed`. */
export async function readFeed(database: Database, position: FeedPosition, limit: number): Promise<FeedPage> {
  const place = parsePosition(position)
  const { feedXid, workspaceId, seq, seen, seenUntil } = place
  const values = [feedXid, workspaceId, seq, seenSeqs(seen), seenUntil, limit]
  const rows = await readToHorizon(database, feedPage, values)
  const last = rows.at(-1)
  if (last === undefined) return { events: [], position }
  const end = { feedXid: last.feedXid, workspaceId: last.workspaceId, seq: String(last.seq) }
  return { events: rows.map(toEvent), position: toPosition({ ...place, ...end }) }
}

/** `EventStore.feedEnd` after a position. */
export async function skipFeed(database: Database, position: FeedPosition): Promise<FeedPosition> {
  const place = parsePosition(position)
  const { feedXid, workspaceId, seq } = place
  const [last] = await readToHorizon(database, lastOfFeed, [feedXid, workspaceId, seq])
  return last === undefined ? position : toPosition({ ...place, ...last })
}

function seenSeqs(seen: string): string {
  const pairs = seen.split(',').map((pair) => pair.split(':'))
  return seen === '' ? '{}' : JSON.stringify(Object.fromEntries(pairs))
}

function toEvent(row: FedRow): LoggedEvent {
  const { feedXid: _, isStale: __, ...event } = row
  return event
}
