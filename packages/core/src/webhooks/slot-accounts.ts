import type { Instant } from '../environment/index.js'
import type { ClaimedDelivery, DeliveryTarget } from './webhook-store.js'

/** A claimed delivery that waits for its turn. */
export interface WaitingDelivery {
  readonly claimed: ClaimedDelivery
  /** When another process can claim it. */
  readonly claimedUntil: Instant
}

/** The claims of one account. */
export interface AccountSlots {
  readonly id: string
  /** The next in turn comes first. */
  readonly webhooks: Map<string, WebhookSlots>
  sending: number
  claimed: number
  /** Whether the last finished send was quick. */
  isQuick: boolean
}

/** The claims of one webhook. */
export interface WebhookSlots {
  readonly account: AccountSlots
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
export interface SlotAccounts {
  /** The next in turn comes first. */
  readonly accounts: ReadonlyMap<string, AccountSlots>
  readonly webhooks: ReadonlyMap<string, WebhookSlots>
  /** The total. */
  readonly sending: number
  /** The total of waiting, sending and unsettled claims. */
  readonly claimed: number
  wait(waiting: WaitingDelivery): WebhookSlots
  /** Takes the longest waiting claim, which then counts as sending. Its webhook and account go to the end of the turn. */
  begin(slots: WebhookSlots): WaitingDelivery | undefined
  /** A send has ended. */
  end(slots: WebhookSlots, isQuick: boolean): void
  /** A claim has ended. */
  settle(webhookId: string): void
  /** Removes all that wait, without settling them. */
  takeAll(slots: WebhookSlots): WaitingDelivery[]
}

export function createSlotAccounts(): SlotAccounts {
  const accounts = new Map<string, AccountSlots>()
  const webhooks = new Map<string, WebhookSlots>()
  let sending = 0
  let claimed = 0

  function accountOf(id: string): AccountSlots {
    const found = accounts.get(id)
    if (found) return found
    const made = { id, webhooks: new Map(), sending: 0, claimed: 0, isQuick: false }
    accounts.set(id, made)
    return made
  }

  function slotsOf(target: DeliveryTarget): WebhookSlots {
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
      const slots = slotsOf(waiting.claimed.webhook)
      slots.waiting.push(waiting)
      slots.claimed += 1
      slots.account.claimed += 1
      claimed += 1
      return slots
    },
    begin(slots) {
      const { account, target } = slots
      const next = slots.waiting.shift()
      if (next === undefined) return undefined
      slots.sending += 1
      account.sending += 1
      sending += 1
      account.webhooks.delete(target.id)
      account.webhooks.set(target.id, slots)
      if (accounts.size > 1) {
        accounts.delete(account.id)
        accounts.set(account.id, account)
      }
      return next
    },
    end(slots, isQuick) {
      const { account } = slots
      slots.sending -= 1
      account.sending -= 1
      sending -= 1
      slots.isQuick = isQuick
      account.isQuick = isQuick
    },
    settle(webhookId) {
      const slots = webhooks.get(webhookId)
      if (slots === undefined) return
      const { account } = slots
      slots.claimed -= 1
      account.claimed -= 1
      claimed -= 1
      if (slots.claimed === 0) {
        webhooks.delete(webhookId)
        account.webhooks.delete(webhookId)
      }
      if (account.claimed === 0) accounts.delete(account.id)
    },
    takeAll: (slots) => slots.waiting.splice(0),
  }
}
