import * as z from 'zod'
import { eventKind, type EventKind } from './event-kind.js'
import type { AgentStatus } from './vocabulary.js'
import { agentStatuses } from './vocabulary.js'

/** An alert of the library: from an agent at work, or about a webhook that was disabled. */
export interface RaisedAlertData {
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
export interface PublishedAlertData {
  readonly message: string
  /** The host's whole object, unchanged and including `message`. It is the payload's data. */
  readonly published: Readonly<Record<string, unknown>>
}

/** The data of the events of agents, and of those from outside the board. */
export interface OtherEventData {
  'agent.status': { readonly agentId: string; readonly status: AgentStatus }
  'agent.alert': RaisedAlertData | PublishedAlertData
  /** The host's published object, unchanged. */
  'email.received': Readonly<Record<string, unknown>>
  'order.new': Readonly<Record<string, unknown>>
}

/** `data` of `agent.alert`: a message, the library's own names where they apply, and the host's additions. */
export const alertPayload = z.looseObject({
  message: z.string(),
  agent_id: z.string().nullish(),
  task_id: z.string().nullish(),
  webhook_id: z.string().nullish(),
  reason: z.string().nullish(),
})
const hostPayload = z.record(z.string(), z.unknown())

/** The types of events of agents, and of those from outside the board. */
export const otherEvents = {
  'agent.status': eventKind<OtherEventData['agent.status']>()({
    summary: 'The status of an agent changed',
    webhooks: false,
    notifications: false,
    realtime: 'agents',
    publishable: false,
    payload: z.object({ agent_id: z.string(), status: z.enum(agentStatuses) }),
    render: (data) => ({ agent_id: data.agentId, status: data.status }),
    line: ({ agentId, status }) => `Agent ${agentId} is ${status}`,
    sample: () => ({ agentId: 'agent_sample', status: 'available' }),
    count: null,
  }),

  'agent.alert': eventKind<OtherEventData['agent.alert']>()({
    summary: 'The agent flagged something for attention',
    webhooks: true,
    notifications: true,
    realtime: null,
    publishable: true,
    payload: alertPayload,
    render: (data) =>
      data.published === undefined
        ? {
            message: data.message,
            agent_id: data.agentId ?? null,
            task_id: data.taskId ?? null,
            webhook_id: data.webhookId ?? null,
            reason: data.reason ?? null,
            data: data.data ?? null,
          }
        : (data.published as typeof data.published & { readonly message: string }),
    line: ({ message }) => `Alert: ${message}`,
    sample: () => ({
      message: 'This is what an alert looks like.',
      agentId: 'agent_sample',
      taskId: 'task_sample',
    }),
    count: null,
  }),

  'email.received': eventKind<OtherEventData['email.received']>()({
    summary: 'The mailbox integration detected a new email',
    webhooks: true,
    notifications: false,
    realtime: null,
    publishable: true,
    payload: hostPayload,
    render: (data) => data,
    line: () => 'An email was received',
    sample: () => ({ from: 'sender@example.com', subject: 'A sample email' }),
    count: null,
  }),

  'order.new': eventKind<OtherEventData['order.new']>()({
    summary: 'The connected shop received a new order',
    webhooks: true,
    notifications: false,
    realtime: null,
    publishable: true,
    payload: hostPayload,
    render: (data) => data,
    line: () => 'An order was received',
    sample: () => ({ order_id: 'order_sample', total: '0.00', currency: 'EUR' }),
    count: null,
  }),
} satisfies { readonly [T in keyof OtherEventData]: EventKind<OtherEventData[T]> }
