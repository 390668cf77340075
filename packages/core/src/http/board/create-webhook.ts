import { parseInput } from '../../errors/index.js'
import { newWebhookInput, type Webhook, type Webhooks } from '../../webhooks/index.js'
import { idempotencyClaim } from '../idempotency-key.js'
import { writing, type BoardOperation } from './operation.js'

type WebhookInput = Parameters<Webhooks['register']>[1]

/** `/api/webhooks/create`: registers an endpoint of the caller's default workspace. */
export const createWebhook: BoardOperation = {
  ...writing,
  scope: 'webhooks:write',
  checkFields: (body) => void parseInput(newWebhookInput, body),
  async run({ surface, principal, request, body }) {
    const { url, events, secret } = body
    const input = { url, events, ...(secret === undefined || secret === null ? {} : { secret }) }
    const idempotency = idempotencyClaim(request, principal, 'webhooks/create', input)
    const webhook = await surface.quota.createHeld(principal, 'webhooks', (tx) =>
      surface.webhooks.register(principal.defaultWorkspaceId, input as WebhookInput, { idempotency, tx }),
    )
    return JSON.stringify({ success: true, webhook: toWireWebhook(webhook) })
  },
}

/** Never the secret: `signed` says whether there is one. */
function toWireWebhook({ id, url, events, enabled, signed, createdAt }: Webhook): object {
  return { id, url, events, enabled, signed, created_at: new Date(createdAt).toISOString() }
}
