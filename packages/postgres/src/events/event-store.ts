import { TaskboardError } from '@taskboard/core'
import type { CallContext, EventDraft, EventStore, LoggedEvent } from '@taskboard/core/storage'
import type { Database } from '../database/database.js'
import type { PgConnection } from '../connection/pool.js'
import { statement } from '../connection/statement.js'
import { eventColumns, LOG_EVENTS, LOGGED_EVENTS } from './log-events.js'
import { feedEnd, readFeed, skipFeed } from './read-feed.js'

const append = statement<LoggedEvent>(
  'append_event',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now),
  draft as (
    select w.id as workspace_id, 1 as ord, $3::text as type, $4::jsonb as data, p.now as at
    from taskboard.workspace w, p where w.id = $2::text
  ),
  ${LOG_EVENTS}
  select ${eventColumns('e')} from (${LOGGED_EVENTS}) e`,
)

/** `EventStore.appendEvent`. */
async function appendEvent(
  database: Database,
  workspaceId: string,
  { type, data }: EventDraft,
  call: CallContext<PgConnection>,
): Promise<LoggedEvent> {
  const [event] = await database.write(call, append, [call.now, workspaceId, type, JSON.stringify(data)])
  if (event === undefined) throw new TaskboardError('NOT_FOUND', 'no such workspace')
  return event
}

const eventsOfWorkspace = statement<LoggedEvent>(
  'read_events',
  /* sql */ `
  select ${eventColumns('e')} from taskboard.event e
  where e.workspace_id = $1::text and e.last_seq > $2::bigint and e.seq > $2::bigint
  order by e.last_seq, e.nth limit $3::integer`,
)

/** `EventStore.readEvents`. */
function readEvents(
  database: Database,
  workspaceId: string,
  afterSeq: number,
  limit: number,
): Promise<readonly LoggedEvent[]> {
  return database.read(null, eventsOfWorkspace, [workspaceId, afterSeq, limit])
}

/**
 * The event log. The feed returns an event once no transaction is open that began to write before the event's transaction. So one that
 * stays open delays the feed, but loses nothing.
 */
export function createEventStore(database: Database): EventStore<PgConnection> {
  return {
    appendEvent: ({ workspaceId, event }, call) => appendEvent(database, workspaceId, event, call),
    readEvents: ({ workspaceId, afterSeq, limit }) => readEvents(database, workspaceId, afterSeq, limit),
    feedEnd: ({ after }) => (after === null ? feedEnd(database) : skipFeed(database, after)),
    readFeed: ({ position, limit }) => readFeed(database, position, limit),
    onCommit: (listener) => database.commits.listen(listener),
    onTaskLog: (listener) => database.lines.add(listener),
  }
}
