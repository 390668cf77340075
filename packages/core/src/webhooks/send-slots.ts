import type { Instant } from '../environment/index.js'
import { createSlotAccounts, type SlotAccounts, type WaitingDelivery } from './slot-accounts.js'
import { createSlotThresholds, type SlotBounds, type SlotThresholds } from './slot-thresholds.js'
import { createTargetSights, type TargetSights } from './target-sights.js'
import type { DeliveryTarget, WebhookStore } from './webhook-store.js'

/** A delivery that may be sent now, and where to. */
export interface SendableDelivery extends WaitingDelivery {
  readonly target: DeliveryTarget
}

export type ClaimBounds = Omit<Parameters<WebhookStore['claimDueDeliveries']>[0], 'claimMs'>

/** How many one statement claims at most. */
const LARGEST_CLAIM = 500

/**
 * Counts what is claimed here. A claim *waits*, then is *sending*, then is *unsettled* until its result is stored. More are
 * claimed ahead than may be sent, so that sending does not pause while the storage answers and few claims bring many; of those
 * that are not quick to answer, only what they have use for. Accounts share the slots for sends, and so do the webhooks of each:
 * `SlotThresholds` says how.
 */
export interface SendSlots {
  /** How many more may be claimed now. */
  room(): number
  /** What to claim now; null while there is too little room for a claim to pay, which `isClaimDue` tells the end of. */
  nextClaim(): ClaimBounds | null
  /** Whether there is room again, and since the last claim a send ended to one that may have more. */
  isClaimDue(): boolean
  /** Takes on what was claimed, as it is known at `now`. */
  add(waiting: WaitingDelivery, now: Instant): void
  /** The next that may be sent now, accounts and their webhooks in turn, now counted as sending. */
  take(now: Instant): SendableDelivery | undefined
  /** Whether something could be sent now, or soon, but for another look at its webhook. */
  isCheckDue(now: Instant): boolean
  /** The webhooks to look at again, all whose deliveries wait. */
  nextCheck(now: Instant): string[]
  /** What a look at `webhookIds` has shown. Takes out what waits for those that are no longer sent to. */
  checked(webhookIds: readonly string[], targets: readonly DeliveryTarget[], now: Instant): WaitingDelivery[]
  /** Has a webhook looked at before anything more is sent to it. */
  forget(webhookId: string): void
  /** Its send is over. To one that was quick more may be claimed ahead. */
  sent(webhookId: string, isQuick: boolean): void
  /** Its result is stored, or its claim given up. */
  settle(webhookId: string): void
  /** When they leave no room for a claim although a slot is free: takes out those that wait where sends hang. */
  takeStuck(): WaitingDelivery[]
  /** Takes out all that wait, without settling them. */
  takeWaiting(): WaitingDelivery[]
}

export function createSendSlots(bounds: SlotBounds): SendSlots {
  const counts = createSlotAccounts()
  const thresholds = createSlotThresholds(bounds, counts)
  const sights = createTargetSights(counts, thresholds)
  return {
    ...createClaimVerbs(bounds, counts, thresholds, sights),
    take(now) {
      if (counts.sending >= bounds.most) return undefined
      for (const account of counts.accounts.values()) {
        if (!thresholds.mayAccountSend(account)) continue
        for (const slots of account.webhooks.values()) {
          if (slots.waiting.length === 0 || !sights.isFresh(slots, now) || !thresholds.mayWebhookSend(slots))
            continue
          const next = counts.begin(slots)
          if (next !== undefined) return { ...next, target: slots.target }
        }
      }
      return undefined
    },
    isCheckDue: (now) => sights.isCheckDue(now),
    nextCheck: (now) => sights.nextCheck(now),
    checked(webhookIds, targets, now) {
      const gone = sights.checked(webhookIds, targets, now)
      return gone.flatMap((slots) => counts.takeAll(slots))
    },
    forget: (webhookId) => sights.forget(webhookId),
    settle: (webhookId) => counts.settle(webhookId),
    takeWaiting: () => [...counts.webhooks.values()].flatMap((slots) => counts.takeAll(slots)),
  }
}

/** What claims are for, and what leads to the next one. */
function createClaimVerbs(
  { most, mostPerAccount, mostPerWebhook }: SlotBounds,
  counts: SlotAccounts,
  thresholds: SlotThresholds,
  sights: TargetSights,
): Pick<SendSlots, 'room' | 'nextClaim' | 'isClaimDue' | 'add' | 'sent' | 'takeStuck'> {
  const perWebhook = 2 * mostPerWebhook
  const perAccount = 4 * mostPerAccount
  const roomy = 4 * mostPerAccount
  const mostClaimed = 14 * mostPerAccount + 4 * most
  let isWanting = false
  const room = (): number => mostClaimed - counts.claimed

  return {
    room,
    nextClaim() {
      if (room() < roomy) return null
      isWanting = false
      sights.claimBegins()
      const excludeAccountIds: string[] = []
      const excludeWebhookIds: string[] = []
      for (const account of counts.accounts.values()) {
        if (thresholds.isAccountFull(account)) {
          excludeAccountIds.push(account.id)
          continue
        }
        for (const [id, slots] of account.webhooks) {
          if (thresholds.isWebhookFull(slots)) excludeWebhookIds.push(id)
        }
      }
      const limit = Math.min(room(), LARGEST_CLAIM)
      return { limit, perAccount, perWebhook, excludeAccountIds, excludeWebhookIds }
    },
    isClaimDue: () => isWanting && room() >= roomy,
    add(waiting, now) {
      sights.claimed(counts.wait(waiting), waiting.claimed.webhook, now)
      isWanting ||= room() < roomy
    },
    sent(webhookId, isQuick) {
      const slots = counts.webhooks.get(webhookId)
      if (slots === undefined) return
      counts.end(slots, isQuick)
      isWanting ||= !thresholds.isWebhookFull(slots) && !thresholds.isAccountFull(slots.account)
    },
    takeStuck() {
      if (room() >= roomy || counts.sending >= most) return []
      const stuck = [...counts.webhooks.values()].filter((slots) => thresholds.isStuck(slots))
      return stuck.flatMap((slots) => counts.takeAll(slots))
    },
  }
}
