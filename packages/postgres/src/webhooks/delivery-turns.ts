import type { ClaimedDelivery } from '@taskboard/core/storage'

/** For how many accounts it is remembered which of their webhooks was served last. */
const MOST_REMEMBERED = 100

/** Whose turn it is when more is due than one claim takes. */
export interface DeliveryTurns {
  /** Empty before the first claim. */
  readonly lastAccountId: string
  /** By account the webhook that was served last, as JSON. */
  readonly lastWebhookIds: string
  /** Takes note of what was claimed: the webhooks of each account in turn, `accountId` being the last of the accounts. */
  served(deliveries: readonly ClaimedDelivery[], accountId: string): void
}

export function createDeliveryTurns(): DeliveryTurns {
  const lastOfAccounts = new Map<string, string>()
  let lastAccountId = ''
  let lastWebhookIds = '{}'

  return {
    get lastAccountId() {
      return lastAccountId
    },
    get lastWebhookIds() {
      return lastWebhookIds
    },
    served(deliveries, accountId) {
      lastAccountId = accountId
      const seen = new Set<string>()
      for (const { webhook } of deliveries) {
        // In the second round they come in the same order again.
        if (seen.has(webhook.id)) continue
        seen.add(webhook.id)
        lastOfAccounts.delete(webhook.accountId)
        lastOfAccounts.set(webhook.accountId, webhook.id)
      }
      for (const oldest of lastOfAccounts.keys()) {
        if (lastOfAccounts.size <= MOST_REMEMBERED) break
        lastOfAccounts.delete(oldest)
      }
      lastWebhookIds = JSON.stringify(Object.fromEntries(lastOfAccounts))
    },
  }
}
