import type { Instant, Task } from '@taskboard/core'
import { heapAdd, heapRemove, IN_NO_HEAP, type HeapOrder } from './heap.js'
import type { Table } from './table.js'

/** The leases that are out, by their end. Follows the tasks' table. */
export interface LeaseIndex {
  /** The task whose lease ends first. */
  first(): { readonly taskId: string; readonly expiresAt: Instant } | null
  /** How many tasks an agent has under lease. */
  heldBy(agentId: string): number
}

interface LeaseEntry {
  readonly taskId: string
  readonly expiresAt: Instant
  place: number
}

export function createLeaseIndex(tasks: Table<Task>): LeaseIndex {
  const heap: LeaseEntry[] = []
  const entries = new Map<string, LeaseEntry>()
  const held = new Map<string, number>()

  function count(agentId: string, change: number): void {
    const now = (held.get(agentId) ?? 0) + change
    if (now === 0) held.delete(agentId)
    else held.set(agentId, now)
  }

  tasks.onChange((before, after) => {
    if (before?.lease === after?.lease) return
    if (before?.lease != null) {
      const entry = entries.get(before.id)
      if (entry !== undefined) heapRemove(heap, entry, expiryOrder)
      entries.delete(before.id)
      count(before.lease.agentId, -1)
    }
    if (after?.lease != null) {
      const entry = { taskId: after.id, expiresAt: after.lease.expiresAt, place: IN_NO_HEAP }
      entries.set(after.id, entry)
      heapAdd(heap, entry, expiryOrder)
      count(after.lease.agentId, 1)
    }
  })

  return {
    first: () => heap[0] ?? null,
    heldBy: (agentId) => held.get(agentId) ?? 0,
  }
}

const expiryOrder: HeapOrder<LeaseEntry> = {
  comesBefore: (a, b) => (a.expiresAt === b.expiresAt ? a.taskId < b.taskId : a.expiresAt < b.expiresAt),
  placeOf: (entry) => entry.place,
  setPlace(entry, place) {
    entry.place = place
  },
}
