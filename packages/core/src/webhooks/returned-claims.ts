import type { Environment } from '../environment/index.js'
import type { ClaimedDelivery, WebhookStore } from './webhook-store.js'

/** Claims without a complete attempt, to be released. */
export interface ReturnedClaims {
  add(claimed: ClaimedDelivery): void
  /** Releases all of them in one statement. If the storage fails, they expire. Never rejects. */
  flush(): Promise<void>
}

export function createReturnedClaims(
  environment: Environment,
  store: Pick<WebhookStore, 'releaseDeliveries'>,
): ReturnedClaims {
  let claims: { deliveryId: string; claimToken: string }[] = []

  return {
    add({ delivery, claimToken }) {
      claims.push({ deliveryId: delivery.id, claimToken })
    },
    async flush() {
      if (claims.length === 0) return
      const returned = claims
      claims = []
      try {
        await store.releaseDeliveries(returned, { now: environment.storageNow() })
      } catch (error) {
        const fields = { claims: returned.length, err: error }
        environment.logger.warn(fields, 'could not release webhook claims; they expire')
      }
    },
  }
}
