import type { Instant, Scoring } from '@taskboard/core'
import { compareTied, laneSlope, lanes, placeTask, type Lane } from '@taskboard/core/storage'
import { createLazyHeap } from '../../tables/lazy-heap.js'
import type { Pool, TaskHeap, TaskSlots } from '../../tables/task-slots.js'

export function createPool(workspaceId: string, agentId: string | null, type: string | null): Pool {
  return { workspaceId, agentId, type, lanes: [null, null, null, null, null, null], delayed: null }
}

/** Tasks by a key, the lowest first; of equals, the one that goes first when scores are equal. */
export function createTaskHeap(): TaskHeap {
  return createLazyHeap<TaskSlots>(goesFirst)
}

/** Puts a task where it belongs at `now`. Returns when that ends: `Infinity` when it stays. */
export function enterPool(row: TaskSlots, pool: Pool, now: Instant, scoring: Scoring): Instant {
  const task = row.value
  row.pool = pool
  if (task.notBefore !== null && task.notBefore > now) {
    row.lane = null
    pool.delayed ??= createTaskHeap()
    pool.delayed.add(row, task.notBefore)
    return task.notBefore
  }
  const { lane, key, laneUntil } = placeTask(task, now, scoring)
  row.lane = lane
  const heap = (pool.lanes[lane] ??= createTaskHeap())
  heap.add(row, -key)
  return laneUntil
}

/** Takes a task out whose ticket has changed. */
export function leavePool({ lane }: TaskSlots, pool: Pool): void {
  const heap = lane === null ? pool.delayed : pool.lanes[lane]
  heap?.markStale()
}

/** A copy of all entries, in no order. */
export function entriesOf({ lanes: byLane, delayed }: Pool): readonly TaskSlots[] {
  return [...lanes.map((lane) => byLane[lane]), delayed].flatMap((heap) => heap?.entries() ?? [])
}

export function hasReady(pool: Pool): boolean {
  for (const lane of lanes) if (isFilled(pool.lanes[lane])) return true
  return false
}

/** When the first wait in the pool ends; `Infinity` when none is in progress. */
export function firstDelayEnd({ delayed }: Pool): Instant {
  return delayed === null ? Infinity : delayed.firstKey()
}

/** The better of `best` and the pool's heads at `now`. */
export function betterHead(
  best: TaskSlots | null,
  pool: Pool,
  now: Instant,
  scoring: Scoring,
): TaskSlots | null {
  let winner = best
  let winnerUnits = best === null ? 0 : unitsAt(best, now, scoring)
  for (const lane of lanes) {
    const heap = pool.lanes[lane]
    const head = heap?.first()
    if (heap == null || head === undefined) continue
    const units = laneUnits(lane, heap.firstKey(), now, scoring)
    if (winner !== null && (units < winnerUnits || (units === winnerUnits && !goesFirst(head, winner))))
      continue
    winner = head
    winnerUnits = units
  }
  return winner
}

/** What the head of a lane scores at `now`. */
function unitsAt({ pool, lane }: TaskSlots, now: Instant, scoring: Scoring): number {
  const heap = pool !== null && lane !== null ? pool.lanes[lane] : null
  return heap === null || lane === null ? 0 : laneUnits(lane, heap.firstKey(), now, scoring)
}

/** How many tasks of its pool come before a task at `now`, as they are placed; at most `most`. */
export function countAhead(row: TaskSlots, now: Instant, scoring: Scoring, most: number): number {
  const { pool, lane: own, value } = row
  if (pool === null || own === null) return 0
  const placed = placeTask(value, now, scoring)
  const units = placed.key + laneSlope(placed.lane, scoring) * now
  let count = 0
  for (const lane of lanes) {
    const bound = laneSlope(lane, scoring) * now - units
    count += pool.lanes[lane]?.countBefore(row, bound, most - count) ?? 0
  }
  return count
}

function laneUnits(lane: Lane, lowestKey: number, now: Instant, scoring: Scoring): number {
  return laneSlope(lane, scoring) * now - lowestKey
}

function isFilled(heap: TaskHeap | null): boolean {
  return heap !== null && heap.size > 0
}

function goesFirst({ value: a }: TaskSlots, { value: b }: TaskSlots): boolean {
  return compareTied(a, b) < 0
}
