import { createHmac, createSecretKey, timingSafeEqual, type KeyObject } from 'node:crypto'
import { TaskboardError } from '../errors/index.js'

/** A secret prepared for signing: cheaper than its text when it signs more than once. */
export type SigningKey = KeyObject

const SCHEME = 'sha256='
const SIGNATURE = /^sha256=[0-9a-f]{64}$/
/** A rotation puts two into one header. Taskboard never sends more. */
const MOST_SIGNATURES = 16

/**
 * The signature of a delivery as the contract defines it: `sha256=` and the lower-case hexadecimal HMAC-SHA256 (RFC 2104) of
 * the body's bytes, keyed with the secret's UTF-8 bytes. A body given as text is signed as UTF-8.
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
 * Whether `signature` is that of `body`, compared in constant time. Pass the body as it was received, before any parsing.
 * Accepts a list separated by commas, as sent while a secret is rotated, when one entry matches. Never throws: returns false
 * for an absent or malformed signature and for an empty secret.
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

/** Makes a key from a secret's text (its UTF-8 bytes) or from raw bytes. @throws TaskboardError `INVALID_FIELD` when empty. */
export function createSigningKey(secret: string | Uint8Array): SigningKey {
  const bytes = typeof secret === 'string' ? Buffer.from(secret, 'utf8') : secret
  if (bytes.length === 0)
    throw new TaskboardError('INVALID_FIELD', 'secret must not be empty', { field: 'secret' })
  return createSecretKey(bytes)
}

/** The raw HMAC-SHA256 of the parts, one after the other. */
export function hmacSha256(secret: string | SigningKey, ...parts: readonly (string | Uint8Array)[]): Buffer {
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
