import type { EventDraft } from '../events/index.js'
import type { Actor, AttemptOutcome, Task } from './task.js'

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

export function agentOf(task: Task): Actor {
  return { kind: 'agent', id: task.lease?.agentId ?? null }
}

export function ending(
  task: Task,
  outcome: AttemptOutcome,
  reason: string | null,
): TransitionResult['endedAttempt'] {
  return task.lease === null ? null : { fencingToken: task.lease.fencingToken, outcome, reason }
}

export function changed(
  task: Task,
  events: readonly EventDraft[] = [],
  endedAttempt: TransitionResult['endedAttempt'] = null,
): TransitionResult {
  return { task, events, endedAttempt }
}
