import type { Instant } from '../environment/index.js'
import type { ClaimedDelivery, WebhookStore } from './webhook-store.js'

/** A claimed delivery that waits for its turn. */
export interface WaitingDelivery {
  readonly claimed: ClaimedDelivery
  /** When another process may take it over. */
  readonly claimedUntil: Instant
}

export type ClaimBounds = Pick<
  Parameters<WebhookStore['claimDueDeliveries']>[0],
  'limit' | 'perWebhook' | 'excludeWebhookIds'
>

/** How many one statement claims at most. */
const LARGEST_CLAIM = 500
/** What one webhook's claims come to at most, as a multiple of what may be sent to it at once: claimed twice, half each time. */
const CLAIMED_PER_SENDING = 4

/**
 * Counts what is claimed here. A claim *waits*, then is *sending*, then is *unsettled* until its result is stored. At most
 * `most` are sending, at most `mostPerWebhook` to one webhook. More are claimed ahead, so that sending does not pause while
 * the storage answers and few claims bring many; of a webhook that is not quick to answer, only what it has use for.
 */
export interface SendSlots {
  /** How many more may be claimed now. However many webhooks hang, it is enough for a claim while a send is free. */
  readonly room: number
  /** Those that have all they may have: claim none of them. */
  fullWebhookIds(): string[]
  /** What to claim now; null while there is too little room for a claim to pay, which `isClaimDue` tells the end of. */
  nextClaim(): ClaimBounds | null
  /** Whether there is room again, and since the last claim a send ended to one that may have more. */
  readonly isClaimDue: boolean
  add(waiting: WaitingDelivery): void
  /** The next that may be sent now, the webhooks in turn, now counted as sending. */
  take(): WaitingDelivery | undefined
  /** Its send is over. To one that was quick more may be claimed ahead. */
  sent(webhookId: string, isQuick: boolean): void
  /** Its result is stored, or its claim given up. */
  settle(webhookId: string): void
  /** Takes out all that wait, without settling them. */
  takeWaiting(): WaitingDelivery[]
}

interface WebhookSlots {
  readonly waiting: WaitingDelivery[]
  sending: number
  claimed: number
  /** Whether the last send that ended was quick. */
  isQuick: boolean
}

export function createSendSlots(most: number, mostPerWebhook: number): SendSlots {
  const webhooks = new Map<string, WebhookSlots>()
  const perWebhook = (CLAIMED_PER_SENDING / 2) * mostPerWebhook
  const roomy = 4 * most
  // What webhooks that hang may hold between them, and what is sent and stored meanwhile, leaves room for a claim that pays.
  const mostClaimed =
    Math.ceil(most / mostPerWebhook) * CLAIMED_PER_SENDING * mostPerWebhook + 6 * most + roomy
  let sending = 0
  let claimed = 0
  let isWanting = false

  /** Of what is unsettled only the sum is bounded: how long that lasts is the storage's affair. */
  const isFull = (slots: WebhookSlots): boolean =>
    slots.waiting.length + slots.sending > (slots.isQuick ? perWebhook : mostPerWebhook - 1)

  function of(webhookId: string): WebhookSlots {
    const found = webhooks.get(webhookId)
    if (found) return found
    const made: WebhookSlots = { waiting: [], sending: 0, claimed: 0, isQuick: false }
    webhooks.set(webhookId, made)
    return made
  }

  const fullWebhookIds = (): string[] =>
    [...webhooks].filter(([, slots]) => isFull(slots)).map(([webhookId]) => webhookId)

  return {
    get room() {
      return mostClaimed - claimed
    },
    fullWebhookIds,
    nextClaim() {
      const room = mostClaimed - claimed
      if (room < roomy) return null
      isWanting = false
      return { limit: Math.min(room, LARGEST_CLAIM), perWebhook, excludeWebhookIds: fullWebhookIds() }
    },
    get isClaimDue() {
      return isWanting && mostClaimed - claimed >= roomy
    },
    add(waiting) {
      const slots = of(waiting.claimed.webhook.id)
      slots.waiting.push(waiting)
      slots.claimed += 1
      claimed += 1
      isWanting ||= mostClaimed - claimed < roomy
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
    sent(webhookId, isQuick) {
      const slots = of(webhookId)
      slots.sending -= 1
      slots.isQuick = isQuick
      isWanting ||= !isFull(slots)
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
