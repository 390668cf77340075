import type { Instant } from '@taskboard/core'
import { currentPayloadVersion, type EventDraft, type LoggedEvent, type NewId } from '@taskboard/core/storage'
import type { Journal, Reversible } from './journal.js'

/**
 * A stored event. Each stored object costs the garbage collector, so the most frequent events have their own classes and compute
 * what they can when it is read.
 */
export interface EventRow {
  /** Given by the log when the row is appended, as `seq` is. */
  id: string
  seq: number
  readonly workspaceId: string
  readonly at: Instant
  readonly type: EventDraft['type']
  readonly data: EventDraft['data']
}

/** The row of an event that is stored as it was emitted. */
export function draftRow(workspaceId: string, { type, data }: EventDraft, at: Instant): EventRow {
  return { id: '', seq: 0, workspaceId, at, type, data }
}

/** Events in the order of their commits, in total and by workspace. */
export interface EventLog {
  /** Gives a new event its id and its `seq`. */
  append(row: EventRow): void
  /** Events of a workspace with a `seq` above `afterSeq`. */
  readWorkspace(workspaceId: string, afterSeq: number, limit: number): readonly LoggedEvent[]
  /** The `seq` of a workspace's last event; 0 when it has had none. */
  lastSeq(workspaceId: string): number
  /** How many events there have ever been. */
  readonly end: number
  /** Events after the first `position` of all. */
  readAll(position: number, limit: number): readonly LoggedEvent[]
  /** Where the `count` events end that were read from `position`, past those that are pruned by now. */
  afterPage(position: number, count: number): number
  /** Deletes the oldest events from before `before`, up to the first whose `seq` is above the `mark` of its workspace. */
  prune(before: Instant, limit: number, mark: (workspaceId: string) => number): number
  /** Calls `hook` with each event that was appended, also again when a rollback of others brings it back. */
  onAppend(hook: (row: { readonly workspaceId: string }) => void): void
}

/** A list that grows at its end and is cut at its front; places count from the first that there ever was. */
interface Tail {
  rows: EventRow[]
  dropped: number
  /** How many at the front of `rows` are gone, until it is worth closing the gap. */
  head: number
}

export function createEventLog(journal: Journal, newId: () => NewId): EventLog {
  const all = emptyTail()
  const workspaces = new Map<string, Tail>()
  const hooks: ((row: EventRow) => void)[] = []

  function tailOf(workspaceId: string): Tail {
    let tail = workspaces.get(workspaceId)
    if (tail === undefined) workspaces.set(workspaceId, (tail = emptyTail()))
    return tail
  }

  function push(row: EventRow): void {
    all.rows.push(row)
    tailOf(row.workspaceId).rows.push(row)
    for (const hook of hooks) hook(row)
  }

  function pop(): EventRow | undefined {
    const row = all.rows.pop()
    if (row !== undefined) tailOf(row.workspaceId).rows.pop()
    return row
  }

  const reversible: Reversible = {
    swap(_, row) {
      if (row === undefined) return pop()
      push(row as EventRow)
      return undefined
    },
  }

  return {
    append(row) {
      row.id = newId()('log')
      row.seq = endOf(tailOf(row.workspaceId)) + 1
      push(row)
      journal.note(reversible, '', undefined)
    },
    readWorkspace(workspaceId, afterSeq, limit) {
      const tail = workspaces.get(workspaceId)
      return tail === undefined ? [] : readAfter(tail, afterSeq, limit)
    },
    lastSeq(workspaceId) {
      const tail = workspaces.get(workspaceId)
      return tail === undefined ? 0 : endOf(tail)
    },
    get end() {
      return endOf(all)
    },
    readAll: (position, limit) => readAfter(all, position, limit),
    afterPage: (position, count) => Math.max(position, count === 0 ? 0 : all.dropped) + count,
    prune(before, limit, mark) {
      let count = 0
      for (let row = all.rows[all.head]; row !== undefined && row.at < before && count < limit; count++) {
        if (row.seq > mark(row.workspaceId)) break
        dropFirst(all)
        dropFirst(tailOf(row.workspaceId))
        row = all.rows[all.head]
      }
      return count
    },
    onAppend(hook) {
      hooks.push(hook)
    },
  }
}

/** The event of a row, created at each read. */
export function toLoggedEvent({ id, workspaceId, seq, at, type, data }: EventRow): LoggedEvent {
  return { type, data, id, workspaceId, seq, at, payloadVersion: currentPayloadVersion } as LoggedEvent
}

function emptyTail(): Tail {
  return { rows: [], dropped: 0, head: 0 }
}

function endOf(tail: Tail): number {
  return tail.dropped + tail.rows.length - tail.head
}

function readAfter(tail: Tail, position: number, limit: number): readonly LoggedEvent[] {
  const start = tail.head + Math.max(0, position - tail.dropped)
  return tail.rows.slice(start, start + limit).map(toLoggedEvent)
}

function dropFirst(tail: Tail): void {
  tail.dropped += 1
  tail.head += 1
  if (tail.head * 2 < tail.rows.length) return
  tail.rows = tail.rows.slice(tail.head)
  tail.head = 0
}
