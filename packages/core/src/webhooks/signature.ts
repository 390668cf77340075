import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'
import type { Instant, Random } from '../environment/index.js'
import { TaskboardError } from '../errors/index.js'

/** A secret prepared for signing: cheaper than its text when it signs more than once. */
export type SigningKey = KeyObject

const SCHEME = 'sha256='

const SIGNATURE = /^sha256=[0-9a-f]{64}$/

/** A rotation puts two into one header. Taskboard never sends more. */
const MOST_SIGNATURES = 16

/**
 * The signature of a delivery: `sha256=` and the lower-case hexadecimal HMAC-SHA256 (RFC 2104) of the body's bytes, keyed with the secret's
 * UTF-8 bytes. A body given as text is signed as UTF-8.
 * @throws TaskboardError `INVALID_FIELD` (`secret`) for an empty secret.
 * @example
 * ```ts
 * import { signPayload } from '@taskboard/core'
 *
 * const signature = signPayload('a shared secret', '{"event":"task.created"}')
 * console.log(signature.slice(0, 7), signature.length) // sha256= 71
 * ```
 */
export function signPayload(secret: string | SigningKey, body: string | Uint8Array): string {
  return SCHEME + createHmac('sha256', toKey(secret)).update(body).digest('hex')
}

/**
 * Whether `signature` belongs to `body`, compared in constant time. Pass the body as it was received, before any parsing.
 * Accepts a list separated by commas, as sent while a secret is rotated, when one entry matches. Never throws: returns false
 * for an absent or malformed signature and for an empty secret. This signature covers neither the id nor a time, so anyone who has captured
 * a delivery can send it again: receivers should prefer `verifyDelivery`.
 * @example
 * ```ts
 * import { signPayload, verifySignature } from '@taskboard/core'
 *
 * // A receiver has these from the request: the raw body, and the header `X-Service-Signature`.
 * const body = Buffer.from('{"event":"task.created"}')
 * const signature = signPayload('a shared secret', body)
 * console.log(verifySignature('a shared secret', body, signature)) // true
 * console.log(verifySignature('another secret', body, signature)) // false
 * ```
 */
export function verifySignature(
  secret: string | SigningKey,
  body: string | Uint8Array,
  signature: string | null | undefined,
): boolean {
  if (typeof signature !== 'string' || (typeof body !== 'string' && !(body instanceof Uint8Array)))
    return false
  if (typeof secret === 'string' ? secret === '' : !isKey(secret)) return false
  const expected = Buffer.from(signPayload(secret, body))
  let found = false
  for (const entry of signature.split(',', MOST_SIGNATURES)) {
    const candidate = entry.trim()
    if (SIGNATURE.test(candidate) && timingSafeEqual(Buffer.from(candidate), expected)) found = true
  }
  return found
}

/** What a receiver got, and when. */
export interface ReceivedRequest {
  /** By name in lower case, as in `request.headers` of Node.js, or `Object.fromEntries(request.headers)` of the Web's `Request`. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** As it was received, before any parsing. */
  readonly body: string | Uint8Array
  /** The receiver's time in milliseconds since the epoch: `Date.now()`. */
  readonly now: number
}

/** How far the time of a delivery may be from the receiver's: a clock is wrong by less, and a captured delivery is soon older. */
const TOLERANCE_MS = 300_000
const SECONDS = /^[0-9]{1,12}$/

/**
 * Whether a delivery was signed with `secret` no more than five minutes from `now`, by its headers `webhook-id`, `webhook-timestamp` and
 * `webhook-signature` (Standard Webhooks). The signature covers the id, the time and the body, and is compared in constant time. While a
 * secret is rotated, one of several has to match. Never throws: returns false for anything that is absent or malformed. A delivery that is
 * sent again within the five minutes has the same `webhook-id`: keep the ids that you have handled.
 * @example
 * ```ts
 * import { verifyDelivery } from '@taskboard/core'
 *
 * // A receiver has these from the request. They are the example of the specification.
 * const headers = {
 *   'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
 *   'webhook-timestamp': '1614265330',
 *   'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
 * }
 * const request = { headers, body: '{"test": 2432232314}', now: 1_614_265_330_000 }
 * const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
 * console.log(verifyDelivery(secret, request)) // true
 * console.log(verifyDelivery(secret, { ...request, now: request.now + 301_000 })) // false
 * ```
 */
export function verifyDelivery(secret: string, request: ReceivedRequest): boolean {
  // In JavaScript, anything may be missing.
  const { headers, body, now }: Partial<ReceivedRequest> = request ?? {}
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map(
    (name) => headers?.[`webhook-${name}`],
  )
  if (typeof secret !== 'string' || secret === '') return false
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) return false
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signatures !== 'string') return false
  if (typeof now !== 'number' || !SECONDS.test(timestamp)) return false
  const sentAt = Number(timestamp) * 1_000
  const isRecent = Math.abs(now - sentAt) <= TOLERANCE_MS
  const expected = Buffer.from(signStandardWebhook(secret, { id, sentAt, body }))
  let found = false
  for (const entry of signatures.split(' ', MOST_SIGNATURES)) {
    const candidate = Buffer.from(entry)
    if (candidate.length === expected.length && timingSafeEqual(candidate, expected)) found = true
  }
  return found && isRecent
}

/** Compares two secrets in constant time. */
export function isSameSecret(secret: string, other: string): boolean {
  return timingSafeEqual(hmacSha256('same secret', secret), hmacSha256('same secret', other))
}

/** Makes a key from a secret's text (its UTF-8 bytes) or from raw bytes. @throws TaskboardError `INVALID_FIELD` when empty. */
export function createSigningKey(secret: string | Uint8Array): SigningKey {
  const bytes = typeof secret === 'string' ? Buffer.from(secret, 'utf8') : secret
  if (bytes.length === 0)
    throw new TaskboardError('INVALID_FIELD', 'secret must not be empty', { field: 'secret' })
  return createSecretKey(bytes)
}

/** The raw HMAC-SHA256 of the parts, one after the other. */
function hmacSha256(secret: string | SigningKey, ...parts: readonly (string | Uint8Array)[]): Buffer {
  const hmac = createHmac('sha256', toKey(secret))
  for (const part of parts) hmac.update(part)
  return hmac.digest()
}

function toKey(secret: string | SigningKey): SigningKey {
  return typeof secret === 'string' ? createSigningKey(secret) : secret
}

function isKey(secret: unknown): boolean {
  return typeof secret === 'object' && secret !== null && (secret as { type?: unknown }).type === 'secret'
}

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
 * The three headers of the Standard Webhooks specification, with one signature per key, separated by spaces. The timestamp is the time of
 * the attempt, because receivers reject one more than five minutes old.
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
