import { TaskboardError } from '@taskboard/core'
import type { EventStore, FeedPosition } from '@taskboard/core/storage'
import type { Database } from '../tables/database.js'
import { draftRow, toLoggedEvent } from '../tables/event-log.js'
import type { Pruned } from '../tables/prune.js'
import type { MemoryTransaction } from '../tables/transactions.js'

export function createEventStore(database: Database): EventStore<MemoryTransaction> & Pruned<'pruneEvents'> {
  const { transactions, log, commits, tables } = database
  const mark = (workspaceId: string): number => tables.rollUps.get(workspaceId)?.seq ?? 0
  const { read, write } = transactions
  return {
    appendEvent: ({ workspaceId, event }, call) =>
      write(call, (now) => {
        database.requireWorkspace(workspaceId)
        const row = draftRow(workspaceId, structuredClone(event), now)
        database.publish(row)
        return toLoggedEvent(row)
      }),
    readEvents: ({ workspaceId, afterSeq, limit }) =>
      read(null, () => log.readWorkspace(workspaceId, afterSeq, limit)),
    readFeed: ({ position, limit }) =>
      read(null, () => {
        const start = parsePosition(position)
        const { events, position: end } = log.readAll(start, limit)
        return { events, position: String(end) }
      }),
    feedEnd: ({ after }) =>
      read(null, () => String(after === null ? log.end : Math.max(parsePosition(after), log.end))),
    onCommit: (listener) => commits.listen(listener),
    onTaskLog: (listener) => database.lines.add(listener),
    pruneEvents: ({ limit, olderThanMs }, call) =>
      write(call, (now) => log.prune(now - olderThanMs, limit, mark)),
  }
}

function parsePosition(position: FeedPosition): number {
  if (/^\d{1,15}$/.test(position)) return Number(position)
  throw new TaskboardError('INVALID_FIELD', 'position must be one that the feed returned', {
    field: 'position',
  })
}
