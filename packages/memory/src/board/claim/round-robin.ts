import type { Agent, Instant } from '@taskboard/core'
import { heapAdd, type HeapOrder, heapRemove, heapUpdate, IN_NO_HEAP } from '../../tables/heap.js'
import { firstDelayEnd, hasReady } from './pool.js'
import type { Pool } from '../../tables/task-slots.js'

/** A workspace as agents of one type see it. */
export interface WorkspaceQueue {
  readonly workspaceId: string
  readonly agentType: string
  /** When it was last served, on the storage's count of turns; 0 for never. */
  turn: number
  /** The agents of the type, oldest first. */
  readonly agentIds: string[]
  /** The agents by the pool for their own type. */
  readonly typed: Map<Pool, string[]>
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
  readonly typed: Pool
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

  const queuesOf = (agentType: string): TypeQueues => queuesIn(types, agentType)

  function addPool(pool: Pool, queue: WorkspaceQueue): void {
    const own = queuedPools.get(pool)
    const entry = { queue, waitsUntil: Infinity, place: IN_NO_HEAP }
    if (own === undefined) queuedPools.set(pool, [entry])
    else own.push(entry)
    refresh(pool, entry)
  }

  function removePool(pool: Pool, queue: WorkspaceQueue): void {
    const own = queuedPools.get(pool) ?? []
    const index = own.findIndex((entry) => entry.queue === queue)
    const [entry] = index < 0 ? [] : own.splice(index, 1)
    if (own.length === 0) queuedPools.delete(pool)
    if (entry !== undefined) heapRemove(queuesOf(queue.agentType).waiting, entry, waitOrder)
    setReady(queuesOf(queue.agentType).active, queue, pool, false)
  }

  function refresh(pool: Pool, entry: QueuedPool): void {
    const { active, waiting } = queuesOf(entry.queue.agentType)
    setReady(active, entry.queue, pool, hasReady(pool))
    setWait(waiting, entry, firstDelayEnd(pool))
  }

  return {
    addAgent({ id, type, workspaceId }, { own, typed, shared }) {
      const { queues } = queuesOf(type)
      let queue = queues.get(workspaceId)
      if (queue === undefined) queues.set(workspaceId, (queue = newWorkspaceQueue(workspaceId, type)))
      if (queue.agentIds.length === 0) addPool(shared, queue)
      addSorted(queue.agentIds, id)
      const ofType = queue.typed.get(typed)
      if (ofType === undefined) {
        queue.typed.set(typed, [id])
        addPool(typed, queue)
      } else addSorted(ofType, id)
      addPool(own, queue)
    },
    // A queue without agents stays, so that its workspace keeps its turn when an agent becomes available again.
    removeAgent({ id, type, workspaceId }, { own, typed, shared }) {
      const queue = queuesOf(type).queues.get(workspaceId)
      if (queue === undefined) return
      queue.agentIds.splice(queue.agentIds.indexOf(id), 1)
      removePool(own, queue)
      const ofType = queue.typed.get(typed) ?? []
      ofType.splice(ofType.indexOf(id), 1)
      if (ofType.length === 0) {
        queue.typed.delete(typed)
        removePool(typed, queue)
      }
      if (queue.agentIds.length === 0) removePool(shared, queue)
    },
    poolChanged(pool) {
      for (const entry of queuedPools.get(pool) ?? []) refresh(pool, entry)
    },
    next: (agentType) => types.get(agentType)?.active[0] ?? null,
    setTurn(agentType, workspaceId, turn) {
      const typeQueues = queuesOf(agentType)
      const queue = typeQueues.queues.get(workspaceId)
      if (queue === undefined) return 0
      const before = queue.turn
      queue.turn = turn
      if (queue.place !== IN_NO_HEAP) heapUpdate(typeQueues.active, queue, turnOrder)
      return before
    },
    nextWaitEnd: (agentType) => types.get(agentType)?.waiting[0]?.waitsUntil ?? Infinity,
  }
}

function queuesIn(types: Map<string, TypeQueues>, agentType: string): TypeQueues {
  let typeQueues = types.get(agentType)
  if (typeQueues === undefined) {
    typeQueues = { queues: new Map(), active: [], waiting: [] }
    types.set(agentType, typeQueues)
  }
  return typeQueues
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

function setWait(waiting: QueuedPool[], entry: QueuedPool, waitsUntil: Instant): void {
  if (waitsUntil === entry.waitsUntil) return
  entry.waitsUntil = waitsUntil
  if (waitsUntil === Infinity) heapRemove(waiting, entry, waitOrder)
  else if (entry.place === IN_NO_HEAP) heapAdd(waiting, entry, waitOrder)
  else heapUpdate(waiting, entry, waitOrder)
}

function addSorted(ids: string[], id: string): void {
  ids.push(id)
  ids.sort()
}

function newWorkspaceQueue(workspaceId: string, agentType: string): WorkspaceQueue {
  return {
    workspaceId,
    agentType,
    turn: 0,
    agentIds: [],
    typed: new Map(),
    ready: new Set(),
    place: IN_NO_HEAP,
  }
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
  placeOf: (entry) => entry.place,
  setPlace(entry, place) {
    entry.place = place
  },
}
