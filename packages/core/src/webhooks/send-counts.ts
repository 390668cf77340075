import type { Instant } from '../environment/index.js'
import type { ClaimedDelivery, DeliveryTarget } from './webhook-store.js'

/** A claimed delivery that waits for its turn. */
export interface WaitingDelivery {
  readonly claimed: ClaimedDelivery
  /** When another process can claim it. */
  readonly claimedUntil: Instant
}

/** The claims of one account. */
export interface AccountSends {
  readonly id: string
  /** The next in turn comes first. */
  readonly webhooks: Map<string, WebhookSends>
  sending: number
  claimed: number
  /** Whether the last finished send was quick. */
  isQuick: boolean
}

/** The claims of one webhook. */
export interface WebhookSends {
  readonly account: AccountSends
  target: DeliveryTarget
  /** When `target` was read; null when it may be outdated. */
  seenAt: Instant | null
  readonly waiting: WaitingDelivery[]
  sending: number
  claimed: number
  /** Whether the last finished send was quick. */
  isQuick: boolean
}

/** Counts claims by account and webhook, and forgets those without any. */
export interface SendCounts {
  /** The next in turn comes first. */
  readonly accounts: ReadonlyMap<string, AccountSends>
  readonly webhooks: ReadonlyMap<string, WebhookSends>
  /** The total. */
  readonly sending: number
  /** The total of waiting, sending and unsettled claims. */
  readonly claimed: number
  wait(waiting: WaitingDelivery): WebhookSends
  /** Takes the longest waiting claim, which then counts as sending. Its webhook and account go to the end of the turn. */
  begin(sends: WebhookSends): WaitingDelivery | undefined
  /** A send is over. */
  end(sends: WebhookSends, isQuick: boolean): void
  /** A claim is over. */
  settle(webhookId: string): void
  /** Removes all that wait, without settling them. */
  takeAll(sends: WebhookSends): WaitingDelivery[]
}

export function createSendCounts(): SendCounts {
  const accounts = new Map<string, AccountSends>()
  const webhooks = new Map<string, WebhookSends>()
  let sending = 0
  let claimed = 0

  function accountOf(id: string): AccountSends {
    const found = accounts.get(id)
    if (found) return found
    const made = { id, webhooks: new Map(), sending: 0, claimed: 0, isQuick: false }
    accounts.set(id, made)
    return made
  }

  function sendsOf(target: DeliveryTarget): WebhookSends {
    const found = webhooks.get(target.id)
    if (found) return found
    const account = accountOf(target.accountId)
    const made = { account, target, seenAt: null, waiting: [], sending: 0, claimed: 0, isQuick: false }
    webhooks.set(target.id, made)
    account.webhooks.set(target.id, made)
    return made
  }

  return {
    accounts,
    webhooks,
    get sending() {
      return sending
    },
    get claimed() {
      return claimed
    },
    wait(waiting) {
      const sends = sendsOf(waiting.claimed.webhook)
      sends.waiting.push(waiting)
      sends.claimed += 1
      sends.account.claimed += 1
      claimed += 1
      return sends
    },
    begin(sends) {
      const { account, target } = sends
      const next = sends.waiting.shift()
      if (next === undefined) return undefined
      sends.sending += 1
      account.sending += 1
      sending += 1
      account.webhooks.delete(target.id)
      account.webhooks.set(target.id, sends)
      if (accounts.size > 1) {
        accounts.delete(account.id)
        accounts.set(account.id, account)
      }
      return next
    },
    end(sends, isQuick) {
      const { account } = sends
      sends.sending -= 1
      account.sending -= 1
      sending -= 1
      sends.isQuick = isQuick
      account.isQuick = isQuick
    },
    settle(webhookId) {
      const sends = webhooks.get(webhookId)
      if (sends === undefined) return
      const { account } = sends
      sends.claimed -= 1
      account.claimed -= 1
      claimed -= 1
      if (sends.claimed === 0) {
        webhooks.delete(webhookId)
        account.webhooks.delete(webhookId)
      }
      if (account.claimed === 0) accounts.delete(account.id)
    },
    takeAll: (sends) => sends.waiting.splice(0),
  }
}
