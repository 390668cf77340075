import type { Agent, Instant, Scoring, Task } from '@taskboard/core'
import { heapAdd, heapRemove } from './heap.js'
import type { Journal } from './journal.js'
import {
  betterHead,
  createEntry,
  createPool,
  enterPool,
  entriesOf,
  firstDelayEnd,
  leavePool,
  wakeOrder,
  type Pool,
  type QueueEntry,
} from './pool.js'
import { createRotation, type Station } from './rotation.js'
import { createTable, type Table } from './table.js'
import type { TaskTable } from './task-slots.js'

/** The tasks that agents may take, so ordered that the best one is found at once. Follows the tasks' and agents' tables. */
export interface ReadyQueue {
  /** How many tasks it holds, delayed ones too. */
  readonly size: number
  /** The best task for one agent at `now`; null when there is none. */
  bestForAgent(agent: Agent, now: Instant): Task | null
  /** The best task of the workspace whose turn it is for agents of a type, and the agents that may take it. */
  bestForType(agentType: string, now: Instant): { task: Task; agentIds: readonly string[] } | null
  /** Ends a workspace's turn. */
  served(agentType: string, workspaceId: string): void
  /** When, after `now`, a wait ends that keeps a task from the agent; null when there is none. */
  nextReadyForAgent(agent: Agent, now: Instant): Instant | null
  nextReadyForType(agentType: string, now: Instant): Instant | null
  /** Places everything anew, after the scoring has changed. */
  replaceAll(): void
}

interface Turn {
  readonly agentType: string
  readonly workspaceId: string
  readonly turn: number
}

export interface ReadyQueueParts {
  readonly journal: Journal
  readonly tasks: TaskTable
  readonly agents: Table<Agent>
  readonly scoring: () => Scoring
}

export function createReadyQueue({ journal, tasks, agents, scoring }: ReadyQueueParts): ReadyQueue {
  let size = 0
  const wakes: QueueEntry[] = []
  const pools = new Map<string, Pool>()
  const rotation = createRotation()
  const turns = createTable<Turn>(journal)
  let lastTurn = 0

  function poolOf(workspaceId: string, agentId: string | null): Pool {
    const id = agentId ?? workspaceId
    let pool = pools.get(id)
    if (pool === undefined) pools.set(id, (pool = createPool(workspaceId, agentId)))
    return pool
  }

  function place(entry: QueueEntry, now: Instant): void {
    enterPool(entry, now, scoring())
    if (entry.wakeAt !== Infinity) heapAdd(wakes, entry, wakeOrder)
  }

  function unplace(entry: QueueEntry): void {
    leavePool(entry)
    heapRemove(wakes, entry, wakeOrder)
  }

  function replace(entry: QueueEntry, now: Instant): void {
    unplace(entry)
    place(entry, now)
    rotation.poolChanged(entry.pool)
  }

  /** Brings every placement that has ended by `now` up to date. Each task causes that a few times in its life. */
  function settle(now: Instant): void {
    for (let entry = wakes[0]; entry !== undefined && entry.wakeAt <= now; entry = wakes[0])
      replace(entry, now)
  }

  /** A head that waits again because the clock stepped back is put aside; the caller looks anew. */
  function putAside(entry: QueueEntry, now: Instant): boolean {
    if (entry.task.notBefore === null || entry.task.notBefore <= now) return false
    replace(entry, now)
    return true
  }

  function best(candidates: Iterable<Pool>, now: Instant): QueueEntry | null {
    let winner: QueueEntry | null = null
    for (const pool of candidates) winner = betterHead(winner, pool, now, scoring())
    return winner
  }

  function bestAt(station: Station, now: Instant): QueueEntry | null {
    const entry = best(station.ready, now)
    return entry === null || putAside(entry, now) ? null : entry
  }

  const poolsOf = (agent: Agent): Pool[] => [
    poolOf(agent.workspaceId, null),
    poolOf(agent.workspaceId, agent.id),
  ]

  tasks.onChange((_before, after, slots) => {
    if (slots.queued !== null) {
      const { pool } = slots.queued
      unplace(slots.queued)
      slots.queued = null
      size -= 1
      rotation.poolChanged(pool)
    }
    if (after !== undefined && isQueued(after)) {
      const entry = createEntry(after, poolOf(after.workspaceId, after.assignedTo))
      slots.queued = entry
      size += 1
      place(entry, after.updatedAt)
      rotation.poolChanged(entry.pool)
    }
  })
  agents.onChange((before, after) => {
    if (before !== undefined && after !== undefined) return
    const agent = before ?? after
    if (agent === undefined) return
    const own = poolOf(agent.workspaceId, agent.id)
    const shared = poolOf(agent.workspaceId, null)
    if (after === undefined) rotation.removeAgent(agent, { own, shared })
    else rotation.addAgent(agent, { own, shared })
  })
  turns.onChange((before, after) => {
    const { agentType, workspaceId } = (after ?? before) as Turn
    rotation.setTurn(agentType, workspaceId, after?.turn ?? 0)
  })

  return {
    get size() {
      return size
    },
    bestForAgent(agent, now) {
      settle(now)
      const candidates = poolsOf(agent)
      let entry = best(candidates, now)
      while (entry !== null && putAside(entry, now)) entry = best(candidates, now)
      return entry?.task ?? null
    },
    bestForType(agentType, now) {
      settle(now)
      for (let station = rotation.next(agentType); station !== null; station = rotation.next(agentType)) {
        const entry = bestAt(station, now)
        if (entry === null) continue
        const { agentId } = entry.pool
        return { task: entry.task, agentIds: agentId === null ? station.agentIds : [agentId] }
      }
      return null
    },
    served(agentType, workspaceId) {
      lastTurn += 1
      turns.set(`${workspaceId} ${agentType}`, { agentType, workspaceId, turn: lastTurn })
    },
    nextReadyForAgent(agent, now) {
      settle(now)
      return finite(Math.min(...poolsOf(agent).map(firstDelayEnd)))
    },
    nextReadyForType(agentType, now) {
      settle(now)
      return finite(rotation.nextWaitEnd(agentType))
    },
    replaceAll() {
      for (const pool of pools.values()) {
        for (const entry of entriesOf(pool)) replace(entry, entry.task.updatedAt)
      }
    },
  }
}

/** Whether time alone, or not even that, keeps the task from agents. */
function isQueued(task: Task): boolean {
  return task.column === 'TODO' && task.hold === null && task.openDependencies === 0
}

function finite(instant: Instant): Instant | null {
  return instant === Infinity ? null : instant
}
