import type { CallContext, Environment, InTransaction, Instant } from '../environment/index.js'
import { TaskboardError } from '../errors/index.js'
import { atOf, changeOf } from './board-calls.js'
import { requireLease, type BoardSettings, type WriteOptions } from './board-options.js'
import { reportClaim } from './board-telemetry.js'
import type { Actor, Task } from './task.js'
import type { TaskStore } from './task-store.js'

/** Records that an agent outside of the runtimes asks for work. `agents/` implements it. */
export type ClaimNote<Tx = unknown> = (
  workspaceId: string,
  agentId: string,
  call: CallContext<Tx>,
) => Promise<void>

/** How agents outside of the runtimes get tasks, and how a task is free again. */
export interface BoardClaims<Tx> {
  /**
   * A person ends a hold, with `task.released`. Agents can claim the task again, with fresh attempts. With a `fencingToken`, the agent
   * that works the task gives it back: TODO at once, and the attempt does not count.
   */
  release(
    taskId: string,
    options?: WriteOptions<Tx> & { readonly fencingToken?: number | undefined },
  ): Promise<Task>
  /**
   * Claims the best ready task for an agent of this workspace, with `task.started`; null when there is none. Pass its
   * `lease.fencingToken` to every later write. No two claims get the same task. `leaseMs` (default 60 s) is the length of the
   * lease, and of each renewal by a write or heartbeat that names no other.
   *
   * With `taskId` it claims that task alone. One that the agent already has is taken over: the earlier run ends, and its attempt does
   * not count. @throws `CONFLICT` when the agent cannot take it, with the reason; `TASK_NOT_FOUND`.
   */
  claim(
    input: {
      readonly agentId: string
      readonly leaseMs?: number | undefined
      readonly taskId?: string | undefined
    },
    options?: InTransaction<Tx>,
  ): Promise<Task | null>
}

export interface ClaimParts<Tx> {
  readonly environment: Environment
  readonly tasks: TaskStore<Tx>
  readonly settings: BoardSettings
  readonly noteClaim: ClaimNote<Tx>
  /** An agent outside of the runtimes may have another status now. */
  readonly onWorked: () => void
}

/** `Board.claim`. */
export function createClaim<Tx>(parts: ClaimParts<Tx>, workspaceId: string): BoardClaims<Tx>['claim'] {
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

/** `Board.release`. */
export function createRelease<Tx>(
  parts: ClaimParts<Tx>,
  workspaceId: string,
  actor: Actor,
): BoardClaims<Tx>['release'] {
  const change = changeOf(parts, workspaceId)
  return async (taskId, { fencingToken, ...options } = {}) => {
    if (fencingToken === undefined) {
      return change(taskId, { kind: 'release', actor: options.actor ?? actor }, options)
    }
    const reason = 'the agent gave it back'
    const task = await change(taskId, { kind: 'return_claim', fencingToken, reason }, options)
    parts.onWorked()
    return task
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
