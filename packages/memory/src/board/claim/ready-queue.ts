import type { Agent, Instant, Scoring, Task } from '@taskboard/core'
import { anyAgentType } from '@taskboard/core/storage'
import { createAvailableAgents } from './available-agents.js'
import { createFallback } from './fallback.js'
import type { Journal, Reversible } from '../../tables/journal.js'
import type { LeaseIndex } from './lease-index.js'
import { createPlacements, type Placements } from './placements.js'
import { betterHead, countAhead, entriesOf, firstDelayEnd } from './pool.js'
import { createRoundRobin, type AgentPools, type RoundRobin, type WorkspaceQueue } from './round-robin.js'
import { createRoutes, type Routes } from './routes.js'
import type { Table } from '../../tables/table.js'
import type { FollowedAgents, AbleAgents } from './able-agents.js'
import type { Pool, TaskSlots, TaskTable } from '../../tables/task-slots.js'

/** The tasks that agents may take, ordered so that the best one is found directly. Follows the tasks' and agents' tables. */
export interface ReadyQueue {
  /** How many tasks it holds, delayed ones too. */
  readonly size: number
  /** How many more tasks an agent may take. */
  roomOf(agent: Agent): number
  /** The best task for one agent at `now`, whether it may take one or not; null when there is none. */
  bestForAgent(agent: Agent, now: Instant): TaskSlots | null
  /** That task, if the agent may take it at `now`. */
  readyForAgent(agent: Agent, taskId: string, now: Instant): TaskSlots | null
  /** The best task of the workspace whose turn it is for agents of a type, and the agents that may take it. */
  bestForType(agentType: string, now: Instant): Found | null
  /** Ends a workspace's turn. */
  served(queue: WorkspaceQueue): void
  /** When, after `now`, a wait ends that keeps a task from the agent; null when there is none. */
  nextReadyForAgent(agent: Agent, now: Instant): Instant | null
  nextReadyForType(agentType: string, now: Instant): Instant | null
  /** How many tasks of its pool come before a task at `now`, at most `most`. It is 0 for one that isn't in a pool, or waits there. */
  ahead(row: TaskSlots, now: Instant, most: number): number
  /** Whether tasks are left whose route has turned. */
  readonly isRouting: boolean
  /** Routes at most `limit` of them; returns how many. */
  route(limit: number): number
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
  /** It must follow the tasks' table already. */
  readonly leases: LeaseIndex
  /** The tasks of agents that neither rest nor have spent a budget. */
  readonly able: AbleAgents
  /** Until when a runtime of each type is at work. */
  readonly runtimes: Table<Instant>
  readonly scoring: () => Scoring
}

export function createReadyQueue(parts: ReadyQueueParts): ReadyQueue {
  const { journal, tasks, agents, leases, able, runtimes, scoring } = parts
  const roundRobin = createRoundRobin()
  const routes = createRoutes(agents)
  const available = createAvailableAgents(able, tasks, leases)
  const placements = createPlacements(scoring, routes, roundRobin.poolChanged)
  const rerouting = createRerouting(routes, placements)
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
  const agentPools = poolsOfAgents(placements)
  followAgents(available, roundRobin, agentPools)
  const fallback = createFallback({ agents: available, runtimes, roundRobin, poolsOf: agentPools })

  const best = (candidates: Iterable<Pool>, now: Instant) => bestHead(candidates, now, scoring())
  const poolsFor = (agent: Agent): readonly Pool[] => Object.values(agentPools(agent))

  return {
    get size() {
      return size
    },
    roomOf: (agent) => available.roomOf(agent),
    bestForAgent(agent, now) {
      placements.settle(now)
      if (able.until(agent) > now) return null
      const candidates = poolsFor(agent)
      let row = best(candidates, now)
      while (row !== null && placements.putAside(row, now)) row = best(candidates, now)
      return row
    },
    readyForAgent(agent, taskId, now) {
      placements.settle(now)
      const row = tasks.row(taskId)
      if (row?.pool == null || able.until(agent) > now || !poolsFor(agent).includes(row.pool)) return null
      return row.lane === null || placements.putAside(row, now) ? null : row
    },
    bestForType(agentType, now) {
      placements.settle(now)
      able.settle(now)
      if (agentType === anyAgentType) fallback.settle(now)
      for (let queue = roundRobin.next(agentType); queue !== null; queue = roundRobin.next(agentType)) {
        const row = best(queue.ready, now)
        if (row === null || placements.putAside(row, now)) continue
        return { row, agentIds: takersOf(row.pool, queue), queue }
      }
      return null
    },
    served: takeTurn,
    nextReadyForAgent(agent, now) {
      placements.settle(now)
      const waitsUntil = able.until(agent)
      return waitsUntil > now ? waitsUntil : finite(Math.min(...poolsFor(agent).map(firstDelayEnd)))
    },
    nextReadyForType(agentType, now) {
      placements.settle(now)
      return finite(Math.min(roundRobin.nextWaitEnd(agentType), able.nextEnd()))
    },
    ahead(row, now, most) {
      placements.settle(now)
      return countAhead(row, now, scoring(), most)
    },
    get isRouting() {
      return rerouting.isUnderWay()
    },
    route: (limit) => rerouting.route(limit),
    replaceAll: () => placements.replaceAll(),
  }
}

const poolsOfAgents =
  (placements: Placements) =>
  ({ workspaceId, id, type }: Agent): AgentPools => ({
    own: placements.ownPool(id, workspaceId),
    typed: placements.sharedPool(workspaceId, type),
    shared: placements.sharedPool(workspaceId, null),
  })

function bestHead(candidates: Iterable<Pool>, now: Instant, scoring: Scoring): TaskSlots | null {
  let winner: TaskSlots | null = null
  for (const pool of candidates) winner = betterHead(winner, pool, now, scoring)
  return winner
}

/** The agents of the queue that may take from a pool. */
function takersOf(pool: Pool | null, { agentIds, typed }: WorkspaceQueue): readonly string[] {
  if (pool?.agentId != null) return [pool.agentId]
  return (pool === null ? undefined : typed.get(pool)) ?? agentIds
}

/** Moves tasks whose route has turned: the first immediately, the others when asked to. */
interface Rerouting {
  isUnderWay(): boolean
  route(limit: number): number
}

/** How many tasks are routed at the same time when the first agent of a type comes or the last one leaves. */
const ROUTED_AT_ONCE = 100

function createRerouting(routes: Routes, placements: Placements): Rerouting {
  const waiting: TaskSlots[][] = []

  function route(limit: number): number {
    let routed = 0
    for (let rows = waiting[0]; rows !== undefined && routed < limit; rows = waiting[0]) {
      for (let row = rows.pop(); row !== undefined; row = rows.pop()) {
        if (placements.route(row)) routed += 1
        if (routed === limit) break
      }
      if (rows.length === 0) waiting.shift()
    }
    return routed
  }

  routes.onTurn((workspaceId, type) => {
    const left = placements.sharedPool(workspaceId, routes.isServed(workspaceId, type) ? null : type)
    const rows = entriesOf(left).filter(({ value }) => value.type === type && value.assignedTo === null)
    if (rows.length === 0) return
    waiting.push(rows)
    route(ROUTED_AT_ONCE)
  })

  return { isUnderWay: () => waiting.length > 0, route }
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
  agents: FollowedAgents,
  roundRobin: RoundRobin,
  poolsOf: (agent: Agent) => AgentPools,
): void {
  agents.onChange((before, after) => {
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
