import {
  laneSlope,
  lanes,
  placeTask,
  type Instant,
  type Lane,
  type Scoring,
  type Task,
} from '@taskboard/core'
import { heapAdd, heapRemove, IN_NO_HEAP, type HeapOrder } from './heap.js'

/** A task that an agent may take, now or once a wait is over. */
export interface QueueEntry {
  task: Task
  readonly pool: Pool
  /** Whether it still waits for its `notBefore`; then it is in no lane. */
  delayed: boolean
  lane: Lane
  key: number
  /** Where it is in its lane's heap, or in the pool's heap of delayed ones. */
  place: number
  /** From when on this placement is not right any more; `Infinity` when it stays. */
  wakeAt: Instant
  wakePlace: number
}

/** The tasks of one workspace that are for one agent only, or (`agentId` null) for anyone. */
export interface Pool {
  readonly workspaceId: string
  readonly agentId: string | null
  /** By `Lane`: the best key first. */
  readonly lanes: readonly [QueueEntry[], QueueEntry[], QueueEntry[], QueueEntry[]]
  /** By the end of the wait. */
  readonly delayed: QueueEntry[]
}

export function createPool(workspaceId: string, agentId: string | null): Pool {
  return { workspaceId, agentId, lanes: [[], [], [], []], delayed: [] }
}

export function createEntry(task: Task, pool: Pool): QueueEntry {
  return {
    task,
    pool,
    delayed: false,
    lane: 0,
    key: 0,
    place: IN_NO_HEAP,
    wakeAt: Infinity,
    wakePlace: IN_NO_HEAP,
  }
}

/** Puts an entry that is in no heap of its pool where it belongs at `now`, and sets when that ends. */
export function enterPool(entry: QueueEntry, now: Instant, scoring: Scoring): void {
  const { task, pool } = entry
  entry.delayed = task.notBefore !== null && task.notBefore > now
  if (entry.delayed) {
    entry.wakeAt = task.notBefore ?? Infinity
    heapAdd(pool.delayed, entry, delayedOrder)
    return
  }
  const { lane, key, laneUntil } = placeTask(task, now, scoring)
  entry.lane = lane
  entry.key = key
  entry.wakeAt = laneUntil
  heapAdd(pool.lanes[lane], entry, laneOrder)
}

export function leavePool(entry: QueueEntry): void {
  if (entry.delayed) heapRemove(entry.pool.delayed, entry, delayedOrder)
  else heapRemove(entry.pool.lanes[entry.lane], entry, laneOrder)
}

/** A copy of all entries, in no order. */
export function entriesOf({ lanes: byLane, delayed }: Pool): readonly QueueEntry[] {
  return [...byLane.flat(), ...delayed]
}

export function hasReady({ lanes: [flat, ageing, nearing, both] }: Pool): boolean {
  return flat.length > 0 || ageing.length > 0 || nearing.length > 0 || both.length > 0
}

/** When the first wait in the pool ends; `Infinity` when none is under way. */
export function firstDelayEnd(pool: Pool): Instant {
  return pool.delayed[0]?.wakeAt ?? Infinity
}

/** The better of `best` and the pool's heads at `now`. */
export function betterHead(
  best: QueueEntry | null,
  pool: Pool,
  now: Instant,
  scoring: Scoring,
): QueueEntry | null {
  let winner = best
  for (const lane of lanes) {
    const head = pool.lanes[lane][0]
    if (head !== undefined && (winner === null || isPickedBefore(head, winner, now, scoring))) winner = head
  }
  return winner
}

function isPickedBefore(a: QueueEntry, b: QueueEntry, now: Instant, scoring: Scoring): boolean {
  const difference = unitsAt(a, now, scoring) - unitsAt(b, now, scoring)
  return difference === 0 ? isOlder(a.task, b.task) : difference > 0
}

function unitsAt(entry: QueueEntry, now: Instant, scoring: Scoring): number {
  return entry.key + laneSlope(entry.lane, scoring) * now
}

function isOlder(a: Task, b: Task): boolean {
  return a.createdAt === b.createdAt ? a.id < b.id : a.createdAt < b.createdAt
}

const laneOrder: HeapOrder<QueueEntry> = {
  comesBefore: (a, b) => (a.key === b.key ? isOlder(a.task, b.task) : a.key > b.key),
  placeOf: (entry) => entry.place,
  setPlace(entry, place) {
    entry.place = place
  },
}

const delayedOrder: HeapOrder<QueueEntry> = {
  ...laneOrder,
  comesBefore: (a, b) => a.wakeAt < b.wakeAt,
}

/** All entries of a storage by the end of their placement. */
export const wakeOrder: HeapOrder<QueueEntry> = {
  comesBefore: (a, b) => a.wakeAt < b.wakeAt,
  placeOf: (entry) => entry.wakePlace,
  setPlace(entry, place) {
    entry.wakePlace = place
  },
}
