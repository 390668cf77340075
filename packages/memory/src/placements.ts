import type { Instant, Scoring, Task } from '@taskboard/core'
import { heapAdd, heapRemove } from './heap.js'
import {
  createEntry,
  createPool,
  enterPool,
  entriesOf,
  leavePool,
  wakeOrder,
  type Pool,
  type QueueEntry,
} from './pool.js'

/** Which task is in which pool and where, kept right as time goes on. */
export interface Placements {
  /** The pool of an agent's own tasks, or (null) of the workspace's for anyone. */
  poolOf(workspaceId: string, agentId: string | null): Pool
  enter(task: Task): QueueEntry
  leave(entry: QueueEntry): void
  /** Brings every placement that has ended by `now` up to date. Each task causes that a few times in its life. */
  settle(now: Instant): void
  /** Puts a head aside that waits again because the clock stepped back; then the caller looks anew. */
  putAside(entry: QueueEntry, now: Instant): boolean
  /** Places everything anew, after the scoring has changed. */
  replaceAll(): void
}

/** `onChange` is told of each pool that something came into or left. */
export function createPlacements(scoring: () => Scoring, onChange: (pool: Pool) => void): Placements {
  const pools = new Map<string, Pool>()
  const wakes: QueueEntry[] = []

  function poolOf(workspaceId: string, agentId: string | null): Pool {
    const id = agentId ?? workspaceId
    let pool = pools.get(id)
    if (pool === undefined) pools.set(id, (pool = createPool(workspaceId, agentId)))
    return pool
  }

  function place(entry: QueueEntry, now: Instant): void {
    enterPool(entry, now, scoring())
    if (entry.wakeAt !== Infinity) heapAdd(wakes, entry, wakeOrder)
    onChange(entry.pool)
  }

  function unplace(entry: QueueEntry): void {
    leavePool(entry)
    heapRemove(wakes, entry, wakeOrder)
  }

  function replace(entry: QueueEntry, now: Instant): void {
    unplace(entry)
    place(entry, now)
  }

  return {
    poolOf,
    enter(task) {
      const entry = createEntry(task, poolOf(task.workspaceId, task.assignedTo))
      // What time has changed since then, the next `settle` makes up for.
      place(entry, task.updatedAt)
      return entry
    },
    leave(entry) {
      unplace(entry)
      onChange(entry.pool)
    },
    settle(now) {
      for (let entry = wakes[0]; entry !== undefined && entry.wakeAt <= now; entry = wakes[0]) {
        replace(entry, now)
      }
    },
    putAside(entry, now) {
      if (entry.task.notBefore === null || entry.task.notBefore <= now) return false
      replace(entry, now)
      return true
    },
    replaceAll() {
      for (const pool of pools.values()) {
        for (const entry of entriesOf(pool)) replace(entry, entry.task.updatedAt)
      }
    },
  }
}
