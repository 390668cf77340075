import { parseInput } from '../../errors/index.js'
import { newWebhookInput, type Webhook } from '../../webhooks/index.js'
import { fieldNamesOf, NO_FIELDS } from '../field-names.js'
import { idempotencyClaim } from '../idempotency-key.js'
import { writing, type BoardOperation } from './operation.js'

/** `/api/webhooks/create`: registers an endpoint of the caller's default workspace. */
export const createWebhook: BoardOperation = {
  ...writing,
  scope: 'webhooks:write',
  parameters: NO_FIELDS,
  fields: fieldNamesOf(newWebhookInput),
  checkFields: (body) => void parseInput(newWebhookInput, body),
  async run({ surface, principal, request, body }) {
    const { url, events, secret } = parseInput(newWebhookInput, body)
    const input = { url, events, ...(secret == null ? {} : { secret }) }
    const idempotency = idempotencyClaim(request, principal, 'webhooks/create', input)
    const webhook = await surface.quota.createHeld(principal, 'webhooks', (tx) =>
      surface.webhooks.register(principal.defaultWorkspaceId, input, { idempotency, tx }),
    )
    return JSON.stringify({ success: true, webhook: toWireWebhook(webhook) })
  },
}

/** Never the secret: `signed` says whether there is one. */
function toWireWebhook({ id, url, events, enabled, signed, createdAt }: Webhook): object {
  return { id, url, events, enabled, signed, created_at: new Date(createdAt).toISOString() }
}
