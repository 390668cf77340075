import type { AccountSlots, SlotAccounts, WebhookSlots } from './slot-accounts.js'

/** How many sends may be under way at once: in all, and at most to one account and to one webhook. */
export interface SlotBounds {
  readonly most: number
  readonly mostPerAccount: number
  readonly mostPerWebhook: number
}

/**
 * Whether one that has `own` of `used` slots may take another: as long as it has less than a fixed part of those that are free
 * (a dynamic threshold), such that alone it gets `mostOfOne` of `capacity`. Several get fewer each, and whoever comes next finds
 * some free. Pure.
 */
export function mayTakeSlot(own: number, used: number, capacity: number, mostOfOne: number): boolean {
  return own * (capacity - mostOfOne) < mostOfOne * (capacity - used)
}

/** Who may send more, and of whom more may be claimed. */
export interface SlotThresholds {
  mayAccountSend(account: AccountSlots): boolean
  mayWebhookSend(slots: WebhookSlots): boolean
  /** Has all the slots that it may have now, and is not known to give them back soon. */
  isStuck(slots: WebhookSlots): boolean
  /** Has all that may be claimed for it: as much again as may be sent once it answers quickly, and else what it has a use for. */
  isWebhookFull(slots: WebhookSlots): boolean
  isAccountFull(account: AccountSlots): boolean
}

export function createSlotThresholds(
  { most, mostPerAccount, mostPerWebhook }: SlotBounds,
  counts: SlotAccounts,
): SlotThresholds {
  const mayAccountSend = ({ sending }: AccountSlots): boolean =>
    mayTakeSlot(sending, counts.sending, most, mostPerAccount)
  const mayWebhookSend = ({ sending, account }: WebhookSlots): boolean =>
    mayTakeSlot(sending, account.sending, mostPerAccount, mostPerWebhook)
  const isAccountStuck = (account: AccountSlots): boolean => !account.isQuick && !mayAccountSend(account)
  /** One to which nothing is sent waits for its account alone. */
  const isWebhookStuck = (slots: WebhookSlots): boolean =>
    slots.sending > 0 && !slots.isQuick && !mayWebhookSend(slots)

  /**
   * How many of its waiting claims the bound per webhook lets go out, of those that do not hang: those of a webhook to which nothing is
   * sent, too, while the account has all its slots.
   */
  function sendableOf(account: AccountSlots): number {
    let sendable = 0
    for (const slots of account.webhooks.values()) {
      if (slots.sending === 0 || mayWebhookSend(slots))
        sendable += Math.min(slots.waiting.length, mostPerWebhook - slots.sending)
    }
    return sendable
  }

  /** Of what is unsettled only the sum is bounded: how long that lasts is the storage's affair. */
  return {
    mayAccountSend,
    mayWebhookSend,
    isStuck: (slots) => isAccountStuck(slots.account) || isWebhookStuck(slots),
    isWebhookFull: (slots) =>
      isWebhookStuck(slots) ||
      slots.waiting.length + slots.sending > (slots.isQuick ? 2 * mostPerWebhook : mostPerWebhook - 1),
    isAccountFull: (account) =>
      isAccountStuck(account) ||
      (account.isQuick && account.sending + sendableOf(account) > 2 * mostPerAccount),
  }
}
