import { z } from 'zod'
import { webhookEventTypes } from '../../events/index.js'
import { deliveryStatuses, disabledReasons, type DeliveryRecord, type Webhook } from '../../webhooks/index.js'
import { timestamp, toTimestamp } from './wire-schemas.js'

/** A webhook in an answer, never with its secret. */
export const webhookJson = z
  .object({
    id: z.string(),
    workspace_id: z.string(),
    url: z.string(),
    events: z.array(z.enum(webhookEventTypes)),
    signed: z.boolean().meta({ description: 'Whether deliveries carry a signature.' }),
    enabled: z.boolean(),
    disabled_reason: z.enum(disabledReasons).nullable(),
    failing_since: timestamp.nullable(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Webhook' })

/** An entry of a webhook's log. */
export const deliveryJson = z
  .object({
    id: z.string(),
    event: z.object({ type: z.enum(webhookEventTypes), at: timestamp }),
    status: z.enum(deliveryStatuses).meta({
      description:
        'skipped: it was created or fell due while the webhook was disabled. Resend it to send it.',
    }),
    attempt_count: z.int(),
    attempts: z.array(
      z.object({
        at: timestamp,
        duration_ms: z.number(),
        status: z.int().nullable().meta({ description: "The receiver's status; null when there was none." }),
        error: z.string().nullable(),
        response: z.string().nullable().meta({ description: 'The first 1 KiB of the receiver’s answer.' }),
      }),
    ),
    next_attempt_at: timestamp.nullable(),
    created_at: timestamp,
  })
  .meta({ id: 'Delivery' })

export function toWireWebhook(webhook: Webhook): z.output<typeof webhookJson> {
  const { id, workspaceId, url, events, signed, enabled, disabledReason, failingSince } = webhook
  return {
    id,
    workspace_id: workspaceId,
    url,
    events: [...events],
    signed,
    enabled,
    disabled_reason: disabledReason,
    failing_since: toTimestamp(failingSince),
    created_at: toTimestamp(webhook.createdAt),
    updated_at: toTimestamp(webhook.updatedAt),
  }
}

export function toWireDelivery(delivery: DeliveryRecord): z.output<typeof deliveryJson> {
  const { id, event, status, attemptCount, attempts, nextAttemptAt, createdAt } = delivery
  return {
    id,
    event: { type: event.type, at: toTimestamp(event.at) },
    status,
    attempt_count: attemptCount,
    attempts: attempts.map((attempt) => ({
      at: toTimestamp(attempt.at),
      duration_ms: attempt.durationMs,
      status: attempt.status,
      error: attempt.error,
      response: attempt.responseExcerpt,
    })),
    next_attempt_at: toTimestamp(nextAttemptAt),
    created_at: toTimestamp(createdAt),
  }
}
