import type { Environment } from '../environment/index.js'
import type { ClaimedDelivery, WebhookStore } from './webhook-store.js'

/** Claims that were not tried to the end, on their way back. */
export interface ReturnedClaims {
  add(claimed: ClaimedDelivery): void
  /** Gives all of them back in one statement. Should the storage fail they are left to expire. Never rejects. */
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
        environment.logger.warn(fields, 'webhook claims not given back; they expire')
      }
    },
  }
}
