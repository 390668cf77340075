import type { Instant } from '@taskboard/core'
import type { NotificationTarget } from '@taskboard/core/storage'
import type { EventLog } from './event-log.js'
import { heapAdd, heapRemove, IN_NO_HEAP, type HeapOrder } from './heap.js'
import type { Table } from './table.js'

/** A workspace's use of a channel, and how far it has come. */
export interface TargetRow extends NotificationTarget {
  readonly readThroughSeq: number
  /** When it can next be claimed, once it has unread events. */
  readonly dueAt: Instant
  readonly claimToken: string | null
}

/** The targets that have unread events, by channel and by when they are due. Follows the log and the targets' table. */
export interface NotificationTargets {
  of(workspaceId: string): readonly TargetRow[]
  /** The target of a channel that is due first; null when none has anything unread. */
  first(channel: string): TargetRow | null
}

interface TargetEntry {
  readonly row: TargetRow
  place: number
}

export function createNotificationTargets(targets: Table<TargetRow>, log: EventLog): NotificationTargets {
  const workspaces = new Map<string, Map<string, TargetEntry>>()
  const channels = new Map<string, TargetEntry[]>()

  function heapOf(channel: string): TargetEntry[] {
    let heap = channels.get(channel)
    if (heap === undefined) channels.set(channel, (heap = []))
    return heap
  }

  function enqueue(entry: TargetEntry): void {
    const { workspaceId, channel, readThroughSeq } = entry.row
    if (entry.place === IN_NO_HEAP && log.lastSeq(workspaceId) > readThroughSeq) {
      heapAdd(heapOf(channel), entry, dueOrder)
    }
  }

  targets.onChange((before, after) => {
    const { workspaceId, channel } = (after ?? before) as TargetRow
    const own = workspaces.get(workspaceId) ?? new Map<string, TargetEntry>()
    const entry = own.get(channel)
    if (entry !== undefined) heapRemove(heapOf(channel), entry, dueOrder)
    own.delete(channel)
    if (after !== undefined) {
      const added = { row: after, place: IN_NO_HEAP }
      own.set(channel, added)
      enqueue(added)
    }
    if (own.size === 0) workspaces.delete(workspaceId)
    else workspaces.set(workspaceId, own)
  })
  log.onAppend((row) => {
    for (const entry of workspaces.get(row.workspaceId)?.values() ?? []) enqueue(entry)
  })

  return {
    of: (workspaceId) => Array.from(workspaces.get(workspaceId)?.values() ?? [], ({ row }) => row),
    first(channel) {
      const heap = heapOf(channel)
      for (let entry = heap[0]; entry !== undefined; entry = heap[0]) {
        if (log.lastSeq(entry.row.workspaceId) > entry.row.readThroughSeq) return entry.row
        // The event that put it here was rolled back.
        heapRemove(heap, entry, dueOrder)
      }
      return null
    },
  }
}

const dueOrder: HeapOrder<TargetEntry> = {
  comesBefore: (a, b) =>
    a.row.dueAt === b.row.dueAt ? a.row.workspaceId < b.row.workspaceId : a.row.dueAt < b.row.dueAt,
  placeOf: (entry) => entry.place,
  setPlace(entry, place) {
    entry.place = place
  },
}
