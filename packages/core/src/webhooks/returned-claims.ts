import type { Environment } from '../environment/index.js'
import type { ClaimedDelivery, ReturnedDelivery, WebhookStore } from './webhook-store.js'

/** Claims without a complete attempt, to be released. */
export interface ReturnedClaims {
  add(claimed: ClaimedDelivery): void
  /** Releases all of them in one statement. If the storage fails, they expire. Never rejects. */
  flush(): Promise<void>
}

const outcome = { kind: 'returned' } as const

export function createReturnedClaims(
  environment: Environment,
  store: Pick<WebhookStore, 'recordDeliveryResults'>,
  disableAfterMs: number,
): ReturnedClaims {
  let claims: ReturnedDelivery[] = []

  return {
    add({ delivery, claimToken }) {
      claims.push({ deliveryId: delivery.id, claimToken, outcome })
    },
    async flush() {
      if (claims.length === 0) return
      const results = claims
      claims = []
      try {
        await store.recordDeliveryResults({ results, disableAfterMs }, { now: environment.storageNow() })
      } catch (error) {
        const fields = { claims: results.length, err: error }
        environment.logger.warn(fields, 'could not release webhook claims; they expire')
      }
    },
  }
}
