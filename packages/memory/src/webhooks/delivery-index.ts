import type { Instant } from '@taskboard/core'
import { dueAt, type DeliveryRow } from '../tables/deliveries.js'
import { heapAdd, heapRemove, heapUpdate, IN_NO_HEAP, type HeapOrder } from '../tables/heap.js'
import type { Table } from '../tables/table.js'

/** Pending deliveries by webhook and by when they fall due. Follows the deliveries' table. */
export interface DeliveryIndex {
  /** The webhook whose next delivery falls due first. */
  firstQueue(): WebhookQueue | null
  /** Takes a webhook out of the order for a while, then back. */
  setAside(queue: WebhookQueue): void
  putBack(queue: WebhookQueue): void
  /** Takes a delivery out for a while, then back. */
  withhold(row: DeliveryRow): void
  restore(row: DeliveryRow): void
  /** Finished deliveries, the one that was created first in front. */
  firstFinished(): DeliveryRow | null
}

/** The pending deliveries of one webhook. */
export interface WebhookQueue {
  readonly webhookId: string
  readonly accountId: string
  readonly heap: DeliveryEntry[]
  place: number
  isAside: boolean
  /** The number of the claim that took from it last. */
  servedAt: number
}

export interface DeliveryEntry {
  readonly row: DeliveryRow
  /** Pending: when it falls due. Finished: when it was created. */
  readonly at: Instant
  place: number
}

export function createDeliveryIndex(
  deliveries: Table<DeliveryRow>,
  accountOf: (workspaceId: string) => string,
): DeliveryIndex {
  const entries = new Map<string, DeliveryEntry>()
  const finished: DeliveryEntry[] = []
  const queues = new Map<string, WebhookQueue>()
  const order: WebhookQueue[] = []

  function queueOf({ delivery: { webhookId, workspaceId } }: DeliveryRow): WebhookQueue {
    let queue = queues.get(webhookId)
    if (queue === undefined) {
      const accountId = accountOf(workspaceId)
      queue = { webhookId, accountId, heap: [], place: IN_NO_HEAP, isAside: false, servedAt: 0 }
      queues.set(webhookId, queue)
    }
    return queue
  }

  function queueChanged(queue: WebhookQueue): void {
    if (queue.isAside) return
    if (queue.heap.length === 0) {
      heapRemove(order, queue, queueOrder)
      queues.delete(queue.webhookId)
    } else if (queue.place === IN_NO_HEAP) heapAdd(order, queue, queueOrder)
    else heapUpdate(order, queue, queueOrder)
  }

  function add(row: DeliveryRow): void {
    const due = dueAt(row)
    const entry = { row, at: due ?? row.delivery.createdAt, place: IN_NO_HEAP }
    entries.set(row.delivery.id, entry)
    if (due === null) return heapAdd(finished, entry, entryOrder)
    const queue = queueOf(row)
    heapAdd(queue.heap, entry, entryOrder)
    queueChanged(queue)
  }

  function remove(row: DeliveryRow): void {
    const entry = entries.get(row.delivery.id)
    if (entry === undefined) return
    entries.delete(row.delivery.id)
    if (dueAt(row) === null) return heapRemove(finished, entry, entryOrder)
    const queue = queueOf(row)
    // The queue stands in the order by its first entry: it leaves before that one does.
    heapRemove(order, queue, queueOrder)
    heapRemove(queue.heap, entry, entryOrder)
    queueChanged(queue)
  }

  deliveries.onChange((before, after) => {
    if (before !== undefined) remove(before)
    if (after !== undefined) add(after)
  })

  return {
    firstQueue: () => order[0] ?? null,
    setAside(queue) {
      heapRemove(order, queue, queueOrder)
      queue.isAside = true
    },
    putBack(queue) {
      queue.isAside = false
      queueChanged(queue)
    },
    withhold: remove,
    restore: add,
    firstFinished: () => finished[0]?.row ?? null,
  }
}

const entryOrder: HeapOrder<DeliveryEntry> = {
  comesBefore: (a, b) => (a.at === b.at ? a.row.delivery.id < b.row.delivery.id : a.at < b.at),
  placeOf: (entry) => entry.place,
  setPlace(entry, place) {
    entry.place = place
  },
}

const queueOrder: HeapOrder<WebhookQueue> = {
  comesBefore: (a, b) => entryOrder.comesBefore(a.heap[0] as DeliveryEntry, b.heap[0] as DeliveryEntry),
  placeOf: (queue) => queue.place,
  setPlace(queue, place) {
    queue.place = place
  },
}
