import type { Instant } from '../environment/index.js'
import type { EventDraft } from '../events/index.js'
import type { Actor, Column, HoldReason, Task } from './task.js'

export function movedEvent(task: Task, to: Column, actor: Actor): EventDraft {
  const { id: taskId, title, column: from, type, startedAt, completedAt } = task
  return { type: 'task.moved', data: { taskId, title, from, to, actor, type, startedAt, completedAt } }
}

export function failedEvent(
  task: Task,
  reason: Exclude<HoldReason, 'cancelled'>,
  message: string | null,
  agentId: string | null,
  now: Instant,
): EventDraft {
  const { id: taskId, title, attempts, type } = task
  return {
    type: 'task.failed',
    data: { taskId, title, status: 'TODO', reason, message, agentId, attempts, failedAt: now, type },
  }
}

export function cancelledEvent(
  { id: taskId, title }: Task,
  message: string | null,
  actor: Actor,
): EventDraft {
  return { type: 'task.cancelled', data: { taskId, title, status: 'TODO', message, actor } }
}

export function releasedEvent({ id: taskId, title }: Task, reason: HoldReason, actor: Actor): EventDraft {
  return { type: 'task.released', data: { taskId, title, status: 'TODO', reason, actor } }
}
