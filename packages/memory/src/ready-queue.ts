import type { Agent, Instant, Scoring, Task } from '@taskboard/core'
import { anyAgentType } from '@taskboard/core/storage'
import { createFallback } from './fallback.js'
import type { Journal, Reversible } from './journal.js'
import { createPlacements } from './placements.js'
import { betterHead, countAhead, firstDelayEnd } from './pool.js'
import { createRoundRobin, type AgentPools, type RoundRobin, type WorkspaceQueue } from './round-robin.js'
import type { Table } from './table.js'
import type { Pool, TaskSlots, TaskTable } from './task-slots.js'

/** The tasks that agents may take, ordered so that the best one is found directly. Follows the tasks' and agents' tables. */
export interface ReadyQueue {
  /** How many tasks it holds, delayed ones too. */
  readonly size: number
  /** The best task for one agent at `now`; null when there is none. */
  bestForAgent(agent: Agent, now: Instant): TaskSlots | null
  /** The best task of the workspace whose turn it is for agents of a type, and the agents that may take it. */
  bestForType(agentType: string, now: Instant): Found | null
  /** Ends a workspace's turn. */
  served(queue: WorkspaceQueue): void
  /** When, after `now`, a wait ends that keeps a task from the agent; null when there is none. */
  nextReadyForAgent(agent: Agent, now: Instant): Instant | null
  nextReadyForType(agentType: string, now: Instant): Instant | null
  /** How many tasks of its pool come before a task at `now`, at most `most`; 0 for one that is not in a pool, or waits there. */
  ahead(row: TaskSlots, now: Instant, most: number): number
  /** Places all tasks again after the scoring has changed. */
  replaceAll(): void
}

interface Found {
  readonly row: TaskSlots
  readonly agentIds: readonly string[]
  readonly queue: WorkspaceQueue
}

export interface ReadyQueueParts {
  readonly journal: Journal
  readonly tasks: TaskTable
  readonly agents: Table<Agent>
  /** Until when a runtime of each type is at work. */
  readonly runtimes: Table<Instant>
  readonly scoring: () => Scoring
}

export function createReadyQueue(parts: ReadyQueueParts): ReadyQueue {
  const { journal, tasks, agents, runtimes, scoring } = parts
  const roundRobin = createRoundRobin()
  const placements = createPlacements(scoring, roundRobin.poolChanged)
  const takeTurn = createTurns(journal, roundRobin)
  let size = 0

  tasks.onChange((_before, after, row) => {
    if (row.pool !== null) {
      placements.leave(row)
      size -= 1
    }
    if (after !== undefined && isQueued(after)) {
      placements.enter(row)
      size += 1
    }
  })
  const agentPools = ({ workspaceId, id }: Agent): AgentPools => ({
    own: placements.poolOf(workspaceId, id),
    shared: placements.poolOf(workspaceId, null),
  })
  followAgents(agents, roundRobin, agentPools)
  const fallback = createFallback({ agents, runtimes, roundRobin, poolsOf: agentPools })

  function best(candidates: Iterable<Pool>, now: Instant): TaskSlots | null {
    let winner: TaskSlots | null = null
    for (const pool of candidates) winner = betterHead(winner, pool, now, scoring())
    return winner
  }

  const poolsFor = ({ id, workspaceId }: Agent): readonly Pool[] => [
    placements.poolOf(workspaceId, null),
    placements.poolOf(workspaceId, id),
  ]

  return {
    get size() {
      return size
    },
    bestForAgent(agent, now) {
      placements.settle(now)
      const candidates = poolsFor(agent)
      let row = best(candidates, now)
      while (row !== null && placements.putAside(row, now)) row = best(candidates, now)
      return row
    },
    bestForType(agentType, now) {
      placements.settle(now)
      if (agentType === anyAgentType) fallback.settle(now)
      for (let queue = roundRobin.next(agentType); queue !== null; queue = roundRobin.next(agentType)) {
        const row = best(queue.ready, now)
        if (row === null || placements.putAside(row, now)) continue
        const agentId = row.pool?.agentId ?? null
        return { row, agentIds: agentId === null ? queue.agentIds : [agentId], queue }
      }
      return null
    },
    served: takeTurn,
    nextReadyForAgent(agent, now) {
      placements.settle(now)
      return finite(Math.min(...poolsFor(agent).map(firstDelayEnd)))
    },
    nextReadyForType(agentType, now) {
      placements.settle(now)
      return finite(roundRobin.nextWaitEnd(agentType))
    },
    ahead(row, now, most) {
      placements.settle(now)
      return countAhead(row, now, scoring(), most)
    },
    replaceAll: () => placements.replaceAll(),
  }
}

/** Counts the turns in the journal, so that a rollback undoes them. */
function createTurns(journal: Journal, roundRobin: RoundRobin): (queue: WorkspaceQueue) => void {
  let lastTurn = 0
  const reversible: Reversible<WorkspaceQueue> = {
    swap: ({ agentType, workspaceId }, turn) => roundRobin.setTurn(agentType, workspaceId, Number(turn)),
  }
  return (queue) => {
    lastTurn += 1
    journal.note(reversible, queue, roundRobin.setTurn(queue.agentType, queue.workspaceId, lastTurn))
  }
}

function followAgents(
  agents: Table<Agent>,
  roundRobin: RoundRobin,
  poolsOf: (agent: Agent) => AgentPools,
): void {
  agents.onChange((before, after) => {
    if (before?.type === after?.type) return
    if (before !== undefined) roundRobin.removeAgent(before, poolsOf(before))
    if (after !== undefined) roundRobin.addAgent(after, poolsOf(after))
  })
}

/** Whether at most time keeps the task from agents. */
function isQueued(task: Task): boolean {
  return task.column === 'TODO' && task.hold === null && task.openDependencies === 0
}

function finite(instant: Instant): Instant | null {
  return instant === Infinity ? null : instant
}
