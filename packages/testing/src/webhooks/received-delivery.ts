import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** A complete request that a webhook receiver got. */
export interface ReceivedDelivery {
  readonly method: string
  readonly path: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The bytes of the body, which a signature covers. */
  readonly body: Buffer
  /** The parsed body; undefined when it isn't JSON. */
  readonly json: unknown
  /** The `evt_…` of the delivery header, the same for every attempt; null without one. */
  readonly id: string | null
  /** The event header; null without one. */
  readonly event: string | null
  /** How many requests with this id the receiver has got, including this one. */
  readonly attempt: number
  /** When it was complete, in milliseconds since the epoch: by the receiver's clock. */
  readonly at: number
  /**
   * Whether the signature header holds `sha256=` and the lower-case hexadecimal HMAC-SHA256 of the body's bytes under `secret`.
   * Computed independently of the library, so that it can verify it.
   */
  isSignedWith(secret: string): boolean
}

export interface DeliveryFacts {
  readonly headerPrefix: string
  readonly at: number
  readonly attemptOf: (id: string | null) => number
}

export function receivedDelivery(
  request: IncomingMessage,
  body: Buffer,
  facts: DeliveryFacts,
): ReceivedDelivery {
  const headers = flatHeaders(request)
  const header = (name: string): string | null =>
    headers[`${facts.headerPrefix}${name}`.toLowerCase()] ?? null
  const id = header('Delivery')
  return {
    method: request.method ?? '',
    path: pathOf(request),
    headers,
    body,
    json: parsed(body),
    id,
    event: header('Event'),
    attempt: facts.attemptOf(id),
    at: facts.at,
    isSignedWith: (secret) => isEqual(header('Signature') ?? '', signatureOf(body, secret)),
  }
}

export function pathOf(request: IncomingMessage): string {
  return (request.url ?? '/').split('?', 1)[0] ?? '/'
}

function flatHeaders(request: IncomingMessage): Record<string, string> {
  const entries = Object.entries(request.headers)
  return Object.fromEntries(
    entries.map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  )
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}

function signatureOf(body: Buffer, secret: string): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
}

function isEqual(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
