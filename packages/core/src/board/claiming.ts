import type { Instant } from '../environment/index.js'
import { TaskboardError } from '../errors/index.js'
import { atOf, changeOf } from './board-calls.js'
import { requireLease } from './board-options.js'
import { reportClaim } from './board-telemetry.js'
import type { Board, BoardParts } from './board.js'
import type { Task } from './task.js'

/** `Board.claim`. */
export function createClaim<Tx>(parts: BoardParts<Tx>, workspaceId: string): Board<Tx>['claim'] {
  const { environment, tasks, settings, noteClaim, onWorked } = parts
  const { clock } = environment
  const at = atOf<Tx>(environment)
  const change = changeOf(parts, workspaceId)

  return async ({ agentId, leaseMs = settings.leaseMs, taskId }, options) => {
    const target = { workspaceId, agentId, leaseMs: requireLease(leaseMs), taskId }
    const read = async (id: string): Promise<Task> =>
      (await tasks.getTask({ within: workspaceId, taskId: id, parts: ['task'] }, at(options))).task
    await noteClaim(workspaceId, agentId, at(options))
    if (taskId !== undefined) {
      const { lease } = await read(taskId)
      if (lease?.agentId === agentId && lease.expiresAt > clock.now()) {
        const { fencingToken } = lease
        const reason = 'the agent claimed the task again'
        await change(taskId, { kind: 'return_claim', fencingToken, reason }, options)
      }
    }
    const startedAt = clock.now()
    const batch = await tasks.claimTasks({ target, limit: 1 }, at(options))
    reportClaim(environment, batch.tasks, { agentType: null, startedAt })
    onWorked()
    const [claimed = null] = batch.tasks
    if (claimed === null && taskId !== undefined) throw refusal(await read(taskId), clock.now())
    return claimed
  }
}

/** Why nobody, or this agent, could take the task. */
function refusal(task: Task, now: Instant): TaskboardError {
  return new TaskboardError('CONFLICT', `the task cannot be claimed: ${reasonOf(task, now)}`)
}

function reasonOf({ column, lease, hold, notBefore, openDependencies }: Task, now: Instant): string {
  if (column === 'DONE') return 'it is done'
  if (column === 'DOING') {
    return lease === null ? 'a person works on it' : `an agent has it until ${isoOf(lease.expiresAt)}`
  }
  if (hold !== null) return `it is on hold (${hold.reason})`
  if (openDependencies > 0) return `it waits for ${openDependencies} other tasks`
  if (notBefore !== null && notBefore > now) return `it waits until ${isoOf(notBefore)}`
  return 'it is for other agents, or the agent is paused, has as many tasks as it may, rests, or has spent its budget'
}

const isoOf = (instant: Instant): string => new Date(instant).toISOString()
