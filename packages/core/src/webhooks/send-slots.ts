import type { Instant } from '../environment/index.js'
import type { ClaimedDelivery } from './webhook-store.js'

/** A claimed delivery that waits for its turn. */
export interface WaitingDelivery {
  readonly claimed: ClaimedDelivery
  /** When another process may take it over. */
  readonly claimedUntil: Instant
}

/**
 * Counts what is claimed here. A claim *waits*, then is *sending*, then is *unsettled* until its result is stored. At most
 * `most` are sending, at most `mostPerWebhook` to one webhook; as many again may be claimed ahead, so that sending does not
 * pause while the storage answers.
 */
export interface SendSlots {
  /** How many more may be claimed now. */
  readonly room: number
  /** Those that have all they may have: claim none of them. */
  fullWebhookIds(): string[]
  add(waiting: WaitingDelivery): void
  /** The next that may be sent now, the webhooks in turn, now counted as sending. */
  take(): WaitingDelivery | undefined
  /** Its send is over. */
  sent(webhookId: string): void
  /** Its result is stored, or its claim given up. */
  settle(webhookId: string): void
  /** Takes out all that wait, without settling them. */
  takeWaiting(): WaitingDelivery[]
}

interface WebhookSlots {
  readonly waiting: WaitingDelivery[]
  sending: number
  claimed: number
}

export function createSendSlots(most: number, mostPerWebhook: number): SendSlots {
  const webhooks = new Map<string, WebhookSlots>()
  let sending = 0
  let claimed = 0

  function of(webhookId: string): WebhookSlots {
    const found = webhooks.get(webhookId)
    if (found) return found
    const made: WebhookSlots = { waiting: [], sending: 0, claimed: 0 }
    webhooks.set(webhookId, made)
    return made
  }

  return {
    get room() {
      return 2 * most - claimed
    },
    fullWebhookIds: () =>
      [...webhooks].filter(([, slots]) => slots.claimed >= mostPerWebhook).map(([webhookId]) => webhookId),
    add(waiting) {
      const slots = of(waiting.claimed.webhook.id)
      slots.waiting.push(waiting)
      slots.claimed += 1
      claimed += 1
    },
    take() {
      if (sending >= most) return undefined
      for (const [webhookId, slots] of webhooks) {
        if (slots.sending >= mostPerWebhook) continue
        const next = slots.waiting.shift()
        if (next === undefined) continue
        slots.sending += 1
        sending += 1
        webhooks.delete(webhookId)
        webhooks.set(webhookId, slots)
        return next
      }
      return undefined
    },
    sent(webhookId) {
      of(webhookId).sending -= 1
      sending -= 1
    },
    settle(webhookId) {
      const slots = of(webhookId)
      slots.claimed -= 1
      claimed -= 1
      if (slots.claimed === 0) webhooks.delete(webhookId)
    },
    takeWaiting: () => [...webhooks.values()].flatMap((slots) => slots.waiting.splice(0)),
  }
}
