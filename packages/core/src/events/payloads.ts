import type { Instant } from '../environment/index.js'
import { TaskboardError } from '../errors/index.js'
import { currentPayloadVersion, type EventDraft, type EventFacts, type LoggedEvent } from './catalogue.js'

/** The only inputs of a payload. */
export type PayloadSource = EventDraft & Pick<LoggedEvent, 'at' | 'payloadVersion'>

/** An event as it leaves the process: snake_case names, ISO 8601 UTC times, null for absent values. */
export interface EventPayload {
  readonly event: LoggedEvent['type']
  /** When it happened, not when it is sent. */
  readonly timestamp: string
  readonly data: Readonly<Record<string, unknown>>
}

/**
 * Renders an event: a pure function of its type, time, facts and payload version. `data` follows `eventPayloadSchemas`. A host's
 * published data goes out with its keys unchanged.
 * @throws TaskboardError `INTERNAL_ERROR` for a payload version that this release does not know.
 */
export function renderPayload(event: PayloadSource): EventPayload {
  if (event.payloadVersion !== currentPayloadVersion) {
    throw new TaskboardError(
      'INTERNAL_ERROR',
      `payload version ${event.payloadVersion} is not supported by this release`,
    )
  }
  return { event: event.type, timestamp: iso(event.at), data: renderData(event) }
}

/** The body of a webhook: the rendered event as JSON. Every process renders the same text every time. */
export function encodePayload(event: PayloadSource): string {
  return JSON.stringify(renderPayload(event))
}

function renderData(event: EventDraft): EventPayload['data'] {
  switch (event.type) {
    case 'task.created':
      return created(event.facts)
    case 'task.started':
      return started(event.facts)
    case 'task.completed':
      return completed(event.facts)
    case 'task.failed':
      return failed(event.facts)
    case 'task.moved':
      return moved(event.facts)
    case 'task.progress':
      return { task_id: event.facts.taskId, progress: event.facts.progress }
    case 'agent.status':
      return { agent_id: event.facts.agentId, status: event.facts.status }
    case 'agent.alert':
      return alert(event.facts)
    case 'email.received':
    case 'order.new':
      return event.facts
  }
}

function created(facts: EventFacts['task.created']): EventPayload['data'] {
  return {
    task_id: facts.taskId,
    title: facts.title,
    status: facts.status,
    description: facts.description,
    priority: facts.priority,
    type: facts.type,
    assigned_to: facts.assignedTo,
    due_date: facts.dueDate === null ? null : iso(facts.dueDate),
    tags: facts.tags,
    depends_on: facts.dependsOn,
    created_at: iso(facts.createdAt),
    actor: { kind: facts.actor.kind, id: facts.actor.id },
  }
}

function started(facts: EventFacts['task.started']): EventPayload['data'] {
  return {
    task_id: facts.taskId,
    title: facts.title,
    status: facts.status,
    agent_id: facts.agentId,
    attempt: facts.attempt,
    started_at: iso(facts.startedAt),
  }
}

function completed(facts: EventFacts['task.completed']): EventPayload['data'] {
  return {
    task_id: facts.taskId,
    title: facts.title,
    status: facts.status,
    started_at: iso(facts.startedAt),
    completed_at: iso(facts.completedAt),
    duration_seconds: Math.max(0, Math.floor((facts.completedAt - facts.startedAt) / 1000)),
    result: facts.result,
  }
}

function failed(facts: EventFacts['task.failed']): EventPayload['data'] {
  return {
    task_id: facts.taskId,
    title: facts.title,
    status: facts.status,
    reason: facts.reason,
    message: facts.message,
    agent_id: facts.agentId,
    attempts: facts.attempts,
    failed_at: iso(facts.failedAt),
  }
}

function moved(facts: EventFacts['task.moved']): EventPayload['data'] {
  return {
    task_id: facts.taskId,
    title: facts.title,
    status: facts.to,
    from: facts.from,
    to: facts.to,
    actor: { kind: facts.actor.kind, id: facts.actor.id },
  }
}

function alert(facts: EventFacts['agent.alert']): EventPayload['data'] {
  if (facts.published !== undefined) return facts.published
  return {
    message: facts.message,
    agent_id: facts.agentId ?? null,
    task_id: facts.taskId ?? null,
    webhook_id: facts.webhookId ?? null,
    reason: facts.reason ?? null,
    data: facts.data ?? null,
  }
}

function iso(instant: Instant): string {
  return new Date(instant).toISOString()
}
