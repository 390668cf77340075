import { TaskboardError, type Agent, type Instant, type Task } from '@taskboard/core'
import type { ClaimBatch, ClaimByType, ClaimForAgent } from '@taskboard/core/storage'
import type { Database } from '../../tables/database.js'
import type { LeaseIndex } from './lease-index.js'
import type { ReadyQueue } from './ready-queue.js'
import type { TaskChanges } from '../task-changes.js'

/** Takes the best tasks. */
export interface TaskClaims {
  byType(request: ClaimByType, limit: number, now: Instant): ClaimBatch
  forAgent(request: ClaimForAgent, limit: number, now: Instant): ClaimBatch
}

export function createTaskClaims(
  { tables }: Database,
  queue: ReadyQueue,
  leases: LeaseIndex,
  changes: TaskChanges,
): TaskClaims {
  /** Unassigned work goes to the agent with the fewest leases; of equals to the oldest. */
  function leastBusy(agentIds: readonly string[]): string {
    let chosen = agentIds[0] as string
    for (const agentId of agentIds) if (leases.heldBy(agentId) < leases.heldBy(chosen)) chosen = agentId
    return chosen
  }

  function requireAgent({ workspaceId, agentId }: ClaimForAgent): Agent {
    const agent = tables.agents.get(agentId)
    if (agent !== undefined && agent.workspaceId === workspaceId) return agent
    throw new TaskboardError('NOT_FOUND', 'no such agent')
  }

  return {
    byType({ agentType, leaseMs }, limit, now) {
      const tasks: Task[] = []
      while (tasks.length < limit) {
        const best = queue.bestForType(agentType, now)
        if (best === null)
          return { tasks, nextReadyInMs: waitUntil(queue.nextReadyForType(agentType, now), now) }
        const command = { kind: 'claim', agentId: leastBusy(best.agentIds), leaseMs } as const
        tasks.push(changes.apply(best.row.value, command, now, best.row))
        queue.served(best.queue)
      }
      return { tasks, nextReadyInMs: null }
    },
    forAgent(request, limit, now) {
      const agent = requireAgent(request)
      const command = { kind: 'claim', agentId: agent.id, leaseMs: request.leaseMs } as const
      const tasks: Task[] = []
      const { taskId } = request
      const room = Math.min(limit, queue.roomOf(agent))
      while (tasks.length < room) {
        const best =
          taskId === undefined ? queue.bestForAgent(agent, now) : queue.readyForAgent(agent, taskId, now)
        if (best === null)
          return { tasks, nextReadyInMs: waitUntil(queue.nextReadyForAgent(agent, now), now) }
        tasks.push(changes.apply(best.value, command, now, best))
      }
      return { tasks, nextReadyInMs: null }
    },
  }
}

function waitUntil(instant: Instant | null, now: Instant): number | null {
  return instant === null ? null : Math.max(0, instant - now)
}
