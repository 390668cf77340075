import type { EventStore } from '@taskboard/core/storage'
import type { Database } from '../database.js'
import type { PgConnection } from '../pool.js'
import { appendEvent } from './append-event.js'
import { readEvents } from './read-events.js'
import { feedEnd, readFeed, skipFeed } from './read-feed.js'

/**
 * The event log. The feed returns an event as soon as every transaction that began to write before the event's transaction has
 * ended. So one that stays open delays the feed, but loses nothing.
 */
export function createEventStore(database: Database): EventStore<PgConnection> {
  return {
    appendEvent: ({ workspaceId, event }, at) => appendEvent(database, workspaceId, event, at),
    readEvents: ({ workspaceId, afterSeq, limit }) => readEvents(database, workspaceId, afterSeq, limit),
    feedEnd: ({ after }) => (after === null ? feedEnd(database) : skipFeed(database, after)),
    readFeed: ({ position, limit }) => readFeed(database, position, limit),
    onCommit: (listener) => database.commits.listen(listener),
  }
}
