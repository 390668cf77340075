import { z } from 'zod'
import type { Principal } from '../../access/index.js'
import { wholeNumber } from '../../errors/index.js'
import { webhookEventTypes } from '../../events/index.js'
import type { TransportServices } from '../../wiring/transport-services.js'
import {
  createdWebhookInput,
  type DeliveryRecord,
  deliveryStatuses,
  disabledReasons,
  newWebhookInput,
  type Webhook,
  webhookChangeInput,
} from '../../webhooks/index.js'
import { idempotencyClaim } from '../idempotency-key.js'
import { operation, workspaceOf } from './operation.js'
import { idText, instantText, nextCursor, pageQuery, timestamp, toTimestamp } from '../wire/wire-schemas.js'

/** A webhook in an answer, never with its secret. */
const webhookJson = z
  .object({
    id: z.string(),
    workspace_id: z.string(),
    url: z.string(),
    events: z.array(z.enum(webhookEventTypes)),
    signed: z.boolean().meta({ description: 'Whether deliveries carry a signature.' }),
    weak_secret: z.boolean().meta({ description: 'Whether its secret is too short: rotate it.' }),
    enabled: z.boolean(),
    disabled_reason: z.enum(disabledReasons).nullable(),
    failing_since: timestamp.nullable(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Webhook' })

/** A webhook in the answer to its creation. */
const createdWebhookJson = z
  .object({
    ...webhookJson.shape,
    secret: z
      .string()
      .nullable()
      .meta({ description: 'With generate_secret, and only in this response; else null.' }),
  })
  .meta({ id: 'CreatedWebhook' })

/** A secret that a user chooses. */
const chosenSecret = newWebhookInput.shape.secret.meta({
  description: 'At least 16 characters, or as many as the host asks for.',
})

/** An entry of a webhook's log. */
const deliveryJson = z
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

function toWireWebhook(webhook: Webhook): z.output<typeof webhookJson> {
  const { id, workspaceId, url, events, signed, weakSecret, enabled, disabledReason, failingSince } = webhook
  return {
    id,
    workspace_id: workspaceId,
    url,
    events: [...events],
    signed,
    weak_secret: weakSecret,
    enabled,
    disabled_reason: disabledReason,
    failing_since: toTimestamp(failingSince),
    created_at: toTimestamp(webhook.createdAt),
    updated_at: toTimestamp(webhook.updatedAt),
  }
}

function toWireDelivery(delivery: DeliveryRecord): z.output<typeof deliveryJson> {
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

/** Selects one delivery or a time range. */
const resendBody = z
  .object({
    delivery_id: idText.optional(),
    from: instantText.optional(),
    to: instantText.optional(),
  })
  .superRefine(({ delivery_id: deliveryId, from, to }, context) => {
    if (deliveryId !== undefined) return
    if (from === undefined && to === undefined)
      context.addIssue({ code: 'custom', path: ['delivery_id'], message: 'is required, or from and to' })
    else if (from === undefined || to === undefined)
      context.addIssue({ code: 'custom', path: [from === undefined ? 'from' : 'to'], message: 'is required' })
    else if (from >= to) context.addIssue({ code: 'custom', path: ['to'], message: 'must be after from' })
  })

const webhookId = z.object({ webhook_id: idText })

const LONGEST_OVERLAP_S = 2_592_000

const createWebhook = operation({
  id: 'createWebhook',
  tag: 'webhooks',
  summary: 'Registers an endpoint for events of a workspace',
  description:
    'With generate_secret, the response has a new secret, once. Without a secret, deliveries carry no signature. A webhook of the workspace with the same URL and events is returned instead of a second one. If the given or generated secret differs from its secret, the response is 409 with its id.',
  method: 'POST',
  path: '/v2/webhooks',
  client: 'webhooks.create',
  scope: 'webhooks:write',
  idempotent: true,
  body: newWebhookInput.extend({
    secret: chosenSecret,
    generate_secret: createdWebhookInput.shape.generateSecret,
    workspace_id: idText.nullish(),
  }),
  example: { url: 'https://receiver.example/hook', events: ['task.created'], generate_secret: true },
  answer: { status: 201, schema: createdWebhookJson },
  async run({ services, principal, by, request, body }) {
    const { workspace_id: wanted, generate_secret: generateSecret, ...given } = body
    const input = { ...given, generateSecret }
    const workspaceId = await workspaceOf(services, principal, wanted)
    const idempotency = idempotencyClaim(request, principal, 'POST /v2/webhooks', { ...input, workspaceId })
    const { webhook, secret } = await services.quota.createHeld(principal, 'webhooks', (tx) =>
      services.webhooks.create(workspaceId, input, { idempotency, tx, by }),
    )
    return { ...toWireWebhook(webhook), secret }
  },
})

const listWebhooks = operation({
  id: 'listWebhooks',
  tag: 'webhooks',
  summary: 'The webhooks of a workspace, oldest first',
  method: 'GET',
  path: '/v2/webhooks',
  client: 'webhooks.list',
  scope: 'webhooks:read',
  query: z.object({ workspace_id: idText.optional() }),
  answer: { status: 200, schema: z.object({ webhooks: z.array(webhookJson) }) },
  async run({ services, principal, query }) {
    const webhooks = await services.webhooks.list(await workspaceOf(services, principal, query.workspace_id))
    return { webhooks: webhooks.map(toWireWebhook) }
  },
})

const getWebhook = operation({
  id: 'getWebhook',
  tag: 'webhooks',
  summary: 'One webhook',
  method: 'GET',
  path: '/v2/webhooks/{webhook_id}',
  client: 'webhooks.get',
  scope: 'webhooks:read',
  params: webhookId,
  answer: { status: 200, schema: webhookJson },
  run: async ({ services, principal, params }) => toWireWebhook(await find(services, principal, params)),
})

const updateWebhook = operation({
  id: 'updateWebhook',
  tag: 'webhooks',
  summary: 'Changes the given fields; enabling clears the failures',
  method: 'PATCH',
  path: '/v2/webhooks/{webhook_id}',
  client: 'webhooks.update',
  scope: 'webhooks:write',
  params: webhookId,
  body: webhookChangeInput,
  example: { enabled: true },
  answer: { status: 200, schema: webhookJson },
  async run({ services, principal, by, params, body }) {
    const { workspaceId, id } = await find(services, principal, params)
    return toWireWebhook(await services.webhooks.update(workspaceId, id, body, { by }))
  },
})

const deleteWebhook = operation({
  id: 'deleteWebhook',
  tag: 'webhooks',
  summary: 'Deletes a webhook with its log',
  method: 'DELETE',
  path: '/v2/webhooks/{webhook_id}',
  client: 'webhooks.delete',
  scope: 'webhooks:write',
  params: webhookId,
  answer: { status: 204 },
  async run({ services, principal, by, params }) {
    const { workspaceId, id } = await find(services, principal, params)
    await services.webhooks.delete(workspaceId, id, { by })
  },
})

const rotateWebhookSecret = operation({
  id: 'rotateWebhookSecret',
  tag: 'webhooks',
  summary: 'Rotates the secret of a webhook; the new one is returned only once',
  description: 'The old secret also signs for overlap_s seconds, by default one day.',
  method: 'POST',
  path: '/v2/webhooks/{webhook_id}/rotate-secret',
  client: 'webhooks.rotateSecret',
  repeatable: false,
  scope: 'webhooks:write',
  params: webhookId,
  body: z.object({
    secret: chosenSecret,
    overlap_s: wholeNumber(0, LONGEST_OVERLAP_S).optional(),
  }),
  example: { overlap_s: 3_600 },
  answer: { status: 200, schema: z.object({ webhook: webhookJson, secret: z.string() }) },
  async run({ services, principal, by, params, body }) {
    services.webhooks.requireLongSecret(body.secret)
    const { workspaceId, id } = await find(services, principal, params)
    const overlapMs = body.overlap_s === undefined ? undefined : body.overlap_s * 1_000
    const rotated = await services.webhooks.rotateSecret(
      workspaceId,
      id,
      { secret: body.secret, overlapMs },
      { by },
    )
    return { webhook: toWireWebhook(rotated.webhook), secret: rotated.secret }
  },
})

const testWebhook = operation({
  id: 'testWebhook',
  tag: 'webhooks',
  summary: 'Sends a sample event to this webhook only',
  description: 'The log has the result under the returned id.',
  method: 'POST',
  path: '/v2/webhooks/{webhook_id}/test',
  client: 'webhooks.test',
  repeatable: false,
  scope: 'webhooks:write',
  params: webhookId,
  body: z.object({}),
  answer: { status: 200, schema: deliveryJson },
  async run({ services, principal, params }) {
    const { workspaceId, id } = await find(services, principal, params)
    return toWireDelivery(await services.webhooks.test(workspaceId, id))
  },
})

const listDeliveries = operation({
  id: 'listDeliveries',
  tag: 'webhooks',
  summary: 'The log of a webhook: its deliveries with their attempts, newest first',
  method: 'GET',
  path: '/v2/webhooks/{webhook_id}/deliveries',
  client: 'webhooks.deliveries',
  scope: 'webhooks:read',
  params: webhookId,
  query: z.object({
    status: z.enum(deliveryStatuses, { error: `must be one of ${deliveryStatuses.join(', ')}` }).optional(),
    ...pageQuery,
  }),
  answer: { status: 200, schema: z.object({ deliveries: z.array(deliveryJson), next_cursor: nextCursor }) },
  async run({ services, principal, params, query }) {
    const { workspaceId, id } = await find(services, principal, params)
    const page = await services.webhooks.deliveries(workspaceId, id, query)
    return { deliveries: page.deliveries.map(toWireDelivery), next_cursor: page.nextCursor }
  },
})

const resendDeliveries = operation({
  id: 'resendDeliveries',
  tag: 'webhooks',
  summary: 'Sends finished deliveries again, with the same id and body',
  description: 'One by delivery_id, or all created in [from, to) that failed or were skipped.',
  method: 'POST',
  path: '/v2/webhooks/{webhook_id}/resend',
  client: 'webhooks.resend',
  repeatable: false,
  scope: 'webhooks:write',
  params: webhookId,
  body: resendBody,
  example: { delivery_id: 'evt_00000000000000000000000000' },
  answer: { status: 200, schema: z.object({ resent: z.int() }) },
  async run({ services, principal, by, params, body }) {
    const { workspaceId, id } = await find(services, principal, params)
    const { delivery_id: deliveryId, from = 0, to = 0 } = body
    const which = deliveryId === undefined ? { from, to } : { deliveryId }
    return { resent: await services.webhooks.resend(workspaceId, id, which, { by }) }
  },
})

/** Operations on webhooks. */
export const webhookOperations = [
  createWebhook,
  listWebhooks,
  getWebhook,
  updateWebhook,
  deleteWebhook,
  rotateWebhookSecret,
  testWebhook,
  listDeliveries,
  resendDeliveries,
]

function find(
  services: TransportServices,
  principal: Principal,
  { webhook_id: id }: { readonly webhook_id: string },
): Promise<Webhook> {
  return services.webhooks.find(principal, id)
}
