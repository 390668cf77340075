import type { Instant, Random } from '../environment/index.js'
import { createSigningKey, hmacSha256, type SigningKey } from './signature.js'

/** The prefix of a secret whose remainder is the key in base64 (Standard Webhooks, "Secrets"). */
const PREFIX = 'whsec_'
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/
/** The specification requires 24 to 64. */
const FRESH_KEY_BYTES = 32

/**
 * A new secret of 256 random bits, in the form that Standard Webhooks libraries accept unchanged.
 * @example
 * ```ts
 * import { randomBytes } from 'node:crypto'
 * import { newWebhookSecret } from '@taskboard/core'
 *
 * const secret = newWebhookSecret({ bytes: randomBytes, fraction: Math.random })
 * console.log(secret.slice(0, 6), secret.length) // whsec_ 50
 * ```
 */
export function newWebhookSecret(random: Random): string {
  return PREFIX + Buffer.from(random.bytes(FRESH_KEY_BYTES)).toString('base64')
}

/**
 * The key of the Standard Webhooks signature. For a `whsec_` secret it is the decoded base64; a receiver passes the whole text
 * to its library: `new Webhook('whsec_…')`. For any other secret it is the UTF-8 bytes; a receiver uses
 * `new Webhook(Buffer.from(secret), { format: 'raw' })`. (`signPayload` uses the text's UTF-8 bytes in both cases.)
 */
export function standardWebhookKey(secret: string): SigningKey {
  const encoded = secret.slice(PREFIX.length)
  const isEncoded = secret.startsWith(PREFIX) && BASE64.test(encoded)
  return createSigningKey(isEncoded ? Buffer.from(encoded, 'base64') : secret)
}

/**
 * One `v1` signature: the base64 HMAC-SHA256 of `<id>.<timestamp>.<body>`, with the timestamp in whole Unix seconds.
 * @example
 * ```ts
 * import { signStandardWebhook } from '@taskboard/core/transport'
 *
 * const message = { id: 'evt_1', sentAt: Date.UTC(2026, 0, 15), body: '{}' }
 * console.log(signStandardWebhook('whsec_c2VjcmV0', message).slice(0, 3)) // v1,
 * ```
 */
export function signStandardWebhook(
  secret: string | SigningKey,
  message: { readonly id: string; readonly sentAt: Instant; readonly body: string | Uint8Array },
): string {
  const key = typeof secret === 'string' ? standardWebhookKey(secret) : secret
  const signed = hmacSha256(key, `${message.id}.${toSeconds(message.sentAt)}.`, message.body)
  return `v1,${signed.toString('base64')}`
}

/**
 * The three headers of the Standard Webhooks specification, with one signature per key, separated by spaces. The timestamp is
 * that of the attempt, because receivers refuse one more than five minutes old.
 * @example
 * ```ts
 * import { standardWebhookHeaders } from '@taskboard/core/transport'
 *
 * const message = { id: 'evt_1', sentAt: Date.UTC(2026, 0, 15), body: '{}' }
 * console.log(standardWebhookHeaders([], message)) // { 'webhook-id': 'evt_1', 'webhook-timestamp': '1768435200' }
 * ```
 */
export function standardWebhookHeaders(
  keys: readonly SigningKey[],
  message: { readonly id: string; readonly sentAt: Instant; readonly body: string | Uint8Array },
): Record<string, string> {
  return {
    'webhook-id': message.id,
    'webhook-timestamp': String(toSeconds(message.sentAt)),
    ...(keys.length > 0 && {
      'webhook-signature': keys.map((key) => signStandardWebhook(key, message)).join(' '),
    }),
  }
}

function toSeconds(instant: Instant): number {
  return Math.floor(instant / 1_000)
}
