import type { Instant } from '@taskboard/core'
import { heapAdd, heapRemove, type HeapOrder } from './heap.js'
import type { TaskSlots, TaskTable } from './task-slots.js'

/** The leases that are out, by their end. Follows the tasks' table. */
export interface LeaseIndex {
  /** The task whose lease ends first. */
  first(): { readonly taskId: string; readonly expiresAt: Instant } | null
  /** How many tasks an agent has under lease. */
  heldBy(agentId: string): number
}

export function createLeaseIndex(tasks: TaskTable): LeaseIndex {
  const heap: TaskSlots[] = []
  const held = new Map<string, number>()

  function count(agentId: string, change: number): void {
    const now = (held.get(agentId) ?? 0) + change
    if (now === 0) held.delete(agentId)
    else held.set(agentId, now)
  }

  tasks.onChange((before, after, row) => {
    if (before?.lease === after?.lease) return
    if (before?.lease != null) {
      heapRemove(heap, row, expiryOrder)
      count(before.lease.agentId, -1)
    }
    if (after?.lease != null) {
      heapAdd(heap, row, expiryOrder)
      count(after.lease.agentId, 1)
    }
  })

  return {
    first() {
      const row = heap[0]
      return row === undefined ? null : { taskId: row.value.id, expiresAt: expiryOf(row) }
    },
    heldBy: (agentId) => held.get(agentId) ?? 0,
  }
}

function expiryOf(row: TaskSlots): Instant {
  return row.value.lease?.expiresAt ?? Infinity
}

const expiryOrder: HeapOrder<TaskSlots> = {
  comesBefore(a, b) {
    const [endA, endB] = [expiryOf(a), expiryOf(b)]
    return endA === endB ? a.value.id < b.value.id : endA < endB
  },
  placeOf: (row) => row.leasePlace,
  setPlace(row, place) {
    row.leasePlace = place
  },
}
