import type { Instant, Task } from '@taskboard/core'
import type { QueueEntry } from './pool.js'
import type { Table } from './table.js'

export interface LeaseEntry {
  readonly taskId: string
  readonly expiresAt: Instant
  place: number
}

/** Where the indexes have put a task. */
export interface TaskSlots {
  /** Its place in its column. */
  place: number
  /** Its entry among those that agents may take. */
  queued: QueueEntry | null
  /** Its entry among the leases. */
  leased: LeaseEntry | null
}

export type TaskTable = Table<Task, TaskSlots>

export function createTaskSlots(): TaskSlots {
  return { place: -1, queued: null, leased: null }
}
