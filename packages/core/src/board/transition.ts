import type { Instant } from '../environment/index.js'
import { TaskboardError } from '../errors/index.js'
import { backoffDelayMs, type Backoff } from './backoff.js'
import { complete, finish, finished, isCompletedBy, taken } from './completion.js'
import {
  columns,
  makeTask,
  type ActingAs,
  type Actor,
  type Column,
  type HoldReason,
  type Lease,
  type Task,
} from './task.js'
import { cancelledEvent, failedEvent, movedEvent, releasedEvent } from './transition-events.js'
import { agentOf, changed, ending, type TransitionResult } from './transition-result.js'

/** Everything that can happen to a task after its creation. */
export type TaskCommand =
  | { readonly kind: 'claim'; readonly agentId: string; readonly leaseMs: number }
  | { readonly kind: 'renew'; readonly fencingToken: number; readonly leaseMs: number | null }
  | {
      readonly kind: 'progress'
      readonly fencingToken: number
      readonly progress: number
      readonly leaseMs: number | null
    }
  | { readonly kind: 'complete'; readonly fencingToken: number; readonly result: string }
  | {
      readonly kind: 'fail'
      readonly fencingToken: number
      readonly reason: string
      readonly backoff: Backoff | null
    }
  | {
      readonly kind: 'hold_claimed'
      readonly fencingToken: number
      readonly reason: HoldReason
      readonly message: string | null
      /** The attempt doesn't count: the agent asks, and hasn't failed. Default: it counts. */
      readonly isUncounted?: boolean | undefined
    }
  | { readonly kind: 'return_claim'; readonly fencingToken: number; readonly reason: string }
  /** The agent can't work now, through no fault of the task: it waits, and the attempt doesn't count. */
  | {
      readonly kind: 'postpone'
      readonly fencingToken: number
      readonly reason: string
      readonly delayMs: number
    }
  | { readonly kind: 'expire'; readonly backoff: Backoff }
  | { readonly kind: 'move'; readonly to: Column; readonly actor: ActingAs }
  /** A person completes the task; with `takeOver` even while an agent has it. */
  | { readonly kind: 'finish'; readonly result: string; readonly takeOver: boolean; readonly actor: ActingAs }
  | {
      readonly kind: 'hold'
      readonly reason: HoldReason
      readonly message: string | null
      readonly actor: Actor
    }
  | { readonly kind: 'release'; readonly actor: Actor }
  /** Takes a task away from the agent that works on it. */
  | { readonly kind: 'revoke'; readonly reason: string; readonly actor: Actor }
  | { readonly kind: 'dependency_done' }
  | { readonly kind: 'dependency_reopened' }

const SYSTEM: Actor = { kind: 'system', id: null }

/**
 * The board's state machine: applies `command` to `task` at `now`. Pure. The storages call it, or do the same in SQL.
 *
 * It doesn't change the dependents. The caller also applies `dependency_done` to each dependent when the column became DONE, and
 * `dependency_reopened` when it was DONE and no longer is.
 *
 * A retried `complete`, with the same fencing token and the same result as the one that brought the task to DONE, changes nothing. Neither
 * does a `finish` with the result that the task in DONE has.
 *
 * @throws TaskboardError `CONFLICT` when the state forbids the command. Examples: a fencing token that isn't the live lease's, a claim of
 * a task that isn't ready, a hold on a task in DONE. A `finish` of a task that an agent has or that has another result.
 * @example
 * ```ts
 * import { createTaskboard, transition } from '@taskboard/core'
 * import { memoryStorage } from '@taskboard/memory'
 *
 * const taskboard = createTaskboard({ storage: memoryStorage() })
 * const { workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'professional' })
 * const task = await taskboard.board(workspace.id).add({ title: 'Translate the manual' })
 *
 * const claim = { kind: 'claim', agentId: 'agent_1', leaseMs: 60_000 } as const
 * const claimed = transition(task, claim, task.createdAt)
 * console.log(claimed.task.column, claimed.task.fencingToken) // DOING 1
 * console.log(claimed.events.map(({ type }) => type)) // [ 'task.started' ]
 * ```
 */
export function transition(task: Task, command: TaskCommand, now: Instant): TransitionResult {
  switch (command.kind) {
    case 'claim':
      return claim(task, command.agentId, command.leaseMs, now)
    case 'renew':
      requireLease(task, command.fencingToken, now)
      return changed(renewed(task, command.leaseMs, now))
    case 'progress':
      requireLease(task, command.fencingToken, now)
      return progress(task, command.progress, command.leaseMs, now)
    case 'complete':
      if (isCompletedBy(task, command.fencingToken, command.result)) return changed(task)
      requireLease(task, command.fencingToken, now)
      return complete(task, command.result, now)
    case 'fail':
      requireLease(task, command.fencingToken, now)
      return endInFailure(task, 'failed', command.reason, command.backoff, agentOf(task), now)
    case 'hold_claimed':
      requireLease(task, command.fencingToken, now)
      return raiseHold(command.isUncounted === true ? uncounted(task) : task, command, agentOf(task), now)
    case 'return_claim':
      requireLease(task, command.fencingToken, now)
      return returnClaim(task, 'returned', command.reason, now)
    case 'postpone':
      requireLease(task, command.fencingToken, now)
      return returnClaim({ ...task, notBefore: now + command.delayMs }, 'postponed', command.reason, now)
    case 'expire':
      return expire(task, command.backoff, now)
    case 'move':
      return move(task, command.to, command.actor, now)
    case 'finish':
      return finish(task, command, now)
    case 'hold':
      return raiseHold(task, command, command.actor, now)
    case 'release':
      return release(task, command.actor, now)
    case 'revoke':
      return revoke(task, command.reason, command.actor, now)
    case 'dependency_done':
      return changed({ ...task, openDependencies: Math.max(0, task.openDependencies - 1), updatedAt: now })
    case 'dependency_reopened':
      return changed({ ...task, openDependencies: task.openDependencies + 1, updatedAt: now })
  }
}

function claim(task: Task, agentId: string, leaseMs: number, now: Instant): TransitionResult {
  const mine = task.assignedTo === null || task.assignedTo === agentId
  const due = task.notBefore === null || task.notBefore <= now
  if (task.column !== 'TODO' || task.hold !== null || task.openDependencies > 0 || !due || !mine) {
    throw new TaskboardError('CONFLICT', 'the task is not ready for this agent')
  }
  const fencingToken = task.fencingToken + 1
  const started = startedTask(task, now, {
    agentId,
    fencingToken,
    expiresAt: now + leaseMs,
    durationMs: leaseMs,
  })
  return changed(started, [
    {
      type: 'task.started',
      data: {
        taskId: task.id,
        title: task.title,
        status: 'DOING',
        agentId,
        attempt: started.attempts,
        startedAt: now,
      },
    },
  ])
}

/** The task under its new lease. */
function startedTask(task: Task, now: Instant, lease: Lease): Task {
  return makeTask(task, {
    id: task.id,
    workspaceId: task.workspaceId,
    parentId: task.parentId,
    column: 'DOING',
    hold: task.hold,
    notBefore: null,
    openDependencies: task.openDependencies,
    progress: 0,
    result: task.result,
    createdAt: task.createdAt,
    updatedAt: now,
    startedAt: now,
    completedAt: task.completedAt,
    attempts: task.attempts + 1,
    maxAttempts: task.maxAttempts,
    fencingToken: lease.fencingToken,
    lease,
    takenBy: null,
    hasComments: task.hasComments,
    traceparent: task.traceparent,
  })
}

function progress(task: Task, percent: number, leaseMs: number | null, now: Instant): TransitionResult {
  const after = { ...renewed(task, leaseMs, now), progress: percent }
  if (percent === task.progress) return changed(after)
  return changed(after, [{ type: 'task.progress', data: { taskId: task.id, progress: percent } }])
}

function endInFailure(
  task: Task,
  outcome: 'failed' | 'expired',
  reason: string,
  backoff: Backoff | null,
  actor: Actor,
  now: Instant,
): TransitionResult {
  const retried = backoff !== null && task.attempts < task.maxAttempts
  const ended = ending(task, retried && outcome === 'failed' ? 'retried' : outcome, reason)
  if (retried) {
    const waiting = { ...backInTodo(task, now), notBefore: now + backoffDelayMs(backoff, task.attempts) }
    return changed(waiting, [movedEvent(task, 'TODO', actor)], ended)
  }
  const held: Task = { ...backInTodo(task, now), hold: { reason: 'failed', message: reason, since: now } }
  return changed(held, [failedEvent(held, 'failed', reason, task.lease?.agentId ?? null, now)], ended)
}

function raiseHold(
  task: Task,
  { kind, reason, message }: Extract<TaskCommand, { readonly kind: 'hold' | 'hold_claimed' }>,
  actor: Actor,
  now: Instant,
): TransitionResult {
  if (task.column === 'DONE') throw new TaskboardError('CONFLICT', 'a task in DONE cannot be put on hold')
  const ended = ending(task, kind === 'hold_claimed' ? 'held' : 'revoked', message ?? reason)
  const base = task.column === 'DOING' ? backInTodo(task, now) : { ...task, updatedAt: now }
  const held: Task = { ...base, hold: { reason, message, since: now } }
  if (task.hold?.reason === reason) return changed(held, [], ended)
  if (reason !== 'cancelled')
    return changed(held, [failedEvent(held, reason, message, task.lease?.agentId ?? null, now)], ended)
  const cancelled = cancelledEvent(task, message, actor)
  return changed(
    held,
    task.column === 'DOING' ? [movedEvent(task, 'TODO', actor), cancelled] : [cancelled],
    ended,
  )
}

function release(task: Task, actor: Actor, now: Instant): TransitionResult {
  if (task.hold === null) return changed(task)
  const released = releasedEvent(task, task.hold.reason, actor)
  return changed({ ...task, hold: null, attempts: 0, updatedAt: now }, [released])
}

function revoke(task: Task, reason: string, actor: Actor, now: Instant): TransitionResult {
  if (task.lease === null) return changed(task)
  const back = { ...backInTodo(task, now), attempts: 0 }
  return changed(back, [movedEvent(task, 'TODO', actor)], ending(task, 'revoked', reason))
}

/** Without its attempt in progress. */
function uncounted(task: Task): Task {
  return { ...task, attempts: Math.max(0, task.attempts - 1) }
}

type Back = 'returned' | 'postponed'

function returnClaim(task: Task, outcome: Back, reason: string, now: Instant): TransitionResult {
  const back = backInTodo(uncounted(task), now)
  return changed(back, [movedEvent(task, 'TODO', agentOf(task))], ending(task, outcome, reason))
}

function expire(task: Task, backoff: Backoff, now: Instant): TransitionResult {
  if (task.lease === null || task.lease.expiresAt > now) return changed(task)
  return endInFailure(task, 'expired', 'the lease expired', backoff, SYSTEM, now)
}

function move(task: Task, to: Column, actor: ActingAs, now: Instant): TransitionResult {
  if (!columns.includes(to)) throw new TaskboardError('INVALID_FIELD', 'to must be a column', { field: 'to' })
  if (task.column === to) return release(task, actor, now)
  const mine = taken(task, actor)
  const events = [movedEvent(task, to, actor)]
  const ended = ending(task, 'revoked', `moved to ${to}`)
  if (to === 'DONE') return changed(finished(mine, now, task.result), events, ended)
  const back = backInTodo(mine, now)
  if (to === 'TODO') return changed(back, events, ended)
  return changed({ ...back, column: 'DOING', startedAt: now, takenBy: mine.takenBy }, events, ended)
}

/** Only the holder of the live lease may write. An expired lease is lost even before a sweep stops it. */
function requireLease(task: Task, fencingToken: number, now: Instant): void {
  const lease = task.lease
  if (lease !== null && lease.fencingToken === fencingToken && lease.expiresAt > now) return
  throw new TaskboardError(
    'CONFLICT',
    'this fencing token no longer holds the lease on the task; stop working on it',
    {
      field: 'fencingToken',
    },
  )
}

/** Renews the lease for `leaseMs`, or (null) for the length that its claim asked for. */
function renewed(task: Task, leaseMs: number | null, now: Instant): Task {
  const { lease } = task
  const expiresAt = now + (leaseMs ?? lease?.durationMs ?? 0)
  return { ...task, updatedAt: now, lease: lease && { ...lease, expiresAt } }
}

function backInTodo(task: Task, now: Instant): Task {
  return {
    ...task,
    column: 'TODO',
    lease: null,
    takenBy: null,
    startedAt: null,
    completedAt: null,
    result: null,
    progress: 0,
    updatedAt: now,
  }
}
