import type { Instant, Scoring } from '@taskboard/core'
import { createPool, createTaskHeap, enterPool, entriesOf, leavePool } from './pool.js'
import type { Pool, TaskSlots } from './task-slots.js'

/** The place of each task in its pool, kept current over time. */
export interface Placements {
  /** The pool of an agent's own tasks, or (null) of the workspace's for anyone. */
  poolOf(workspaceId: string, agentId: string | null): Pool
  enter(row: TaskSlots): void
  leave(row: TaskSlots): void
  /** Updates each placement that has ended by `now`. Each task causes that a few times in its life. */
  settle(now: Instant): void
  /** Sets aside a head that waits again because the clock stepped back. The caller then searches again. */
  putAside(row: TaskSlots, now: Instant): boolean
  /** Places all tasks again after the scoring has changed. */
  replaceAll(): void
}

/** Calls `onChange` with each pool that gained or lost a task. */
export function createPlacements(scoring: () => Scoring, onChange: (pool: Pool) => void): Placements {
  const pools = new Map<string, Pool>()
  const ending = createTaskHeap()

  function poolOf(workspaceId: string, agentId: string | null): Pool {
    const id = agentId ?? workspaceId
    let pool = pools.get(id)
    if (pool === undefined) pools.set(id, (pool = createPool(workspaceId, agentId)))
    return pool
  }

  function place(row: TaskSlots, pool: Pool, now: Instant): void {
    const endsAt = enterPool(row, pool, now, scoring())
    row.endsWithTime = endsAt !== Infinity
    if (row.endsWithTime) ending.add(row, endsAt)
    onChange(pool)
  }

  function unplace(row: TaskSlots, pool: Pool): void {
    row.ticket += 1
    leavePool(row, pool)
    if (row.endsWithTime) ending.noteStale()
  }

  function replace(row: TaskSlots, now: Instant): void {
    if (row.pool === null) return
    unplace(row, row.pool)
    place(row, row.pool, now)
  }

  return {
    poolOf,
    enter(row) {
      const { workspaceId, assignedTo, updatedAt } = row.value
      // The next `settle` catches up with what time has changed since.
      place(row, poolOf(workspaceId, assignedTo), updatedAt)
    },
    leave(row) {
      const { pool } = row
      if (pool === null) return
      unplace(row, pool)
      row.pool = null
      onChange(pool)
    },
    settle(now) {
      while (ending.firstKey() <= now) replace(ending.first() as TaskSlots, now)
    },
    putAside(row, now) {
      const { notBefore } = row.value
      if (notBefore === null || notBefore <= now) return false
      replace(row, now)
      return true
    },
    replaceAll() {
      for (const pool of pools.values()) {
        for (const row of entriesOf(pool)) replace(row, row.value.updatedAt)
      }
    },
  }
}
