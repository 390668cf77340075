import type { Environment } from '../environment/index.js'
import { encodePayload } from '../events/index.js'
import type { AttemptSeen } from './attempt-result.js'
import { createDeliveryHeaders } from './delivery-headers.js'
import type { Sender } from './sender.js'
import type { OpenSigningKeys } from './signing-keys.js'
import type { WebhookSettings } from './webhook-options.js'
import type { Delivery, DeliveryTarget } from './webhook-store.js'

export interface DeliveryAttemptParts {
  readonly environment: Environment
  readonly sender: Sender
  readonly openKeys: OpenSigningKeys
  readonly settings: WebhookSettings
}

const GIVEN_UP = { kind: 'unsent', detail: 'the sender aborted the send' } as const

/** One attempt to send a claimed delivery. Never rejects; null when it was aborted and does not count. */
export type MakeAttempt = (
  delivery: Delivery,
  target: DeliveryTarget,
  signal: AbortSignal,
) => Promise<AttemptSeen | null>

/**
 * Each attempt renders the body from the event again, with the same bytes each time, and signs it with the target's secrets. A delivery
 * that cannot be rendered or signed is not sent: it counts as a failed attempt.
 */
export function createDeliveryAttempt(parts: DeliveryAttemptParts): MakeAttempt {
  const { environment, sender, openKeys, settings } = parts
  const { clock, logger } = environment
  const headersOf = createDeliveryHeaders(settings)

  return async (delivery, target, signal) => {
    const startedAt = clock.now()
    try {
      const body = Buffer.from(encodePayload(delivery.event))
      const headers = headersOf(delivery, body, openKeys(target), startedAt)
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
