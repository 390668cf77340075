import type { Instant } from '@taskboard/core'
import { IN_NO_HEAP } from '../../tables/heap.js'
import type { TaskSlots, TaskTable } from '../../tables/task-slots.js'

/**
 * Leases by their end, then by the task's id. The ends are side by side in memory, so a new lease, which mostly ends last, is compared
 * without reading other tasks. Each row knows its place.
 */
interface LeaseHeap {
  /** The row whose lease expires first. */
  first(): TaskSlots | undefined
  add(row: TaskSlots, end: Instant): void
  /** Removes a row; ignores one that isn't here. */
  remove(row: TaskSlots): void
}

export function createLeaseHeap(): LeaseHeap {
  return new ArrayHeap()
}

class ArrayHeap implements LeaseHeap {
  private readonly ends: Instant[] = []
  private readonly rows: TaskSlots[] = []

  first(): TaskSlots | undefined {
    return this.rows[0]
  }

  add(row: TaskSlots, end: Instant): void {
    this.ends.push(end)
    this.rows.push(row)
    this.moveUp(this.rows.length - 1, row, end)
  }

  remove(row: TaskSlots): void {
    const place = row.leasePlace
    if (place < 0) return
    row.leasePlace = IN_NO_HEAP
    const last = this.rows.pop() as TaskSlots
    const end = this.ends.pop() as Instant
    if (last === row) return
    const parent = (place - 1) >> 1
    if (place > 0 && this.isBefore(end, last, parent)) this.moveUp(place, last, end)
    else this.moveDown(place, last, end)
  }

  private isBefore(end: Instant, row: TaskSlots, place: number): boolean {
    const other = this.ends[place] as Instant
    return end === other ? row.value.id < (this.rows[place] as TaskSlots).value.id : end < other
  }

  private put(place: number, row: TaskSlots, end: Instant): void {
    this.ends[place] = end
    this.rows[place] = row
    row.leasePlace = place
  }

  private moveUp(from: number, row: TaskSlots, end: Instant): void {
    let place = from
    while (place > 0) {
      const parent = (place - 1) >> 1
      if (!this.isBefore(end, row, parent)) break
      this.put(place, this.rows[parent] as TaskSlots, this.ends[parent] as Instant)
      place = parent
    }
    this.put(place, row, end)
  }

  private moveDown(from: number, row: TaskSlots, end: Instant): void {
    const { ends, rows } = this
    let place = from
    for (let child = 2 * place + 1; child < rows.length; child = 2 * place + 1) {
      const right = child + 1
      if (right < rows.length && this.isBefore(ends[right] as Instant, rows[right] as TaskSlots, child))
        child = right
      if (this.isBefore(end, row, child)) break
      this.put(place, rows[child] as TaskSlots, ends[child] as Instant)
      place = child
    }
    this.put(place, row, end)
  }
}

/** The current leases, by their end. Follows the tasks' table. */
export interface LeaseIndex {
  /** The task whose lease expires first. */
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
