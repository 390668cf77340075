import type { Instant } from '../environment/index.js'
import { signPayload } from './signature.js'
import type { SigningKeys } from './signing-keys.js'
import { standardWebhookHeaders } from './standard-webhooks.js'
import type { WebhookSettings } from './webhook-options.js'

/**
 * The headers of one attempt, with the prefix that is configured:
 * - `X-Service-Event`, `X-Service-Delivery`, and with a secret `X-Service-Signature`, made with the current one;
 * - while an old secret is still valid also `X-Service-Signatures`: all signatures, the current one first, separated by a
 *   comma and a space, so that a receiver that still has the old secret finds its own (`verifySignature` takes the list);
 * - those of Standard Webhooks where asked for.
 */
export function deliveryHeaders(
  delivery: { readonly id: string; readonly event: { readonly type: string } },
  body: Uint8Array,
  keys: readonly SigningKeys[],
  sentAt: Instant,
  settings: Pick<WebhookSettings, 'headerPrefix' | 'standardWebhooks' | 'userAgent'>,
): Record<string, string> {
  const { headerPrefix } = settings
  const headers: Record<string, string> = {
    'Content-Type': 'application/json',
    'User-Agent': settings.userAgent,
    [`${headerPrefix}Event`]: delivery.event.type,
    [`${headerPrefix}Delivery`]: delivery.id,
  }
  const signatures = keys.map((key) => signPayload(key.payload, body))
  if (signatures[0] !== undefined) headers[`${headerPrefix}Signature`] = signatures[0]
  if (signatures.length > 1) headers[`${headerPrefix}Signatures`] = signatures.join(', ')
  if (!settings.standardWebhooks) return headers
  const message = { id: delivery.id, sentAt, body }
  return Object.assign(
    headers,
    standardWebhookHeaders(
      keys.map((key) => key.standard),
      message,
    ),
  )
}
