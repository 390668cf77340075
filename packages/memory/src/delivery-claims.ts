import type { DeliveryClaim, Instant, StoredWebhook, WebhookStore } from '@taskboard/core'
import type { DeliveryIndex, WebhookQueue } from './delivery-index.js'
import type { DeliveryRow } from './delivery-row.js'
import type { Table } from './table.js'

type ClaimRequest = Parameters<WebhookStore['claimDueDeliveries']>[0]

/** How many deliveries of disabled webhooks one claim puts aside at most. */
const MOST_SKIPPED = 1_000

export interface DeliveryClaims {
  /** `WebhookStore.claimDueDeliveries`. */
  claimDue(request: ClaimRequest, now: Instant): DeliveryClaim
}

export function createDeliveryClaims(
  deliveries: Table<DeliveryRow>,
  webhooks: Table<StoredWebhook>,
  index: DeliveryIndex,
): DeliveryClaims {
  let lastToken = 0

  function skip(row: DeliveryRow): void {
    const delivery = { ...row.delivery, status: 'skipped', nextAttemptAt: null } as const
    deliveries.set(delivery.id, { delivery, claim: null })
  }

  /** Takes due deliveries out of the order, one by one from the webhook whose turn it is by age. */
  function takeDue(request: ClaimRequest, excluded: Set<string>, full: WebhookQueue[], now: Instant) {
    const taken: DeliveryRow[] = []
    const counts = new Map<string, number>()
    const passedOver: WebhookQueue[] = []
    let skipped = 0
    while (taken.length < request.limit && skipped < MOST_SKIPPED) {
      const queue = index.firstQueue()
      const head = queue?.heap[0]
      if (queue === null || head === undefined || head.at > now) break
      const { webhookId } = queue
      const count = counts.get(webhookId) ?? 0
      if (webhooks.get(webhookId)?.enabled !== true) {
        skip(head.row)
        skipped += 1
      } else if (excluded.has(webhookId) || count >= request.perWebhook) {
        index.setAside(queue)
        if (excluded.has(webhookId)) passedOver.push(queue)
        else full.push(queue)
      } else {
        index.withhold(head.row)
        taken.push(head.row)
        counts.set(webhookId, count + 1)
      }
    }
    return { taken, passedOver }
  }

  /** When the first of those falls due that are neither taken here nor of an excluded webhook. */
  function nextDue(excluded: Set<string>, passedOver: WebhookQueue[]): Instant | null {
    let queue = index.firstQueue()
    while (queue !== null && excluded.has(queue.webhookId)) {
      index.setAside(queue)
      passedOver.push(queue)
      queue = index.firstQueue()
    }
    return queue?.heap[0]?.at ?? null
  }

  return {
    claimDue(request, now) {
      const excluded = new Set(request.excludeWebhookIds)
      const full: WebhookQueue[] = []
      const { taken, passedOver } = takeDue(request, excluded, full, now)
      for (const queue of full) index.putBack(queue)
      const nextDueAt = nextDue(excluded, passedOver)
      for (const queue of passedOver) index.putBack(queue)
      const claimed = taken.map((row) => {
        index.restore(row)
        lastToken += 1
        const claim = { token: String(lastToken), expiresAt: now + request.claimMs }
        deliveries.set(row.delivery.id, { delivery: row.delivery, claim })
        const webhook = webhooks.get(row.delivery.webhookId) as StoredWebhook
        return { delivery: row.delivery, webhook, claimToken: claim.token }
      })
      return { deliveries: claimed, nextDueAt }
    },
  }
}
