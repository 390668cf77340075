import type { Agent, Attempt, Instant, Task } from '@taskboard/core'
import {
  mostAhead,
  ratedAttempts,
  timedAttempts,
  type Forecast,
  type ForecastTask,
} from '@taskboard/core/storage'
import { agentStatus } from '../board/claim/agent-status.js'
import type { Database } from '../tables/database.js'
import type { LeaseIndex } from '../board/claim/lease-index.js'
import type { ReadyQueue } from '../board/claim/ready-queue.js'
import type { TaskTable } from '../tables/task-slots.js'

/** The open and the finished work of agents. Follows the tasks' and the agents' tables. */
export interface AgentWork {
  /** The tasks that are assigned to an agent and not in DONE. */
  openOf(agentId: string): readonly Task[]
  /** Those in DONE. */
  doneOf(agentId: string): readonly Task[]
  workload(agentId: string): number
  /** See `AgentOverview`. */
  successRate(agentId: string): number | null
  /** `agents` are the agents of its workspace. */
  forecast(task: ForecastTask, agents: readonly Agent[], now: Instant): Forecast
}

export function createAgentWork(database: Database, queue: ReadyQueue, leases: LeaseIndex): AgentWork {
  const { tables, attempts } = database
  const { openOf, doneOf } = createAssignments(tables.tasks)

  /** The last attempts that count, oldest first. */
  function rated(agentId: string): readonly Attempt[] {
    const all = attempts.ofAgent(agentId)
    const last: Attempt[] = []
    for (let place = all.length - 1; place >= 0 && last.length < ratedAttempts; place--) {
      const attempt = all[place] as Attempt
      if (attempt.outcome === 'completed' || isFailure(attempt)) last.unshift(attempt)
    }
    return last
  }

  /** The last completed attempts of agents, newest first. */
  function lastCompleted(agentIds: readonly string[]): readonly Attempt[] {
    return agentIds
      .flatMap((id) =>
        rated(id)
          .filter(({ outcome }) => outcome === 'completed')
          .slice(-timedAttempts),
      )
      .sort((a, b) => (b.endedAt ?? 0) - (a.endedAt ?? 0))
      .slice(0, timedAttempts)
  }

  function typicalMs(agentId: string | null, agents: readonly Agent[]): number | null {
    const own = agentId === null ? [] : lastCompleted([agentId])
    const known = own.length > 0 ? own : lastCompleted(agents.map(({ id }) => id))
    return median(known.map(({ startedAt, endedAt }) => (endedAt ?? startedAt) - startedAt))
  }

  return {
    openOf,
    doneOf,
    workload(agentId) {
      const waiting = openOf(agentId).filter(({ column, hold }) => column === 'TODO' && hold === null)
      return leases.heldBy(agentId) + waiting.length
    },
    successRate(agentId) {
      const counted = rated(agentId)
      if (counted.length === 0) return null
      return counted.filter(({ outcome }) => outcome === 'completed').length / counted.length
    },
    forecast({ id: taskId, assignedTo: owner, lease, type }, agents, now) {
      const row = tables.tasks.row(taskId)
      const takers = takersOf(owner, type, agents)
      const isQueued = row !== undefined && row.value.column === 'TODO'
      const served = takers.filter(
        (agent) => !agent.paused && agentStatus(database, leases, agent, now) !== 'offline',
      )
      const working = takers.reduce((sum, { id }) => sum + leases.heldBy(id), 0)
      return {
        taskId,
        typicalMs: typicalMs(lease?.agentId ?? owner, agents),
        ahead: isQueued ? queue.ahead(row, now, mostAhead) + Math.min(working, mostAhead) : 0,
        agents: served.length,
        asOf: now,
      }
    },
  }
}

/** The agents of its workspace that may take a task with such an assignee and type. */
function takersOf(owner: string | null, type: string | null, agents: readonly Agent[]): readonly Agent[] {
  if (owner !== null) return agents.filter(({ id }) => id === owner)
  const ofType = agents.filter((agent) => agent.type === type)
  return ofType.length === 0 ? agents : ofType
}

/** Which tasks are assigned to whom. Follows the tasks' table. */
function createAssignments(tasks: TaskTable): Pick<AgentWork, 'openOf' | 'doneOf'> {
  const open = new Map<string, Set<string>>()
  const done = new Map<string, Set<string>>()

  tasks.onChange((before, after) => {
    if (before?.assignedTo == null && after?.assignedTo == null) return
    const [from, to] = [placeOf(before), placeOf(after)]
    if (from === to) return
    if (before !== undefined) from?.delete(before.id)
    if (after !== undefined) to?.add(after.id)
  })

  /** The place of an assigned task. */
  function placeOf(task: Task | undefined): Set<string> | null {
    if (task?.assignedTo == null) return null
    const agents = task.column === 'DONE' ? done : open
    const own = agents.get(task.assignedTo) ?? new Set()
    agents.set(task.assignedTo, own)
    return own
  }

  const tasksOf = (ids: ReadonlySet<string> | undefined): readonly Task[] =>
    [...(ids ?? [])].map((id) => tasks.get(id) as Task)

  return {
    openOf: (agentId) => tasksOf(open.get(agentId)),
    doneOf: (agentId) => tasksOf(done.get(agentId)),
  }
}

function isFailure({ outcome }: Attempt): boolean {
  return outcome === 'failed' || outcome === 'retried' || outcome === 'expired'
}

function median(values: readonly number[]): number | null {
  if (values.length === 0) return null
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] as number
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2
}
