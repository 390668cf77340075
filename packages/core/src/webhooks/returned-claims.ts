import type { Environment } from '../environment/index.js'
import type { ClaimedDelivery, ReturnedDelivery, WebhookStore } from './webhook-store.js'

/** Claims without a complete attempt, to be released. */
export interface ReturnedClaims {
  /** It is due again after `delayMs`. */
  add(claimed: ClaimedDelivery, delayMs: number): void
  /** Releases all of them in one statement. If the storage fails, they expire. Never rejects. */
  flush(): Promise<void>
}

export function createReturnedClaims(
  environment: Environment,
  store: Pick<WebhookStore, 'recordDeliveryResults'>,
  disableAfterMs: number,
): ReturnedClaims {
  let claims: ReturnedDelivery[] = []

  return {
    add({ delivery, claimToken }, delayMs) {
      claims.push({ deliveryId: delivery.id, claimToken, outcome: { kind: 'returned', delayMs } })
    },
    async flush() {
      if (claims.length === 0) return
      const results = claims
      claims = []
      try {
        await store.recordDeliveryResults({ results, disableAfterMs }, environment.call())
      } catch (error) {
        const fields = { claims: results.length, err: error }
        environment.logger.warn(fields, 'could not release webhook claims; they expire')
      }
    },
  }
}
