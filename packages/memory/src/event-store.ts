import { TaskboardError, type EventStore, type FeedPosition } from '@taskboard/core'
import type { Database } from './database.js'
import { draftRow, toLoggedEvent } from './event-log.js'
import type { MemoryTransaction } from './transactions.js'

export function createEventStore(database: Database): EventStore<MemoryTransaction> {
  const { transactions, log, commits, tables } = database
  const mark = (workspaceId: string): number => tables.rollUps.get(workspaceId)?.seq ?? 0
  const { read, write } = transactions
  return {
    appendEvent: (workspaceId, draft, at) =>
      write(at, (now) => {
        database.requireWorkspace(workspaceId)
        const row = draftRow(workspaceId, structuredClone(draft), now)
        database.publish(row)
        return toLoggedEvent(row)
      }),
    readEvents: (workspaceId, afterSeq, limit) =>
      read(null, () => log.readWorkspace(workspaceId, afterSeq, limit)),
    feedEnd: () => read(null, () => String(log.end)),
    readFeed: (position, limit) =>
      read(null, () => {
        const start = parsePosition(position)
        const events = log.readAll(start, limit)
        return { events, position: String(log.afterPage(start, events.length)) }
      }),
    skipFeed: (position) => read(null, () => String(Math.max(parsePosition(position), log.end))),
    onCommit: (listener) => commits.listen(listener),
    pruneEvents: (olderThanMs, limit, now) =>
      write({ now }, (at) => log.prune(at - olderThanMs, limit, mark)),
  }
}

function parsePosition(position: FeedPosition): number {
  if (/^\d{1,15}$/.test(position)) return Number(position)
  throw new TaskboardError('INVALID_FIELD', 'position must be one that the feed gave', { field: 'position' })
}
