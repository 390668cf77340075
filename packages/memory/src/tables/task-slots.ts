import type { Attempt, Task } from '@taskboard/core'
import type { Lane } from '@taskboard/core/storage'
import { IN_NO_HEAP } from './heap.js'
import type { LazyHeap } from './lazy-heap.js'
import type { Row, Table } from './table.js'

/** The tasks of one workspace that are for one agent only, for the agents of one type, or (both null) for any. */
export interface Pool {
  readonly workspaceId: string
  readonly agentId: string | null
  readonly type: string | null
  /** By `Lane`: the best key first. Null before the first task. */
  readonly lanes: Record<Lane, TaskHeap | null>
  /** Those that still wait for their `notBefore`, by the end of the wait. */
  delayed: TaskHeap | null
}

export type TaskHeap = LazyHeap<TaskSlots>

/** A task with its places in the indexes, in one object, because there is one for each task. */
export interface TaskSlots extends Row<Task> {
  /** Its place in its column. */
  place: number
  /** Where it is among those that agents may take; null when it isn't. */
  pool: Pool | null
  /** Its lane in the pool; null while it waits for its `notBefore`. */
  lane: Lane | null
  /** Whether its placement ends with time, and not only with a change of the task. */
  endsWithTime: boolean
  /** Counts its placements. */
  ticket: number
  /** Its place among the leases. */
  leasePlace: number
  /** The slots whose lease is over. */
  attempts: readonly Attempt[]
}

export type TaskTable = Table<Task, TaskSlots>

const NO_ATTEMPTS: readonly Attempt[] = Object.freeze([])

export function createTaskSlots(value: Task): TaskSlots {
  return {
    value,
    place: -1,
    pool: null,
    lane: null,
    endsWithTime: false,
    ticket: 0,
    leasePlace: IN_NO_HEAP,
    attempts: NO_ATTEMPTS,
  }
}
