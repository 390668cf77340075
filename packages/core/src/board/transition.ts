import type { Instant } from '../environment/index.js'
import { TaskboardError } from '../errors/index.js'
import type { EventDraft } from '../events/index.js'
import { backoffDelayMs, type Backoff } from './backoff.js'
import {
  columns,
  makeTask,
  type Actor,
  type AttemptOutcome,
  type Column,
  type HoldReason,
  type Lease,
  type Task,
} from './task.js'
import { cancelledEvent, failedEvent, movedEvent, releasedEvent } from './transition-events.js'

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
      /** The attempt does not count: the agent asks, and has not failed. Default: it counts. */
      readonly isUncounted?: boolean | undefined
    }
  | { readonly kind: 'return_claim'; readonly fencingToken: number; readonly reason: string }
  | { readonly kind: 'expire'; readonly backoff: Backoff }
  | { readonly kind: 'move'; readonly to: Column; readonly actor: Actor }
  | {
      readonly kind: 'hold'
      readonly reason: HoldReason
      readonly message: string | null
      readonly actor: Actor
    }
  | { readonly kind: 'release'; readonly actor: Actor }
  /** Takes a task away from the agent that works it. */
  | { readonly kind: 'revoke'; readonly reason: string; readonly actor: Actor }
  | { readonly kind: 'dependency_done' }
  | { readonly kind: 'dependency_reopened' }

/** The effect of a command. */
export interface TransitionResult {
  /** The new task; the same object when nothing changed. */
  readonly task: Task
  /** The events to log in the same transaction, in order. */
  readonly events: readonly EventDraft[]
  /** The attempt that this ended; null when none was in progress. */
  readonly endedAttempt: {
    readonly fencingToken: number
    readonly outcome: AttemptOutcome
    readonly reason: string | null
  } | null
}

const SYSTEM: Actor = { kind: 'system', id: null }

/**
 * The board's state machine: applies `command` to `task` at `now`. Pure. The storages call it, or do the same in SQL.
 *
 * It does not change the dependents. The caller also applies `dependency_done` to each dependent when the column became DONE, and
 * `dependency_reopened` when it was DONE and no longer is.
 *
 * A repeated `complete`, with the same fencing token and the same result as the one that brought the task to DONE, changes nothing.
 *
 * @throws TaskboardError `CONFLICT` when the state forbids the command: a fencing token that is not the live lease's, a
 *   claim of a task that is not ready, a hold on a task in DONE.
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
      return handBack(task, command.reason, now)
    case 'expire':
      return expire(task, command.backoff, now)
    case 'move':
      return move(task, command.to, command.actor, now)
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
    hasComments: task.hasComments,
    traceparent: task.traceparent,
  })
}

function progress(task: Task, percent: number, leaseMs: number | null, now: Instant): TransitionResult {
  const after = { ...renewed(task, leaseMs, now), progress: percent }
  if (percent === task.progress) return changed(after)
  return changed(after, [{ type: 'task.progress', data: { taskId: task.id, progress: percent } }])
}

function complete(task: Task, result: string, now: Instant): TransitionResult {
  const done = finished(task, now, result)
  const data = {
    taskId: task.id,
    title: task.title,
    status: 'DONE' as const,
    startedAt: task.startedAt ?? now,
    completedAt: now,
    result,
    type: task.type,
  }
  return changed(done, [{ type: 'task.completed', data }], ending(task, 'completed', null))
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

function handBack(task: Task, reason: string, now: Instant): TransitionResult {
  const back = backInTodo(uncounted(task), now)
  return changed(back, [movedEvent(task, 'TODO', agentOf(task))], ending(task, 'handed_back', reason))
}

function expire(task: Task, backoff: Backoff, now: Instant): TransitionResult {
  if (task.lease === null || task.lease.expiresAt > now) return changed(task)
  return endInFailure(task, 'expired', 'the lease expired', backoff, SYSTEM, now)
}

function move(task: Task, to: Column, actor: Actor, now: Instant): TransitionResult {
  if (!columns.includes(to)) throw new TaskboardError('INVALID_FIELD', 'to must be a column', { field: 'to' })
  if (task.column === to) return release(task, actor, now)
  const cleared = { ...task, hold: null, attempts: 0 }
  const events = [movedEvent(task, to, actor)]
  const ended = ending(task, 'revoked', `moved to ${to}`)
  if (to === 'DONE') return changed(finished(cleared, now, task.result), events, ended)
  if (to === 'TODO') return changed(backInTodo(cleared, now), events, ended)
  return changed({ ...backInTodo(cleared, now), column: 'DOING', startedAt: now }, events, ended)
}

/**
 * A side effect of an edit: assigning a task to another agent takes it away from the one that works it.
 * @example
 * ```ts
 * import { createTaskboard, transition } from '@taskboard/core'
 * import { revocationBy } from '@taskboard/core/storage'
 * import { memoryStorage } from '@taskboard/memory'
 *
 * const taskboard = createTaskboard({ storage: memoryStorage() })
 * const { workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'professional' })
 * const task = await taskboard.board(workspace.id).add({ title: 'Translate the manual' })
 * const claim = { kind: 'claim', agentId: 'agent_1', leaseMs: 60_000 } as const
 * const claimed = transition(task, claim, task.createdAt).task
 * const command = revocationBy(claimed, { ...claimed, assignedTo: 'agent_2' }, { kind: 'user', id: 'user_1' })
 * console.log(command?.kind) // revoke
 * ```
 */
export function revocationBy(before: Task, after: Task, actor: Actor): TaskCommand | null {
  const { assignedTo, lease } = after
  if (lease === null || assignedTo === null || assignedTo === before.assignedTo) return null
  return assignedTo === lease.agentId ? null : { kind: 'revoke', reason: 'assigned to another agent', actor }
}

/**
 * Whether the task is in DONE by this very completion. Its agent repeats it when the answer to the first call was lost.
 * A person's move to DONE leaves no result, and a move out of DONE deletes the result.
 * @example
 * ```ts
 * import { createTaskboard } from '@taskboard/core'
 * import { isCompletedBy } from '@taskboard/core/storage'
 * import { memoryStorage } from '@taskboard/memory'
 *
 * const taskboard = createTaskboard({ storage: memoryStorage() })
 * const { workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'professional' })
 * const task = await taskboard.board(workspace.id).add({ title: 'Translate the manual' })
 * const done = { ...task, column: 'DONE', fencingToken: 1, result: 'translated' } as const
 * console.log(isCompletedBy(done, 1, 'translated'), isCompletedBy(done, 1, 'another')) // true false
 * ```
 */
export function isCompletedBy(task: Task, fencingToken: number, result: string): boolean {
  return task.column === 'DONE' && task.fencingToken === fencingToken && task.result === result
}

/** Only the holder of the live lease may write. An expired lease is lost even before a sweep ends it. */
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
    startedAt: null,
    completedAt: null,
    result: null,
    progress: 0,
    updatedAt: now,
  }
}

function finished(task: Task, now: Instant, result: string | null): Task {
  return { ...task, column: 'DONE', lease: null, completedAt: now, progress: 100, result, updatedAt: now }
}

function agentOf(task: Task): Actor {
  return { kind: 'agent', id: task.lease?.agentId ?? null }
}

function ending(
  task: Task,
  outcome: AttemptOutcome,
  reason: string | null,
): TransitionResult['endedAttempt'] {
  return task.lease === null ? null : { fencingToken: task.lease.fencingToken, outcome, reason }
}

function changed(
  task: Task,
  events: readonly EventDraft[] = [],
  endedAttempt: TransitionResult['endedAttempt'] = null,
): TransitionResult {
  return { task, events, endedAttempt }
}
