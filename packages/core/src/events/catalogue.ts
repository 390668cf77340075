import type { Instant } from '../environment/index.js'

/** The events that webhooks can subscribe to: the seven documented ones, and `task.moved`. */
export const webhookEventTypes = [
  'task.created',
  'task.started',
  'task.completed',
  'task.failed',
  'task.moved',
  'agent.alert',
  'email.received',
  'order.new',
] as const
export type WebhookEventType = (typeof webhookEventTypes)[number]

/** The events that come from outside the board, through `taskboard.publish`. */
export const integrationEventTypes = ['email.received', 'order.new', 'agent.alert'] as const
export type IntegrationEventType = (typeof integrationEventTypes)[number]

/** All events of the log: those for webhooks, and those for live listeners only. */
export type EventType = WebhookEventType | 'task.progress' | 'agent.status'

interface TaskFacts {
  readonly taskId: string
  readonly title: string
}

interface EventActor {
  readonly kind: 'user' | 'api_key' | 'agent' | 'host' | 'system'
  readonly id: string | null
}

/** An alert of the library: from an agent at work, or about a webhook that was disabled. */
export interface RaisedAlertFacts {
  readonly message: string
  readonly agentId?: string | null
  readonly taskId?: string | null
  readonly webhookId?: string | null
  /** The webhook's address. It may contain a token, so it stays in this process and is in no payload. */
  readonly url?: string | null
  readonly reason?: string | null
  /** What the agent added, with its own keys. */
  readonly data?: Readonly<Record<string, unknown>> | null
  readonly published?: never
}

/** An alert that the host published. */
export interface PublishedAlertFacts {
  readonly message: string
  /** The host's whole object, unchanged and including `message`. It is the payload's data. */
  readonly published: Readonly<Record<string, unknown>>
}

/**
 * The immutable facts of each event, written in the transaction of the change. Times are epoch milliseconds. A webhook's body is a pure
 * function of these, the event's time and the payload version. Optional facts serve analytics, and are in no payload.
 */
export interface EventFacts {
  'task.created': TaskFacts & {
    readonly status: 'TODO'
    readonly description: string | null
    readonly priority: string
    readonly type: string | null
    readonly assignedTo: string | null
    readonly dueDate: Instant | null
    readonly tags: readonly string[]
    readonly dependsOn: readonly string[]
    readonly createdAt: Instant
    readonly actor: EventActor
  }
  'task.started': TaskFacts & {
    readonly status: 'DOING'
    readonly agentId: string
    readonly attempt: number
    readonly startedAt: Instant
  }
  'task.completed': TaskFacts & {
    readonly status: 'DONE'
    readonly startedAt: Instant
    readonly completedAt: Instant
    readonly result: string
    readonly type?: string | null
  }
  'task.failed': TaskFacts & {
    readonly status: 'TODO'
    /** The hold that the task is now under. */
    readonly reason: 'failed' | 'needs_input' | 'approval'
    readonly message: string | null
    readonly agentId: string | null
    readonly attempts: number
    readonly failedAt: Instant
    readonly type?: string | null
  }
  'task.moved': TaskFacts & {
    readonly from: 'TODO' | 'DOING' | 'DONE'
    readonly to: 'TODO' | 'DOING' | 'DONE'
    readonly actor: EventActor
    readonly type?: string | null
    /** When it had entered DOING, and DONE, before the move; null if it was not there, or had left again. */
    readonly startedAt?: Instant | null
    readonly completedAt?: Instant | null
  }
  'task.progress': { readonly taskId: string; readonly progress: number }
  'agent.status': { readonly agentId: string; readonly status: 'available' | 'busy' | 'offline' }
  'agent.alert': RaisedAlertFacts | PublishedAlertFacts
  /** The host's published object, unchanged. */
  'email.received': Readonly<Record<string, unknown>>
  'order.new': Readonly<Record<string, unknown>>
}

/** An event before it has a place in the log. */
export type EventDraft = { [T in EventType]: { readonly type: T; readonly facts: EventFacts[T] } }[EventType]

/** An event as stored in the log. */
export type LoggedEvent = EventDraft & {
  /** `log_…`; its webhook deliveries have their own ids. */
  readonly id: string
  readonly workspaceId: string
  /** Its place in the workspace's log: 1, 2, 3 … No reader sees a later one before an earlier one. */
  readonly seq: number
  readonly at: Instant
  /** The version of the payload that is rendered from `facts`. */
  readonly payloadVersion: number
}

/** The version that new events are written with. */
export const currentPayloadVersion = 1
