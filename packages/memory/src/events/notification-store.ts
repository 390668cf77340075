import type { Instant, NotificationTarget } from '@taskboard/core'
import type {
  ChannelHealth,
  NotificationBatch,
  NotificationClaim,
  NotificationStore,
  StoredChannel,
} from '@taskboard/core/storage'
import type { Database } from '../tables/database.js'
import type { EventLog } from '../tables/event-log.js'
import { heapAdd, type HeapOrder, heapRemove, IN_NO_HEAP } from '../tables/heap.js'
import { createTable, type Table } from '../tables/table.js'
import type { MemoryTransaction } from '../tables/transactions.js'

/** A workspace's use of a channel, and how far it has come. */
export interface TargetRow extends NotificationTarget {
  readonly readThroughSeq: number
  /** When it can next be claimed, once it has unread events. */
  readonly dueAt: Instant
  readonly claimToken: string | null
  /** The type of a channel that a user set up; null for the host's. */
  readonly type: string | null
  /** Whether the last send to a user's channel failed. */
  readonly failing: boolean
}

/** The targets that have unread events, by queue and by when they are due. Follows the log and the targets' table. */
interface NotificationTargets {
  of(workspaceId: string): readonly TargetRow[]
  /** The target of a queue that is due first; null when none has anything unread. */
  first(queue: string): TargetRow | null
}

interface TargetEntry {
  readonly row: TargetRow
  place: number
}

function createNotificationTargets(targets: Table<TargetRow>, log: EventLog): NotificationTargets {
  const workspaces = new Map<string, Map<string, TargetEntry>>()
  const queues = new Map<string, TargetEntry[]>()

  function heapOf(queue: string): TargetEntry[] {
    let heap = queues.get(queue)
    if (heap === undefined) queues.set(queue, (heap = []))
    return heap
  }

  function enqueue(entry: TargetEntry): void {
    const { workspaceId, readThroughSeq } = entry.row
    if (entry.place === IN_NO_HEAP && log.lastSeq(workspaceId) > readThroughSeq) {
      heapAdd(heapOf(queueOf(entry.row)), entry, dueOrder)
    }
  }

  targets.onChange((before, after) => {
    const { workspaceId, channel } = (after ?? before) as TargetRow
    const own = workspaces.get(workspaceId) ?? new Map<string, TargetEntry>()
    const entry = own.get(channel)
    if (entry !== undefined) heapRemove(heapOf(queueOf(entry.row)), entry, dueOrder)
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
    first(queue) {
      const heap = heapOf(queue)
      for (let entry = heap[0]; entry !== undefined; entry = heap[0]) {
        if (log.lastSeq(entry.row.workspaceId) > entry.row.readThroughSeq) return entry.row
        // The event that put it here was rolled back.
        heapRemove(heap, entry, dueOrder)
      }
      return null
    },
  }
}

/** The target of a claim: a channel of the host, or a type of users' channels with or without failures. */
function queueOf({ type, channel, failing }: Pick<TargetRow, 'type' | 'channel' | 'failing'>): string {
  return type === null ? `host ${channel}` : `${failing ? 'failing' : 'users'} ${type}`
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

/** The targets are for the store of users' channels as well. */
export function createNotificationStore(database: Database): Store & { readonly targets: Table<TargetRow> } {
  const { journal, transactions, log, tables, readOnly } = database
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
    targets,
    setTarget: ({ workspaceId, channel, settings }, call) =>
      write(call, (now) => {
        readOnly.requireWritable(workspaceId)
        const id = targetId(workspaceId, channel)
        if (settings === null) {
          const isKnown = targets.get(id) !== undefined
          if (isKnown) targets.delete(id)
          return isKnown
        }
        database.requireWorkspace(workspaceId)
        const state = targets.get(id) ?? newTarget(log.lastSeq(workspaceId), now)
        targets.set(id, { ...state, workspaceId, channel, settings: Object.freeze({ ...settings }) })
        return true
      }),
    listTargets: ({ workspaceId }, call) =>
      read(call, () =>
        index
          .of(workspaceId)
          .filter(({ type }) => type === null)
          .map(toTarget)
          .sort((a, b) => (a.channel < b.channel ? -1 : 1)),
      ),
    claimNotifications: (request, call) => write(call, (now) => claim(request, now)),
    settleNotifications: ({ workspaceId, channel, claimToken, readThroughSeq, retryInMs, health }, call) =>
      write(call, (now) => {
        const id = targetId(workspaceId, channel)
        const row = targets.get(id)
        if (row === undefined || row.claimToken !== claimToken || row.dueAt <= now) return false
        const failing = health === undefined ? row.failing : health.failures > 0
        const dueAt = now + (retryInMs ?? 0)
        targets.set(id, { ...row, failing, readThroughSeq, dueAt, claimToken: null })
        const userChannel = tables.channels.get(channel)
        if (userChannel !== undefined && health !== undefined) {
          tables.channels.set(channel, withHealth(userChannel, health, now))
        }
        return true
      }),
  }
}

function createClaim(
  { log, tables }: Database,
  targets: Table<TargetRow>,
  index: NotificationTargets,
): (request: Parameters<Store['claimNotifications']>[0], now: Instant) => NotificationClaim {
  let lastToken = 0

  function firstDue(queues: readonly string[]): TargetRow | null {
    let first: TargetRow | null = null
    for (const queue of queues) {
      const row = index.first(queue)
      if (row !== null && (first === null || row.dueAt < first.dueAt)) first = row
    }
    return first
  }

  return ({ channels, users, limit, eventsPerTarget, claimMs }, now) => {
    const queues =
      users === undefined
        ? channels.map((channel) => queueOf({ type: null, channel, failing: false }))
        : users.types.map((type) => queueOf({ type, channel: '', failing: users.failing }))
    const batches: NotificationBatch[] = []
    let row = firstDue(queues)
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
        const userChannel = tables.channels.get(row.channel)
        batches.push({ ...toTarget(row), events, claimToken, ...(userChannel && { userChannel }) })
      }
      row = firstDue(queues)
    }
    return { batches, nextDueInMs: row === null ? null : Math.max(0, row.dueAt - now) }
  }
}

/** The target of a channel that starts at `readThroughSeq`. */
export function newTarget(
  readThroughSeq: number,
  now: Instant,
): Omit<TargetRow, 'workspaceId' | 'channel' | 'settings'> {
  return { readThroughSeq, dueAt: now, claimToken: null, type: null, failing: false }
}

function withHealth(channel: StoredChannel, health: ChannelHealth, now: Instant): StoredChannel {
  const { failures, error, isSent } = health
  return {
    ...channel,
    failures,
    failingSince: failures === 0 ? null : isSent ? now : (channel.failingSince ?? now),
    lastError: error,
    lastDeliveredAt: isSent ? now : channel.lastDeliveredAt,
  }
}

export function targetId(workspaceId: string, channel: string): string {
  return `${workspaceId} ${channel}`
}

function toTarget({ workspaceId, channel, settings }: TargetRow): NotificationTarget {
  return { workspaceId, channel, settings }
}
