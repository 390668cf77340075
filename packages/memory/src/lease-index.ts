import type { Instant } from '@taskboard/core'
import { createLeaseHeap } from './lease-heap.js'
import type { TaskTable } from './task-slots.js'

/** The current leases, by their end. Follows the tasks' table. */
export interface LeaseIndex {
  /** The task whose lease ends first. */
  first(): { readonly taskId: string; readonly expiresAt: Instant } | null
  /** How many tasks an agent has under lease. */
  heldBy(agentId: string): number
}

export function createLeaseIndex(tasks: TaskTable): LeaseIndex {
  const heap = createLeaseHeap()
  const held = new Map<string, number>()

  function count(agentId: string, change: number): void {
    const now = (held.get(agentId) ?? 0) + change
    if (now === 0) held.delete(agentId)
    else held.set(agentId, now)
  }

  tasks.onChange((before, after, row) => {
    if (before?.lease === after?.lease) return
    if (before?.lease != null) {
      heap.remove(row)
      count(before.lease.agentId, -1)
    }
    if (after?.lease != null) {
      heap.add(row, after.lease.expiresAt)
      count(after.lease.agentId, 1)
    }
  })

  return {
    first() {
      const task = heap.first()?.value
      return task?.lease == null ? null : { taskId: task.id, expiresAt: task.lease.expiresAt }
    },
    heldBy: (agentId) => held.get(agentId) ?? 0,
  }
}
