import type { Instant } from '@taskboard/core'
import type {
  NotificationBatch,
  NotificationClaim,
  NotificationStore,
  NotificationTarget,
} from '@taskboard/core/storage'
import type { Database } from './database.js'
import type { EventLog } from './event-log.js'
import { heapAdd, type HeapOrder, heapRemove, IN_NO_HEAP } from './heap.js'
import { createTable, type Table } from './table.js'
import type { MemoryTransaction } from './transactions.js'

/** A workspace's use of a channel, and how far it has come. */
interface TargetRow extends NotificationTarget {
  readonly readThroughSeq: number
  /** When it can next be claimed, once it has unread events. */
  readonly dueAt: Instant
  readonly claimToken: string | null
}

/** The targets that have unread events, by channel and by when they are due. Follows the log and the targets' table. */
interface NotificationTargets {
  of(workspaceId: string): readonly TargetRow[]
  /** The target of a channel that is due first; null when none has anything unread. */
  first(channel: string): TargetRow | null
}

interface TargetEntry {
  readonly row: TargetRow
  place: number
}

function createNotificationTargets(targets: Table<TargetRow>, log: EventLog): NotificationTargets {
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

type Store = NotificationStore<MemoryTransaction>

export function createNotificationStore(database: Database): Store {
  const { journal, transactions, log } = database
  const { read, write } = transactions
  const targets = createTable<TargetRow>(journal)
  const index = createNotificationTargets(targets, log)
  const claim = createClaim(database, targets, index)
  database.onDeletion(({ workspaceIds }) => {
    for (const workspaceId of workspaceIds) {
      for (const { channel } of index.of(workspaceId)) targets.delete(targetId(workspaceId, channel))
    }
  })

  return {
    setTarget: ({ workspaceId, channel, settings }, call) =>
      write(call, (now) => {
        const id = targetId(workspaceId, channel)
        if (settings === null) {
          const isKnown = targets.get(id) !== undefined
          if (isKnown) targets.delete(id)
          return isKnown
        }
        database.requireWorkspace(workspaceId)
        const fresh = { readThroughSeq: log.lastSeq(workspaceId), dueAt: now, claimToken: null }
        const state = targets.get(id) ?? fresh
        targets.set(id, { ...state, workspaceId, channel, settings: Object.freeze({ ...settings }) })
        return true
      }),
    listTargets: ({ workspaceId }, call) =>
      read(call, () =>
        index
          .of(workspaceId)
          .map(toTarget)
          .sort((a, b) => (a.channel < b.channel ? -1 : 1)),
      ),
    claimNotifications: (request, call) => write(call, (now) => claim(request, now)),
    settleNotifications: ({ workspaceId, channel, claimToken, readThroughSeq, retryInMs }, call) =>
      write(call, (now) => {
        const id = targetId(workspaceId, channel)
        const row = targets.get(id)
        if (row === undefined || row.claimToken !== claimToken || row.dueAt <= now) return false
        targets.set(id, { ...row, readThroughSeq, dueAt: now + (retryInMs ?? 0), claimToken: null })
        return true
      }),
  }
}

function createClaim(
  { log }: Database,
  targets: Table<TargetRow>,
  index: NotificationTargets,
): (request: Parameters<Store['claimNotifications']>[0], now: Instant) => NotificationClaim {
  let lastToken = 0

  function firstDue(channels: readonly string[]): TargetRow | null {
    let first: TargetRow | null = null
    for (const channel of channels) {
      const row = index.first(channel)
      if (row !== null && (first === null || row.dueAt < first.dueAt)) first = row
    }
    return first
  }

  return ({ channels, limit, eventsPerTarget, claimMs }, now) => {
    const batches: NotificationBatch[] = []
    let row = firstDue(channels)
    while (row !== null && row.dueAt <= now && batches.length < limit) {
      const id = targetId(row.workspaceId, row.channel)
      const events = log.readWorkspace(row.workspaceId, row.readThroughSeq, eventsPerTarget)
      if (events.length === 0) {
        // The unread events have been pruned.
        targets.set(id, { ...row, readThroughSeq: log.lastSeq(row.workspaceId), claimToken: null })
      } else {
        lastToken += 1
        const claimToken = String(lastToken)
        targets.set(id, { ...row, dueAt: now + claimMs, claimToken })
        batches.push({ ...toTarget(row), events, claimToken })
      }
      row = firstDue(channels)
    }
    return { batches, nextDueInMs: row === null ? null : Math.max(0, row.dueAt - now) }
  }
}

function targetId(workspaceId: string, channel: string): string {
  return `${workspaceId} ${channel}`
}

function toTarget({ workspaceId, channel, settings }: TargetRow): NotificationTarget {
  return { workspaceId, channel, settings }
}
