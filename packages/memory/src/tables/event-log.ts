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
  /** Events after the first `position` of all, and the position after them, past those that are gone by now. */
  readAll(
    position: number,
    limit: number,
  ): { readonly events: readonly LoggedEvent[]; readonly position: number }
  /** Deletes the oldest events from before `before`, up to the first whose `seq` is above the `mark` of its workspace. */
  prune(before: Instant, limit: number, mark: (workspaceId: string) => number): number
  /** Deletes all events of workspaces; returns how many. No other events change their places. Can't be rolled back. */
  removeWorkspaces(workspaceIds: ReadonlySet<string>): number
  /** Calls `hook` with each event that was appended, and again when a rollback of others brings it back. */
  onAppend(hook: (row: { readonly workspaceId: string }) => void): void
}

/** A list that grows at its end and is cut at its front; places count from the first that there ever was. */
interface Tail {
  /** Null for an event of a workspace that was deleted. */
  rows: (EventRow | null)[]
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
    const row = all.rows.pop() ?? undefined
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
    readAll: (position, limit) => readPage(all, position, limit),
    prune(before, limit, mark) {
      let count = 0
      for (let row = all.rows[all.head]; row !== undefined && count < limit; row = all.rows[all.head]) {
        if (row !== null && (row.at >= before || row.seq > mark(row.workspaceId))) break
        dropFirst(all)
        if (row === null) continue
        dropFirst(tailOf(row.workspaceId))
        count += 1
      }
      return count
    },
    removeWorkspaces(workspaceIds) {
      for (const id of workspaceIds) workspaces.delete(id)
      return blank(all, workspaceIds)
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
  const rows = tail.rows.slice(start, start + limit)
  return rows.flatMap((row) => (row === null ? [] : toLoggedEvent(row)))
}

function readPage(tail: Tail, position: number, limit: number): ReturnType<EventLog['readAll']> {
  const events: LoggedEvent[] = []
  const start = tail.head + Math.max(0, position - tail.dropped)
  let place = start
  for (; place < tail.rows.length && events.length < limit; place++) {
    const row = tail.rows[place]
    if (row != null) events.push(toLoggedEvent(row))
  }
  const count = Math.max(0, place - start)
  return { events, position: Math.max(position, count === 0 ? 0 : tail.dropped) + count }
}

/** Takes out the events of workspaces, and leaves their places. */
function blank({ rows, head }: Tail, workspaceIds: ReadonlySet<string>): number {
  let count = 0
  for (let place = head; place < rows.length; place++) {
    const row = rows[place]
    if (row == null || !workspaceIds.has(row.workspaceId)) continue
    rows[place] = null
    count += 1
  }
  return count
}

function dropFirst(tail: Tail): void {
  tail.dropped += 1
  tail.head += 1
  if (tail.head * 2 < tail.rows.length) return
  tail.rows = tail.rows.slice(tail.head)
  tail.head = 0
}
