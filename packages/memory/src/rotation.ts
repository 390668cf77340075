import type { Agent, Instant } from '@taskboard/core'
import { heapAdd, heapRemove, heapUpdate, IN_NO_HEAP, type HeapOrder } from './heap.js'
import { firstDelayEnd, hasReady } from './pool.js'
import type { Pool } from './task-slots.js'

/** A workspace as agents of one type see it. */
export interface Station {
  readonly workspaceId: string
  readonly agentType: string
  /** When it was last served, on the storage's count of turns; 0 for never. */
  turn: number
  /** The agents of the type, oldest first. */
  readonly agentIds: string[]
  /** The pools that such an agent may take from and that have something to take. */
  readonly ready: Set<Pool>
  /** Its place among the stations of its type that have something to take. */
  place: number
}

/** A pool as agents of one type see it: a place in the heap of waits that end. */
interface Seat {
  readonly station: Station
  waitsUntil: Instant
  place: number
}

interface TypeQueue {
  readonly stations: Map<string, Station>
  /** Those with something to take, the least recently served first. */
  readonly active: Station[]
  readonly waiting: Seat[]
}

/** An agent as the runtime for `type` sees it, which may be the one for any type. */
export type StationedAgent = Pick<Agent, 'id' | 'type' | 'workspaceId'>

export interface AgentPools {
  readonly own: Pool
  readonly shared: Pool
}

/** Which workspaces have work for which agent types, and whose turn it is. */
export interface Rotation {
  /** Follows the agents' table. */
  addAgent(agent: StationedAgent, pools: AgentPools): void
  removeAgent(agent: StationedAgent, pools: AgentPools): void
  /** Call it when the pool gained or lost a task. */
  readonly poolChanged: (pool: Pool) => void
  /** The workspace whose turn it is; null when none has anything for the type. */
  next(agentType: string): Station | null
  /** Sets when a workspace was last served, and returns what that was. */
  setTurn(agentType: string, workspaceId: string, turn: number): number
  /** When the next wait ends that keeps something from agents of the type; `Infinity` when there is none. */
  nextWaitEnd(agentType: string): Instant
}

export function createRotation(): Rotation {
  const types = new Map<string, TypeQueue>()
  const seats = new Map<Pool, Seat[]>()

  const typeQueue = (agentType: string): TypeQueue => queueOf(types, agentType)

  function addSeat(pool: Pool, station: Station): void {
    const own = seats.get(pool)
    const seat = { station, waitsUntil: Infinity, place: IN_NO_HEAP }
    if (own === undefined) seats.set(pool, [seat])
    else own.push(seat)
    refresh(pool, seat)
  }

  function removeSeat(pool: Pool, station: Station): void {
    const own = seats.get(pool) ?? []
    const index = own.findIndex((seat) => seat.station === station)
    const [seat] = index < 0 ? [] : own.splice(index, 1)
    if (seat !== undefined) heapRemove(typeQueue(station.agentType).waiting, seat, waitOrder)
    setReady(typeQueue(station.agentType).active, station, pool, false)
  }

  function refresh(pool: Pool, seat: Seat): void {
    const { active, waiting } = typeQueue(seat.station.agentType)
    setReady(active, seat.station, pool, hasReady(pool))
    setWait(waiting, seat, firstDelayEnd(pool))
  }

  return {
    addAgent({ id, type, workspaceId }, { own, shared }) {
      const { stations } = typeQueue(type)
      let station = stations.get(workspaceId)
      if (station === undefined) {
        station = newStation(workspaceId, type)
        stations.set(workspaceId, station)
        addSeat(shared, station)
      }
      station.agentIds.push(id)
      station.agentIds.sort()
      addSeat(own, station)
    },
    removeAgent({ id, type, workspaceId }, { own, shared }) {
      const { stations } = typeQueue(type)
      const station = stations.get(workspaceId)
      if (station === undefined) return
      station.agentIds.splice(station.agentIds.indexOf(id), 1)
      removeSeat(own, station)
      if (station.agentIds.length > 0) return
      removeSeat(shared, station)
      stations.delete(workspaceId)
    },
    poolChanged(pool) {
      for (const seat of seats.get(pool) ?? []) refresh(pool, seat)
    },
    next: (agentType) => types.get(agentType)?.active[0] ?? null,
    setTurn(agentType, workspaceId, turn) {
      const queue = typeQueue(agentType)
      const station = queue.stations.get(workspaceId)
      if (station === undefined) return 0
      const before = station.turn
      station.turn = turn
      if (station.place !== IN_NO_HEAP) heapUpdate(queue.active, station, turnOrder)
      return before
    },
    nextWaitEnd: (agentType) => types.get(agentType)?.waiting[0]?.waitsUntil ?? Infinity,
  }
}

function queueOf(types: Map<string, TypeQueue>, agentType: string): TypeQueue {
  let queue = types.get(agentType)
  if (queue === undefined) {
    queue = { stations: new Map(), active: [], waiting: [] }
    types.set(agentType, queue)
  }
  return queue
}

function setReady(active: Station[], station: Station, pool: Pool, ready: boolean): void {
  if (station.ready.has(pool) === ready) return
  if (ready) {
    if (station.ready.add(pool).size === 1) heapAdd(active, station, turnOrder)
  } else {
    station.ready.delete(pool)
    if (station.ready.size === 0) heapRemove(active, station, turnOrder)
  }
}

function setWait(waiting: Seat[], seat: Seat, waitsUntil: Instant): void {
  if (waitsUntil === seat.waitsUntil) return
  seat.waitsUntil = waitsUntil
  if (waitsUntil === Infinity) heapRemove(waiting, seat, waitOrder)
  else if (seat.place === IN_NO_HEAP) heapAdd(waiting, seat, waitOrder)
  else heapUpdate(waiting, seat, waitOrder)
}

function newStation(workspaceId: string, agentType: string): Station {
  return { workspaceId, agentType, turn: 0, agentIds: [], ready: new Set(), place: IN_NO_HEAP }
}

const turnOrder: HeapOrder<Station> = {
  comesBefore: (a, b) => (a.turn === b.turn ? a.workspaceId < b.workspaceId : a.turn < b.turn),
  placeOf: (station) => station.place,
  setPlace(station, place) {
    station.place = place
  },
}

const waitOrder: HeapOrder<Seat> = {
  comesBefore: (a, b) => a.waitsUntil < b.waitsUntil,
  placeOf: (seat) => seat.place,
  setPlace(seat, place) {
    seat.place = place
  },
}
