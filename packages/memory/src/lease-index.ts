import type { Instant } from '@taskboard/core'
import { heapAdd, heapRemove, IN_NO_HEAP, type HeapOrder } from './heap.js'
import type { LeaseEntry, TaskTable } from './task-slots.js'

/** The leases that are out, by their end. Follows the tasks' table. */
export interface LeaseIndex {
  /** The task whose lease ends first. */
  first(): { readonly taskId: string; readonly expiresAt: Instant } | null
  /** How many tasks an agent has under lease. */
  heldBy(agentId: string): number
}

export function createLeaseIndex(tasks: TaskTable): LeaseIndex {
  const heap: LeaseEntry[] = []
  const held = new Map<string, number>()

  function count(agentId: string, change: number): void {
    const now = (held.get(agentId) ?? 0) + change
    if (now === 0) held.delete(agentId)
    else held.set(agentId, now)
  }

  tasks.onChange((before, after, slots) => {
    if (before?.lease === after?.lease) return
    if (before?.lease != null) {
      if (slots.leased !== null) heapRemove(heap, slots.leased, expiryOrder)
      slots.leased = null
      count(before.lease.agentId, -1)
    }
    if (after?.lease != null) {
      const entry = { taskId: after.id, expiresAt: after.lease.expiresAt, place: IN_NO_HEAP }
      slots.leased = entry
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
