import type { Environment } from '../environment/index.js'
import { parseInput, TaskboardError } from '../errors/index.js'
import { integrationEventTypes, type EventDraft, type IntegrationEventType } from './catalog.js'
import type { EventStore } from './event-store.js'
import { alertPayload } from './other-events.js'
import { plainJsonObject } from './plain-json.js'
import { toTaskboardEvent, type TaskboardEvent } from './taskboard-event.js'

/** The `data` of a published event. An alert requires a message for people. */
export type PublishData<T extends IntegrationEventType = IntegrationEventType> = T extends 'agent.alert'
  ? Readonly<Record<string, unknown>> & { readonly message: string }
  : Readonly<Record<string, unknown>>

export interface PublishOptions<Tx> {
  /** The host's open transaction: the event commits or rolls back with it. */
  readonly tx?: Tx | undefined
}

/**
 * Raises an event from outside the board. It goes into the workspace's log, and to its webhooks, listeners and notification
 * channels. Not idempotent: a retried call raises another event.
 * @throws TaskboardError `INVALID_FIELD` for `type` or `data`. With `agent.alert`, including for a name to which the library gives a meaning
 * (`agent_id`, `task_id`, `webhook_id`, `reason`: text or null). `MISSING_FIELD` for an alert without `message`; `NOT_FOUND` for an unknown
 * workspace.
 */
export type Publish<Tx = unknown> = <T extends IntegrationEventType>(
  workspaceId: string,
  type: T,
  data: PublishData<T>,
  options?: PublishOptions<Tx>,
) => Promise<TaskboardEvent>

export function createPublisher<Tx>(parts: { environment: Environment; store: EventStore<Tx> }): Publish<Tx> {
  const { environment, store } = parts
  return async (workspaceId, type, data, options = {}) => {
    const draft = publishDraft(type, data)
    const call = environment.call(options)
    return toTaskboardEvent(await store.appendEvent({ workspaceId, event: draft }, call))
  }
}

/** The event for a host's `type` and `data`: a frozen copy, checked. @throws as `Publish` does for its input. */
export function publishDraft(type: string, data: unknown): EventDraft {
  if (!isIntegrationEventType(type)) {
    const known = integrationEventTypes.join(', ')
    throw new TaskboardError('INVALID_FIELD', `type must be one of ${known}`, { field: 'type' })
  }
  const published = plainJsonObject(data, 'data')
  if (type !== 'agent.alert') return { type, data: published }
  const { message } = parseInput(alertPayload, published)
  if (message.trim() === '') {
    throw new TaskboardError('INVALID_FIELD', 'message must not be blank', { field: 'message' })
  }
  return { type, data: { message, published } }
}

function isIntegrationEventType(type: string): type is IntegrationEventType {
  return (integrationEventTypes as readonly string[]).includes(type)
}
