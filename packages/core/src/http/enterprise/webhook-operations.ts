import { z } from 'zod'
import type { Principal } from '../../access/index.js'
import { wholeNumber } from '../../errors/index.js'
import type { Surface } from '../../surface.js'
import { deliveryStatuses, newWebhookInput, webhookChangeInput, type Webhook } from '../../webhooks/index.js'
import { idempotencyClaim } from '../idempotency-key.js'
import { operation } from './operation.js'
import { deliveryJson, toWireDelivery, toWireWebhook, webhookJson } from './webhook-schemas.js'
import { idText, nextCursor, pageQuery } from './wire-schemas.js'
import { resendBody } from './webhook-resend.js'
import { workspaceOf } from './workspace-of.js'

const webhookId = z.object({ webhook_id: idText })

const LONGEST_OVERLAP_S = 2_592_000

const createWebhook = operation({
  id: 'createWebhook',
  tag: 'webhooks',
  summary: 'Registers an endpoint for events of a workspace',
  description: 'Without a secret, deliveries carry no signature. No answer contains the secret.',
  method: 'POST',
  path: '/v2/webhooks',
  scope: 'webhooks:write',
  idempotent: true,
  body: newWebhookInput.extend({ workspace_id: idText.nullish() }),
  answer: { status: 201, schema: webhookJson },
  async run({ surface, principal, request, body }) {
    const { workspace_id: wanted, ...input } = body
    const workspaceId = await workspaceOf(surface, principal, wanted)
    const idempotency = idempotencyClaim(request, principal, 'POST /v2/webhooks', { ...input, workspaceId })
    const webhook = await surface.quota.createHeld(principal, 'webhooks', (tx) =>
      surface.webhooks.register(workspaceId, input, { idempotency, tx }),
    )
    return toWireWebhook(webhook)
  },
})

const listWebhooks = operation({
  id: 'listWebhooks',
  tag: 'webhooks',
  summary: 'The webhooks of a workspace, oldest first',
  method: 'GET',
  path: '/v2/webhooks',
  scope: 'webhooks:read',
  query: z.object({ workspace_id: idText.optional() }),
  answer: { status: 200, schema: z.object({ webhooks: z.array(webhookJson) }) },
  async run({ surface, principal, query }) {
    const webhooks = await surface.webhooks.list(await workspaceOf(surface, principal, query.workspace_id))
    return { webhooks: webhooks.map(toWireWebhook) }
  },
})

const getWebhook = operation({
  id: 'getWebhook',
  tag: 'webhooks',
  summary: 'One webhook',
  method: 'GET',
  path: '/v2/webhooks/{webhook_id}',
  scope: 'webhooks:read',
  params: webhookId,
  answer: { status: 200, schema: webhookJson },
  run: async ({ surface, principal, params }) => toWireWebhook(await find(surface, principal, params)),
})

const updateWebhook = operation({
  id: 'updateWebhook',
  tag: 'webhooks',
  summary: 'Changes the given fields; enabling clears the failures',
  method: 'PATCH',
  path: '/v2/webhooks/{webhook_id}',
  scope: 'webhooks:write',
  params: webhookId,
  body: webhookChangeInput,
  answer: { status: 200, schema: webhookJson },
  async run({ surface, principal, params, body }) {
    const { workspaceId, id } = await find(surface, principal, params)
    return toWireWebhook(await surface.webhooks.update(workspaceId, id, body))
  },
})

const deleteWebhook = operation({
  id: 'deleteWebhook',
  tag: 'webhooks',
  summary: 'Deletes a webhook with its log',
  method: 'DELETE',
  path: '/v2/webhooks/{webhook_id}',
  scope: 'webhooks:write',
  params: webhookId,
  answer: { status: 204 },
  async run({ surface, principal, params }) {
    const { workspaceId, id } = await find(surface, principal, params)
    await surface.webhooks.delete(workspaceId, id)
  },
})

const rotateWebhookSecret = operation({
  id: 'rotateWebhookSecret',
  tag: 'webhooks',
  summary: 'Rotates the secret of a webhook; the new one is returned only once',
  description: 'The old secret also signs for overlap_s seconds, by default one day.',
  method: 'POST',
  path: '/v2/webhooks/{webhook_id}/rotate-secret',
  scope: 'webhooks:write',
  params: webhookId,
  body: z.object({
    secret: newWebhookInput.shape.secret,
    overlap_s: wholeNumber(0, LONGEST_OVERLAP_S).optional(),
  }),
  answer: { status: 200, schema: z.object({ webhook: webhookJson, secret: z.string() }) },
  async run({ surface, principal, params, body }) {
    const { workspaceId, id } = await find(surface, principal, params)
    const overlapMs = body.overlap_s === undefined ? undefined : body.overlap_s * 1_000
    const rotated = await surface.webhooks.rotateSecret(workspaceId, id, { secret: body.secret, overlapMs })
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
  scope: 'webhooks:write',
  params: webhookId,
  body: z.object({}),
  answer: { status: 200, schema: deliveryJson },
  async run({ surface, principal, params }) {
    const { workspaceId, id } = await find(surface, principal, params)
    return toWireDelivery(await surface.webhooks.test(workspaceId, id))
  },
})

const listDeliveries = operation({
  id: 'listDeliveries',
  tag: 'webhooks',
  summary: 'The log of a webhook, newest first',
  method: 'GET',
  path: '/v2/webhooks/{webhook_id}/deliveries',
  scope: 'webhooks:read',
  params: webhookId,
  query: z.object({
    status: z.enum(deliveryStatuses, { error: `must be one of ${deliveryStatuses.join(', ')}` }).optional(),
    ...pageQuery,
  }),
  answer: { status: 200, schema: z.object({ deliveries: z.array(deliveryJson), next_cursor: nextCursor }) },
  async run({ surface, principal, params, query }) {
    const { workspaceId, id } = await find(surface, principal, params)
    const page = await surface.webhooks.deliveries(workspaceId, id, query)
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
  scope: 'webhooks:write',
  params: webhookId,
  body: resendBody,
  answer: { status: 200, schema: z.object({ resent: z.int() }) },
  async run({ surface, principal, params, body }) {
    const { workspaceId, id } = await find(surface, principal, params)
    const { delivery_id: deliveryId, from = 0, to = 0 } = body
    const which = deliveryId === undefined ? { from, to } : { deliveryId }
    return { resent: await surface.webhooks.resend(workspaceId, id, which) }
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
  surface: Surface,
  principal: Principal,
  { webhook_id: id }: { readonly webhook_id: string },
): Promise<Webhook> {
  return surface.webhooks.find(principal, id)
}
