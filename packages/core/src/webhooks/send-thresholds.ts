import type { AccountSends, SendCounts, WebhookSends } from './send-counts.js'

/** The most sends in progress at the same time: in total, to one account and to one webhook. */
export interface SendBounds {
  readonly most: number
  readonly mostPerAccount: number
  readonly mostPerWebhook: number
}

/**
 * Whether an owner of `own` of `used` slots can take another one. It can while it has less than a fixed part of the free slots (a dynamic
 * threshold), so that alone it gets `mostOfOne` of `capacity`. Several owners get fewer each, and the next one finds some free. Pure.
 */
export function mayTakeSlot(own: number, used: number, capacity: number, mostOfOne: number): boolean {
  return own * (capacity - mostOfOne) < mostOfOne * (capacity - used)
}

/** Which accounts and webhooks can send more, and for which more can be claimed. */
export interface SendThresholds {
  mayAccountSend(account: AccountSends): boolean
  mayWebhookSend(sends: WebhookSends): boolean
  /** Has all the slots that it can have now, and isn't known to free them soon. */
  isStuck(sends: WebhookSends): boolean
  /** Has all the claims that it can have: twice its sends if it answers quickly, else as many as it can send. */
  isWebhookFull(sends: WebhookSends): boolean
  isAccountFull(account: AccountSends): boolean
}

export function createSendThresholds(
  { most, mostPerAccount, mostPerWebhook }: SendBounds,
  counts: SendCounts,
): SendThresholds {
  const mayAccountSend = ({ sending }: AccountSends): boolean =>
    mayTakeSlot(sending, counts.sending, most, mostPerAccount)
  const mayWebhookSend = ({ sending, account }: WebhookSends): boolean =>
    mayTakeSlot(sending, account.sending, mostPerAccount, mostPerWebhook)
  const isAccountStuck = (account: AccountSends): boolean => !account.isQuick && !mayAccountSend(account)
  /** A webhook without sends waits only for its account. */
  const isWebhookStuck = (sends: WebhookSends): boolean =>
    sends.sending > 0 && !sends.isQuick && !mayWebhookSend(sends)

  /**
   * How many of its waiting claims could be sent within the bound per webhook, except to hanging webhooks. Counts a webhook without
   * sends too, while the account has all its slots.
   */
  function sendableOf(account: AccountSends): number {
    let sendable = 0
    for (const sends of account.webhooks.values()) {
      if (sends.sending === 0 || mayWebhookSend(sends))
        sendable += Math.min(sends.waiting.length, mostPerWebhook - sends.sending)
    }
    return sendable
  }

  /** Unsettled claims are bounded only in total: how long they last depends on the storage. */
  return {
    mayAccountSend,
    mayWebhookSend,
    isStuck: (sends) => isAccountStuck(sends.account) || isWebhookStuck(sends),
    isWebhookFull: (sends) =>
      isWebhookStuck(sends) ||
      sends.waiting.length + sends.sending > (sends.isQuick ? 2 * mostPerWebhook : mostPerWebhook - 1),
    isAccountFull: (account) =>
      isAccountStuck(account) ||
      (account.isQuick && account.sending + sendableOf(account) > 2 * mostPerAccount),
  }
}
