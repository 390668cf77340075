import {
  currentPayloadVersion,
  type EventDraft,
  type Instant,
  type LoggedEvent,
  type NewId,
} from '@taskboard/core'
import type { Journal, Reversible } from './journal.js'

/** Events in the order of their commits, all together and by workspace. */
export interface EventLog {
  /** Gives an event its place. */
  append(workspaceId: string, draft: EventDraft, at: Instant): LoggedEvent
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
  /** Drops the oldest events from before `before`. */
  prune(before: Instant, limit: number): number
  /** Calls `hook` with each event that was appended, also again when a rollback of others brings it back. */
  onAppend(hook: (event: LoggedEvent) => void): void
}

/** A list that grows at its end and is cut at its front; places count from the first that there ever was. */
interface Tail {
  events: LoggedEvent[]
  dropped: number
  /** How many at the front of `events` are gone, until it is worth closing the gap. */
  head: number
}

export function createEventLog(journal: Journal, newId: () => NewId): EventLog {
  const all = emptyTail()
  const workspaces = new Map<string, Tail>()
  const hooks: ((event: LoggedEvent) => void)[] = []

  function tailOf(workspaceId: string): Tail {
    let tail = workspaces.get(workspaceId)
    if (tail === undefined) workspaces.set(workspaceId, (tail = emptyTail()))
    return tail
  }

  function push(event: LoggedEvent): void {
    all.events.push(event)
    tailOf(event.workspaceId).events.push(event)
    for (const hook of hooks) hook(event)
  }

  function pop(): LoggedEvent | undefined {
    const event = all.events.pop()
    if (event !== undefined) tailOf(event.workspaceId).events.pop()
    return event
  }

  const reversible: Reversible = {
    swap(_, event) {
      if (event === undefined) return pop()
      push(event as LoggedEvent)
      return undefined
    },
  }

  return {
    append(workspaceId, draft, at) {
      const event = {
        type: draft.type,
        facts: draft.facts,
        id: newId()('log'),
        workspaceId,
        seq: endOf(tailOf(workspaceId)) + 1,
        at,
        payloadVersion: currentPayloadVersion,
      } as LoggedEvent
      push(event)
      journal.note(reversible, '', undefined)
      return event
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
    prune(before, limit) {
      let count = 0
      for (
        let event = all.events[all.head];
        event !== undefined && event.at < before && count < limit;
        count++
      ) {
        dropFirst(all)
        dropFirst(tailOf(event.workspaceId))
        event = all.events[all.head]
      }
      return count
    },
    onAppend(hook) {
      hooks.push(hook)
    },
  }
}

function emptyTail(): Tail {
  return { events: [], dropped: 0, head: 0 }
}

function endOf(tail: Tail): number {
  return tail.dropped + tail.events.length - tail.head
}

function readAfter(tail: Tail, position: number, limit: number): readonly LoggedEvent[] {
  const start = tail.head + Math.max(0, position - tail.dropped)
  return tail.events.slice(start, start + limit)
}

function dropFirst(tail: Tail): void {
  tail.dropped += 1
  tail.head += 1
  if (tail.head * 2 < tail.events.length) return
  tail.events = tail.events.slice(tail.head)
  tail.head = 0
}
