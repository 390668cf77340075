import type { Agent, Instant } from '@taskboard/core'
import { heapAdd, type HeapOrder, heapRemove, heapUpdate, IN_NO_HEAP } from './heap.js'
import { firstDelayEnd, hasReady } from './pool.js'
import type { Pool } from './task-slots.js'

/** A workspace as agents of one type see it. */
export interface WorkspaceQueue {
  readonly workspaceId: string
  readonly agentType: string
  /** When it was last served, on the storage's count of turns; 0 for never. */
  turn: number
  /** The agents of the type, oldest first. */
  readonly agentIds: string[]
  /** The pools that such an agent may take from and that have something to take. */
  readonly ready: Set<Pool>
  /** Its place among the queues of its type that have something to take. */
  place: number
}

/** A pool as agents of one type see it: a place in the heap of waits that end. */
interface QueuedPool {
  readonly queue: WorkspaceQueue
  waitsUntil: Instant
  place: number
}

interface TypeQueues {
  readonly queues: Map<string, WorkspaceQueue>
  /** Those with something to take, the least recently served first. */
  readonly active: WorkspaceQueue[]
  readonly waiting: QueuedPool[]
}

/** An agent as the runtime for `type` sees it, which may be the one for any type. */
export type QueuedAgent = Pick<Agent, 'id' | 'type' | 'workspaceId'>

export interface AgentPools {
  readonly own: Pool
  readonly shared: Pool
}

/** Which workspaces have work for which agent types, and whose turn it is. */
export interface RoundRobin {
  /** Follows the agents' table. */
  addAgent(agent: QueuedAgent, pools: AgentPools): void
  removeAgent(agent: QueuedAgent, pools: AgentPools): void
  /** Call it when the pool gained or lost a task. */
  readonly poolChanged: (pool: Pool) => void
  /** The workspace whose turn it is; null when none has anything for the type. */
  next(agentType: string): WorkspaceQueue | null
  /** Sets when a workspace was last served, and returns what that was. */
  setTurn(agentType: string, workspaceId: string, turn: number): number
  /** When the next wait ends that keeps something from agents of the type; `Infinity` when there is none. */
  nextWaitEnd(agentType: string): Instant
}

export function createRoundRobin(): RoundRobin {
  const types = new Map<string, TypeQueues>()
  const queuedPools = new Map<Pool, QueuedPool[]>()

  const typeQueue = (agentType: string): TypeQueues => queueOf(types, agentType)

  function addPool(pool: Pool, queue: WorkspaceQueue): void {
    const own = queuedPools.get(pool)
    const queued = { queue, waitsUntil: Infinity, place: IN_NO_HEAP }
    if (own === undefined) queuedPools.set(pool, [queued])
    else own.push(queued)
    refresh(pool, queued)
  }

  function removePool(pool: Pool, queue: WorkspaceQueue): void {
    const own = queuedPools.get(pool) ?? []
    const index = own.findIndex((queued) => queued.queue === queue)
    const [queued] = index < 0 ? [] : own.splice(index, 1)
    if (queued !== undefined) heapRemove(typeQueue(queue.agentType).waiting, queued, waitOrder)
    setReady(typeQueue(queue.agentType).active, queue, pool, false)
  }

  function refresh(pool: Pool, queued: QueuedPool): void {
    const { active, waiting } = typeQueue(queued.queue.agentType)
    setReady(active, queued.queue, pool, hasReady(pool))
    setWait(waiting, queued, firstDelayEnd(pool))
  }

  return {
    addAgent({ id, type, workspaceId }, { own, shared }) {
      const { queues } = typeQueue(type)
      let queue = queues.get(workspaceId)
      if (queue === undefined) {
        queue = newWorkspaceQueue(workspaceId, type)
        queues.set(workspaceId, queue)
        addPool(shared, queue)
      }
      queue.agentIds.push(id)
      queue.agentIds.sort()
      addPool(own, queue)
    },
    removeAgent({ id, type, workspaceId }, { own, shared }) {
      const { queues } = typeQueue(type)
      const queue = queues.get(workspaceId)
      if (queue === undefined) return
      queue.agentIds.splice(queue.agentIds.indexOf(id), 1)
      removePool(own, queue)
      if (queue.agentIds.length > 0) return
      removePool(shared, queue)
      queues.delete(workspaceId)
    },
    poolChanged(pool) {
      for (const queued of queuedPools.get(pool) ?? []) refresh(pool, queued)
    },
    next: (agentType) => types.get(agentType)?.active[0] ?? null,
    setTurn(agentType, workspaceId, turn) {
      const ofType = typeQueue(agentType)
      const queue = ofType.queues.get(workspaceId)
      if (queue === undefined) return 0
      const before = queue.turn
      queue.turn = turn
      if (queue.place !== IN_NO_HEAP) heapUpdate(ofType.active, queue, turnOrder)
      return before
    },
    nextWaitEnd: (agentType) => types.get(agentType)?.waiting[0]?.waitsUntil ?? Infinity,
  }
}

function queueOf(types: Map<string, TypeQueues>, agentType: string): TypeQueues {
  let queue = types.get(agentType)
  if (queue === undefined) {
    queue = { queues: new Map(), active: [], waiting: [] }
    types.set(agentType, queue)
  }
  return queue
}

function setReady(active: WorkspaceQueue[], queue: WorkspaceQueue, pool: Pool, ready: boolean): void {
  if (queue.ready.has(pool) === ready) return
  if (ready) {
    if (queue.ready.add(pool).size === 1) heapAdd(active, queue, turnOrder)
  } else {
    queue.ready.delete(pool)
    if (queue.ready.size === 0) heapRemove(active, queue, turnOrder)
  }
}

function setWait(waiting: QueuedPool[], queued: QueuedPool, waitsUntil: Instant): void {
  if (waitsUntil === queued.waitsUntil) return
  queued.waitsUntil = waitsUntil
  if (waitsUntil === Infinity) heapRemove(waiting, queued, waitOrder)
  else if (queued.place === IN_NO_HEAP) heapAdd(waiting, queued, waitOrder)
  else heapUpdate(waiting, queued, waitOrder)
}

function newWorkspaceQueue(workspaceId: string, agentType: string): WorkspaceQueue {
  return { workspaceId, agentType, turn: 0, agentIds: [], ready: new Set(), place: IN_NO_HEAP }
}

const turnOrder: HeapOrder<WorkspaceQueue> = {
  comesBefore: (a, b) => (a.turn === b.turn ? a.workspaceId < b.workspaceId : a.turn < b.turn),
  placeOf: (queue) => queue.place,
  setPlace(queue, place) {
    queue.place = place
  },
}

const waitOrder: HeapOrder<QueuedPool> = {
  comesBefore: (a, b) => a.waitsUntil < b.waitsUntil,
  placeOf: (queued) => queued.place,
  setPlace(queued, place) {
    queued.place = place
  },
}
