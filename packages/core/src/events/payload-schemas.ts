import * as z from 'zod'
import type { WebhookEventType } from './catalogue.js'

const time = z.iso.datetime()
const column = z.enum(['TODO', 'DOING', 'DONE'])
const task = { task_id: z.string(), title: z.string() }
const actor = z.object({
  kind: z.enum(['user', 'api_key', 'agent', 'host', 'system']),
  id: z.string().nullable(),
})
const hostData = z.record(z.string(), z.unknown())

/** `data` of `agent.alert`: a message, the library's own names where they apply, and the host's additions. */
export const alertDataSchema = z.looseObject({
  message: z.string(),
  agent_id: z.string().nullish(),
  task_id: z.string().nullish(),
  webhook_id: z.string().nullish(),
  reason: z.string().nullish(),
})

function payload<T extends WebhookEventType, D extends z.ZodType>(event: T, data: D) {
  return z.object({ event: z.literal(event), timestamp: time, data })
}

/**
 * Each webhook's parsed body: `event`, `timestamp` (when it happened) and `data`. Times are ISO 8601 in UTC, absent values null. For
 * receivers: a later version may add fields, which these schemas leave out of their output, and removes none. `email.received`,
 * `order.new` and a host's additions to an alert are the host's own.
 */
export const eventPayloadSchemas = {
  'task.created': payload(
    'task.created',
    z.object({
      ...task,
      status: z.literal('TODO'),
      description: z.string().nullable(),
      priority: z.string(),
      type: z.string().nullable(),
      assigned_to: z.string().nullable(),
      due_date: time.nullable(),
      tags: z.array(z.string()),
      depends_on: z.array(z.string()),
      created_at: time,
      actor,
    }),
  ),
  'task.started': payload(
    'task.started',
    z.object({
      ...task,
      status: z.literal('DOING'),
      agent_id: z.string(),
      attempt: z.int().positive(),
      started_at: time,
    }),
  ),
  'task.completed': payload(
    'task.completed',
    z.object({
      ...task,
      status: z.literal('DONE'),
      started_at: time,
      completed_at: time,
      duration_seconds: z.int().nonnegative(),
      result: z.string(),
    }),
  ),
  'task.failed': payload(
    'task.failed',
    z.object({
      ...task,
      status: z.literal('TODO'),
      reason: z.enum(['failed', 'needs_input', 'approval']),
      message: z.string().nullable(),
      agent_id: z.string().nullable(),
      attempts: z.int().nonnegative(),
      failed_at: time,
    }),
  ),
  'task.moved': payload('task.moved', z.object({ ...task, status: column, from: column, to: column, actor })),
  'agent.alert': payload('agent.alert', alertDataSchema),
  'email.received': payload('email.received', hostData),
  'order.new': payload('order.new', hostData),
} satisfies Record<WebhookEventType, z.ZodType>

/** The parsed webhook body for one type of event. */
export type WebhookPayload<T extends WebhookEventType = WebhookEventType> = {
  [K in WebhookEventType]: z.output<(typeof eventPayloadSchemas)[K]>
}[T]
