import type { ClaimedDelivery } from '@taskboard/core/storage'

/** The number of accounts for which it remembers the webhook served last. */
const MOST_REMEMBERED = 100

/** Whose turn is next when more is due than one claim takes. */
export interface DeliveryTurns {
  /** Empty before the first claim. */
  readonly lastAccountId: string
  /** The webhook served last for each account, as JSON. */
  readonly lastWebhookIds: string
  /** Records a claim: the webhooks of each account in turn; `accountId` is the last of the accounts. */
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
        // The second round has the same order.
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
