import type { Instant } from '../environment/index.js'
import { plainActor, type EventDraft } from '../events/index.js'
import type { Actor, Column, HoldReason, Task } from './task.js'

export function movedEvent(task: Task, to: Column, actor: Actor): EventDraft {
  const { id: taskId, title, column: from, type, startedAt, completedAt } = task
  const data = { taskId, title, from, to, actor: plainActor(actor), type, startedAt, completedAt }
  return { type: 'task.moved', data }
}

/** Of a task that was put into DONE; `actor` is null for the agent that worked on it. */
export function completedEvent(task: Task, result: string, actor: Actor | null): EventDraft {
  const { id: taskId, title, type, startedAt, updatedAt: completedAt } = task
  const data = { taskId, title, status: 'DONE', startedAt, completedAt, result, type } as const
  return { type: 'task.completed', data: actor === null ? data : { ...data, actor: plainActor(actor) } }
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
  return {
    type: 'task.cancelled',
    data: { taskId, title, status: 'TODO', message, actor: plainActor(actor) },
  }
}

export function releasedEvent({ id: taskId, title }: Task, reason: HoldReason, actor: Actor): EventDraft {
  return { type: 'task.released', data: { taskId, title, status: 'TODO', reason, actor: plainActor(actor) } }
}
