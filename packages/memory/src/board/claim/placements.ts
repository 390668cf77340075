import type { Instant, Scoring, Task } from '@taskboard/core'
import { createPool, createTaskHeap, enterPool, entriesOf, leavePool } from './pool.js'
import { routeOf, type Routes } from './routes.js'
import type { Pool, TaskSlots } from '../../tables/task-slots.js'

/** The place of each task in its pool, kept current over time. */
export interface Placements {
  /** The pool of an agent's own tasks. */
  ownPool(agentId: string, workspaceId: string): Pool
  /** The pool for the agents of a type; null for any agent of the workspace. */
  sharedPool(workspaceId: string, type: string | null): Pool
  /** Moves a task to another pool when its route has turned. */
  route(row: TaskSlots): boolean
  enter(row: TaskSlots): void
  leave(row: TaskSlots): void
  /** Updates each placement that is over by `now`. Each task causes that a few times in its life. */
  settle(now: Instant): void
  /** Sets aside a head that waits again because the clock stepped back. The caller then searches again. */
  putAside(row: TaskSlots, now: Instant): boolean
  /** Places all tasks again after the scoring has changed. */
  replaceAll(): void
}

/** Calls `onChange` with each pool that gained or lost a task. */
export function createPlacements(
  scoring: () => Scoring,
  routes: Routes,
  onChange: (pool: Pool) => void,
): Placements {
  const { pools, ownPool, sharedPool } = createPools()
  const ending = createTaskHeap()

  function poolFor({ workspaceId, assignedTo, type }: Task): Pool {
    if (assignedTo !== null) return ownPool(assignedTo, workspaceId)
    return sharedPool(workspaceId, type !== null && routes.isServed(workspaceId, type) ? type : null)
  }

  function enter(row: TaskSlots): void {
    // The next `settle` catches up with what time has changed since.
    place(row, poolFor(row.value), row.value.updatedAt)
  }

  function leave(row: TaskSlots): void {
    const { pool } = row
    if (pool === null) return
    unplace(row, pool)
    row.pool = null
    onChange(pool)
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
    if (row.endsWithTime) ending.markStale()
  }

  function replace(row: TaskSlots, now: Instant): void {
    if (row.pool === null) return
    unplace(row, row.pool)
    place(row, row.pool, now)
  }

  return {
    ownPool,
    sharedPool,
    enter,
    leave,
    route(row) {
      if (row.pool === null || row.pool === poolFor(row.value)) return false
      leave(row)
      enter(row)
      return true
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

function createPools() {
  const pools = new Map<string, Pool>()

  function poolAt(key: string, workspaceId: string, agentId: string | null, type: string | null): Pool {
    let pool = pools.get(key)
    if (pool === undefined) pools.set(key, (pool = createPool(workspaceId, agentId, type)))
    return pool
  }

  return {
    pools,
    ownPool: (agentId: string, workspaceId: string): Pool => poolAt(agentId, workspaceId, agentId, null),
    sharedPool: (workspaceId: string, type: string | null): Pool =>
      poolAt(type === null ? workspaceId : routeOf(workspaceId, type), workspaceId, null, type),
  }
}
