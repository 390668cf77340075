import type { Agent, Instant, Scoring, Task } from '@taskboard/core'
import type { Journal } from './journal.js'
import { createPlacements, type Placements } from './placements.js'
import { betterHead, firstDelayEnd, type Pool, type QueueEntry } from './pool.js'
import { createRotation, type Rotation } from './rotation.js'
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

export interface ReadyQueueParts {
  readonly journal: Journal
  readonly tasks: TaskTable
  readonly agents: Table<Agent>
  readonly scoring: () => Scoring
}

export function createReadyQueue({ journal, tasks, agents, scoring }: ReadyQueueParts): ReadyQueue {
  const rotation = createRotation()
  const placements = createPlacements(scoring, rotation.poolChanged)
  const takeTurn = createTurns(journal, rotation)
  let size = 0

  tasks.onChange((_before, after, slots) => {
    if (slots.queued !== null) {
      placements.leave(slots.queued)
      slots.queued = null
      size -= 1
    }
    if (after !== undefined && isQueued(after)) {
      slots.queued = placements.enter(after)
      size += 1
    }
  })
  followAgents(agents, placements, rotation)

  function best(candidates: Iterable<Pool>, now: Instant): QueueEntry | null {
    let winner: QueueEntry | null = null
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
      let entry = best(candidates, now)
      while (entry !== null && placements.putAside(entry, now)) entry = best(candidates, now)
      return entry?.task ?? null
    },
    bestForType(agentType, now) {
      placements.settle(now)
      for (let station = rotation.next(agentType); station !== null; station = rotation.next(agentType)) {
        const entry = best(station.ready, now)
        if (entry === null || placements.putAside(entry, now)) continue
        const { agentId } = entry.pool
        return { task: entry.task, agentIds: agentId === null ? station.agentIds : [agentId] }
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
      return finite(rotation.nextWaitEnd(agentType))
    },
    replaceAll: () => placements.replaceAll(),
  }
}

/** Counts the turns, in a table so that a rollback gives them back. */
function createTurns(journal: Journal, rotation: Rotation): (agentType: string, workspaceId: string) => void {
  const turns = createTable<{ agentType: string; workspaceId: string; turn: number }>(journal)
  let lastTurn = 0
  turns.onChange((before, after) => {
    const changed = after ?? before
    if (changed !== undefined) rotation.setTurn(changed.agentType, changed.workspaceId, after?.turn ?? 0)
  })
  return (agentType, workspaceId) => {
    lastTurn += 1
    turns.set(`${workspaceId} ${agentType}`, { agentType, workspaceId, turn: lastTurn })
  }
}

function followAgents(agents: Table<Agent>, placements: Placements, rotation: Rotation): void {
  agents.onChange((before, after) => {
    const agent = after ?? before
    if (agent === undefined || (before !== undefined && after !== undefined)) return
    const own = placements.poolOf(agent.workspaceId, agent.id)
    const shared = placements.poolOf(agent.workspaceId, null)
    if (after === undefined) rotation.removeAgent(agent, { own, shared })
    else rotation.addAgent(agent, { own, shared })
  })
}

/** Whether time alone, or not even that, keeps the task from agents. */
function isQueued(task: Task): boolean {
  return task.column === 'TODO' && task.hold === null && task.openDependencies === 0
}

function finite(instant: Instant): Instant | null {
  return instant === Infinity ? null : instant
}
