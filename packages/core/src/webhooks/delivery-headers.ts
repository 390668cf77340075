import type { Instant } from '../environment/index.js'
import { signPayload } from './signature.js'
import type { SigningKeys } from './signing-keys.js'
import { standardWebhookHeaders } from './standard-webhooks.js'
import type { WebhookSettings } from './webhook-options.js'

/** The headers of one attempt. */
export type MakeDeliveryHeaders = (
  delivery: { readonly id: string; readonly event: { readonly type: string } },
  body: Uint8Array,
  keys: readonly SigningKeys[],
  sentAt: Instant,
) => Record<string, string>

/**
 * Makes the headers of attempts, with the configured prefix:
 * - `X-Service-Event`, `X-Service-Delivery`, and with a secret `X-Service-Signature`, made with the current secret;
 * - while an old secret is still valid also `X-Service-Signatures`: all signatures, the current one first, separated by a
 *   comma and a space, so that a receiver that still has the old secret finds its own (`verifySignature` takes the list);
 * - the Standard Webhooks headers, if configured.
 */
export function createDeliveryHeaders(
  settings: Pick<WebhookSettings, 'headerPrefix' | 'standardWebhooks' | 'userAgent'>,
): MakeDeliveryHeaders {
  const { headerPrefix, standardWebhooks, userAgent } = settings
  const [event, id, signature, signatures] = ['Event', 'Delivery', 'Signature', 'Signatures'].map(
    (name) => headerPrefix + name,
  ) as [string, string, string, string]

  return (delivery, body, keys, sentAt) => {
    const headers: Record<string, string> = { 'Content-Type': 'application/json', 'User-Agent': userAgent }
    headers[event] = delivery.event.type
    headers[id] = delivery.id
    const [current] = keys
    if (current !== undefined) {
      headers[signature] = signPayload(current.payload, body)
      const others = keys.slice(1).map((key) => signPayload(key.payload, body))
      if (others.length > 0) headers[signatures] = [headers[signature], ...others].join(', ')
    }
    if (!standardWebhooks) return headers
    const standard = keys.map((key) => key.standard)
    return Object.assign(headers, standardWebhookHeaders(standard, { id: delivery.id, sentAt, body }))
  }
}
