import type { Environment, Instant } from '../environment/index.js'
import { encodePayload } from '../events/index.js'
import { retryDelayMs, type RetrySchedule } from './retry-schedule.js'
import type { Sender, SendResult } from './sender.js'
import { signPayload, standardWebhookHeaders } from './signature.js'
import type { OpenSigningKeys, SigningKeys } from './signing-keys.js'
import type { WebhookSettings } from './webhook-options.js'
import type { ClaimedDelivery, Delivery, DeliveryResult, DeliveryTarget } from './webhook-store.js'

/** The headers of one attempt. */
type MakeDeliveryHeaders = (
  delivery: { readonly id: string; readonly event: { readonly type: string; readonly seq: number } },
  body: Uint8Array,
  keys: readonly SigningKeys[],
  sentAt: Instant,
) => Record<string, string>

/**
 * Makes the headers of attempts, with the configured prefix:
 * - `X-Service-Test: true` for a sample, whose event isn't in the log;
 * - `X-Service-Event`, `X-Service-Delivery`, and with a secret `X-Service-Signature`, made with the current secret;
 * - while an old secret is still valid, including `X-Service-Signatures`: all signatures, the current one first, separated by a comma and a
 *   space. A receiver that still has the old secret finds its own (`verifySignature` takes the list);
 * - the headers of Standard Webhooks. Their signature covers the id and the time of the attempt as well. A receiver can therefore reject a
 *   captured request that is sent again.
 */
function createDeliveryHeaders(
  settings: Pick<WebhookSettings, 'headerPrefix' | 'userAgent'>,
): MakeDeliveryHeaders {
  const { headerPrefix, userAgent } = settings
  const [event, id, signature, signatures, test] = [
    'Event',
    'Delivery',
    'Signature',
    'Signatures',
    'Test',
  ].map((name) => headerPrefix + name) as [string, string, string, string, string]

  return (delivery, body, keys, sentAt) => {
    const headers: Record<string, string> = { 'Content-Type': 'application/json', 'User-Agent': userAgent }
    headers[event] = delivery.event.type
    headers[id] = delivery.id
    if (delivery.event.seq === 0) headers[test] = 'true'
    const [current] = keys
    if (current !== undefined) {
      headers[signature] = signPayload(current.payload, body)
      const others = keys.slice(1).map((key) => signPayload(key.payload, body))
      if (others.length > 0) headers[signatures] = [headers[signature], ...others].join(', ')
    }
    const standard = keys.map((key) => key.standard)
    return Object.assign(headers, standardWebhookHeaders(standard, { id: delivery.id, sentAt, body }))
  }
}

/** The outcome of one attempt. An `aborted` send isn't an attempt. */
interface AttemptSeen {
  readonly startedAt: Instant
  readonly endedAt: Instant
  readonly answer:
    | Exclude<SendResult, { kind: 'aborted' }>
    | { readonly kind: 'unsent'; readonly detail: string }
}

/** A result that waits to be stored. How long ago the attempt ended is known only when it is stored. */
export interface JudgedAttempt extends Omit<DeliveryResult, 'endedMsAgo'> {
  readonly endedAt: Instant
}

const GONE = 410

const succeeded = { kind: 'succeeded' } as const

const gone = { kind: 'gone' } as const

const failed = { kind: 'failed' } as const

/**
 * Evaluates an attempt at `url`: 2xx succeeds, 410 disables the webhook, anything else is retried until the schedule ends.
 * `drawJitter` returns a number from 0 to 1 and is called only when a retry is possible.
 */
export function judgeAttempt(
  claimed: ClaimedDelivery,
  url: string,
  seen: AttemptSeen,
  drawJitter: () => number,
  schedule: RetrySchedule,
): JudgedAttempt {
  const { delivery, claimToken } = claimed
  const { endedAt } = seen
  const attempt = toAttempt(seen)
  // Members spelled out, here and below: a spread costs more than everything else here.
  const { id: deliveryId } = delivery
  if (attempt.error === null) return { deliveryId, claimToken, url, attempt, endedAt, outcome: succeeded }
  if (attempt.status === GONE) return { deliveryId, claimToken, url, attempt, endedAt, outcome: gone }
  const delayMs = retryDelayMs(delivery.attemptCount + 1, drawJitter(), schedule)
  const outcome = delayMs === null ? failed : ({ kind: 'retry', delayMs } as const)
  return { deliveryId, claimToken, url, attempt, endedAt, outcome }
}

function toAttempt({ startedAt, endedAt, answer }: AttemptSeen): DeliveryResult['attempt'] {
  const durationMs = Math.max(0, endedAt - startedAt)
  switch (answer.kind) {
    case 'answered': {
      const { status, excerpt: responseExcerpt } = answer
      return { durationMs, status, error: errorOf(status), responseExcerpt }
    }
    case 'unanswered': {
      const error = `${answer.error}: ${answer.detail}`
      return { durationMs, status: null, error, responseExcerpt: null }
    }
    case 'unsent':
      return { durationMs, status: null, error: `unsent: ${answer.detail}`, responseExcerpt: null }
  }
}

function errorOf(status: number): string | null {
  if (status >= 200 && status < 300) return null
  return status >= 300 && status < 400 ? `redirect: HTTP ${status} is not followed` : `status: HTTP ${status}`
}

interface DeliveryAttemptDeps {
  readonly environment: Environment
  readonly sender: Sender
  readonly openKeys: OpenSigningKeys
  readonly settings: WebhookSettings
}

const GIVEN_UP = { kind: 'unsent', detail: 'the sender aborted the send' } as const

/** One attempt to send a claimed delivery. Never rejects; null when it was aborted and doesn't count. */
type MakeAttempt = (
  delivery: Delivery,
  target: DeliveryTarget,
  options: {
    readonly signal: AbortSignal
    /** For the header of that name; null for none. */
    readonly traceparent: string | null
  },
) => Promise<AttemptSeen | null>

/**
 * Each attempt renders the body from the event again, with the same bytes each time, and signs it with the target's secrets. A delivery
 * that can't be rendered or signed isn't sent: it counts as a failed attempt.
 */
export function createDeliveryAttempt(deps: DeliveryAttemptDeps): MakeAttempt {
  const { environment, sender, openKeys, settings } = deps
  const { clock, logger } = environment
  const headersOf = createDeliveryHeaders(settings)

  return async (delivery, target, { signal, traceparent }) => {
    const startedAt = clock.now()
    try {
      const body = Buffer.from(encodePayload(delivery.event))
      const headers = headersOf(delivery, body, openKeys(target), startedAt)
      if (traceparent !== null) headers['traceparent'] = traceparent
      const answer = await sender.send({
        url: target.url,
        headers,
        body,
        timeoutMs: settings.timeoutMs,
        signal,
      })
      if (answer.kind !== 'aborted') return { startedAt, endedAt: clock.now(), answer }
      // An abort that nobody requested counts as an attempt. Otherwise it would be retried at once, forever.
      return signal.aborted ? null : { startedAt, endedAt: clock.now(), answer: GIVEN_UP }
    } catch (error) {
      const fields = { deliveryId: delivery.id, webhookId: target.id, err: error }
      logger.error(fields, 'webhook delivery could not be prepared')
      return {
        startedAt,
        endedAt: clock.now(),
        answer: { kind: 'unsent', detail: 'the delivery could not be prepared' },
      }
    }
  }
}
