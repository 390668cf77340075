import type { Instant } from '@taskboard/core'
import type { DeliveryClaim, DeliveryTarget, StoredWebhook } from '@taskboard/core/storage'
import type { DeliveryIndex, WebhookQueue } from './delivery-index.js'
import type { DeliveryRow } from '../tables/deliveries.js'
import { createDeliveryTurns, isExcluded, type ClaimRequest } from './delivery-turns.js'
import type { Table } from '../tables/table.js'

export interface DeliveryClaims {
  /** `WebhookStore.claimDueDeliveries`. */
  claimDue(request: ClaimRequest, now: Instant): DeliveryClaim
}

export function createDeliveryClaims(
  deliveries: Table<DeliveryRow>,
  webhooks: Table<StoredWebhook>,
  index: DeliveryIndex,
  targetOf: (webhook: StoredWebhook, now: Instant) => DeliveryTarget,
): DeliveryClaims {
  const turns = createDeliveryTurns(deliveries, webhooks, index)
  let lastToken = 0

  /** When the first delivery falls due that is neither taken nor excluded. */
  function nextDue(request: ClaimRequest, aside: WebhookQueue[]): Instant | null {
    for (let queue = index.firstQueue(); queue !== null; queue = index.firstQueue()) {
      if (!isExcluded(queue, request)) return queue.heap[0]?.at ?? null
      index.setAside(queue)
      aside.push(queue)
    }
    return null
  }

  return {
    claimDue(request, now) {
      const aside: WebhookQueue[] = []
      const taken = turns.take(request, aside, now)
      const excluded = aside.filter((queue) => isExcluded(queue, request))
      for (const queue of aside) if (!isExcluded(queue, request)) index.putBack(queue)
      const nextDueAt = nextDue(request, excluded)
      for (const queue of excluded) index.putBack(queue)
      const claimed = taken.map((row) => {
        index.restore(row)
        lastToken += 1
        const claim = { token: String(lastToken), expiresAt: now + request.claimMs }
        deliveries.set(row.delivery.id, { delivery: row.delivery, claim })
        const webhook = targetOf(webhooks.get(row.delivery.webhookId) as StoredWebhook, now)
        return { delivery: row.delivery, webhook, claimToken: claim.token }
      })
      return { deliveries: claimed, nextDueInMs: nextDueAt === null ? null : Math.max(0, nextDueAt - now) }
    },
  }
}
