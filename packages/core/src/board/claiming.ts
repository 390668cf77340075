import type { CallContext, Environment, InTransaction, Instant } from '../environment/index.js'
import { TaskboardError } from '../errors/index.js'
import { changeOf } from './board-calls.js'
import { requireLease, type BoardSettings, type WriteOptions } from './board-options.js'
import { reportClaim } from './board-telemetry.js'
import type { Actor, Task } from './task.js'
import type { ClaimForAgent, TaskStore } from './task-store.js'

/** Records that an agent outside of the runtimes asks for work. `agents/` implements it. */
export type RecordClaim<Tx = unknown> = (
  workspaceId: string,
  agentId: string,
  call: CallContext<Tx>,
) => Promise<void>

/** How agents outside of the runtimes get tasks, and how a task is free again. */
export interface BoardClaims<Tx> {
  /**
   * A person ends a hold, with `task.released`. Agents can claim the task again, with fresh attempts. With a `fencingToken`, the agent
   * that works on the task gives it back: TODO immediately, and the attempt doesn't count.
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
   * With `taskId` it claims that task alone. One that the agent already has is taken over: the earlier run ends, and its attempt doesn't
   * count. @throws `CONFLICT` when the agent can't take it, with the reason. Then the earlier run still has it (within a transaction of
   * yours, once that is rolled back). `TASK_NOT_FOUND`.
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

export interface ClaimDeps<Tx> {
  readonly environment: Environment
  readonly tasks: TaskStore<Tx>
  readonly settings: BoardSettings
  readonly recordClaim: RecordClaim<Tx>
  readonly transaction: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>
  /** An agent outside of the runtimes may have another status now. */
  readonly onWorked: () => void
}

/** `Board.claim`. */
export function createClaim<Tx>(parts: ClaimDeps<Tx>, workspaceId: string): BoardClaims<Tx>['claim'] {
  const { environment, tasks, settings, recordClaim, onWorked } = parts
  const { clock } = environment
  const claimNamed = createNamedClaim(parts, workspaceId)

  return async ({ agentId, leaseMs = settings.leaseMs, taskId }, options) => {
    const target = { workspaceId, agentId, leaseMs: requireLease(leaseMs) }
    await recordClaim(workspaceId, agentId, environment.call(options))
    const startedAt = clock.now()
    const claim = async (): Promise<readonly Task[]> =>
      taskId === undefined
        ? (await tasks.claimTasks({ target, limit: 1 }, environment.call(options))).tasks
        : [await claimNamed({ ...target, taskId }, options)]
    const claimed = await claim().finally(onWorked)
    reportClaim(environment, claimed, { agentType: null, startedAt })
    return claimed[0] ?? null
  }
}

/** Claims one task for an agent. @throws TaskboardError `CONFLICT` when the agent can't take it. */
function createNamedClaim<Tx>(parts: ClaimDeps<Tx>, workspaceId: string) {
  const { environment, tasks, transaction } = parts
  const change = changeOf(parts, workspaceId)
  type Target = ClaimForAgent & { readonly taskId: string }

  async function read(taskId: string, options?: InTransaction<Tx>): Promise<Task> {
    return (await tasks.getTask({ within: workspaceId, taskId, parts: ['task'] }, environment.call(options)))
      .task
  }

  async function take(target: Target, options?: InTransaction<Tx>): Promise<Task> {
    const batch = await tasks.claimTasks({ target, limit: 1 }, environment.call(options))
    return (
      batch.tasks[0] ?? Promise.reject(refusal(await read(target.taskId, options), environment.clock.now()))
    )
  }

  /** Within one transaction: no one else gets the task in between, and a rejection leaves the earlier run as it is. */
  async function takeOver(target: Target, fencingToken: number, options: InTransaction<Tx>): Promise<Task> {
    const reason = 'the agent claimed the task again'
    await change(target.taskId, { kind: 'return_claim', fencingToken, reason }, options)
    return take(target, options)
  }

  return async (target: Target, options?: InTransaction<Tx>): Promise<Task> => {
    const { lease } = await read(target.taskId, options)
    if (lease?.agentId !== target.agentId || lease.expiresAt <= environment.clock.now()) {
      return take(target, options)
    }
    if (options?.tx !== undefined) return takeOver(target, lease.fencingToken, options)
    return transaction((tx) => takeOver(target, lease.fencingToken, { tx }))
  }
}

/** `Board.release`. */
export function createRelease<Tx>(
  parts: ClaimDeps<Tx>,
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

/** Why no one, or this agent, could take the task. */
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
