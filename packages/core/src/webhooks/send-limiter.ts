import type { Instant } from '../environment/index.js'
import { createSendCounts, type SendCounts, type WaitingDelivery } from './send-counts.js'
import { createSendThresholds, type SendBounds, type SendThresholds } from './send-thresholds.js'
import { createTargetChecks, type TargetChecks } from './target-checks.js'
import type { DeliveryTarget, NewDeliveryBounds, WebhookStore } from './webhook-store.js'

/** A delivery to send now, and its target. */
export interface SendableDelivery extends WaitingDelivery {
  readonly target: DeliveryTarget
}

/** What the next commit may claim of the deliveries that it adds. */
export interface NewClaim {
  readonly bounds: Omit<NewDeliveryBounds, 'claimMs'>
  /** Ends the reservation of room for them, and adds those that were claimed, as of `now`. */
  add(waiting: readonly WaitingDelivery[], now: Instant): void
}

export type ClaimBounds = Omit<Parameters<WebhookStore['claimDueDeliveries']>[0], 'claimMs'>

/** The most that one statement claims. */
const LARGEST_CLAIM = 500

/**
 * Counts the claims of this process. A claim *waits*, then is *sending*, then is *unsettled* until its result is stored. More are
 * claimed ahead than can be sent, so that sending doesn't pause while the storage responds, and each claim fetches many. For slow
 * endpoints, only as many as can be sent are claimed. Accounts share the slots for sends, and so do the webhooks of each account:
 * see `SendThresholds`.
 */
export interface SendLimiter {
  /** How many more can be claimed now. */
  room(): number
  /** The deliveries to claim now; null while there is too little room for a claim to pay off. Then wait for `isClaimDue`. */
  nextClaim(): ClaimBounds | null
  /** The deliveries that a commit may claim now of the ones that it adds; null without room. */
  nextNew(): NewClaim | null
  /** Whether there is room again, and since the last claim a send ended to a webhook that can have more. */
  isClaimDue(): boolean
  /** Adds claimed deliveries, as of `now`. */
  add(waiting: WaitingDelivery, now: Instant): void
  /** The next delivery to send, from accounts and their webhooks in turn. It then counts as sending. */
  take(now: Instant): SendableDelivery | undefined
  /** Whether something could be sent now, or soon, once its webhook is read again. */
  isCheckDue(now: Instant): boolean
  /** The webhooks to read again: all with waiting deliveries. */
  nextCheck(now: Instant): string[]
  /** Applies a new read of `webhookIds`. Removes and returns the deliveries of webhooks that get no more. */
  checked(webhookIds: readonly string[], targets: readonly DeliveryTarget[], now: Instant): WaitingDelivery[]
  /** Requires a new read of a webhook before anything more is sent to it. */
  forget(webhookId: string): void
  /** Its send is over. For a quick endpoint, more can be claimed ahead. */
  sent(webhookId: string, isQuick: boolean): void
  /** What was taken isn't sent after all. */
  unsent(webhookId: string): void
  /** Its result is stored, or its claim released. */
  settle(webhookId: string): void
  /** Removes claims that wait for hanging endpoints, if they leave no room for a claim although a slot is free. */
  takeStuck(): WaitingDelivery[]
  /** Removes all that wait, without settling them. */
  takeWaiting(): WaitingDelivery[]
}

export function createSendLimiter(bounds: SendBounds): SendLimiter {
  const counts = createSendCounts()
  const thresholds = createSendThresholds(bounds, counts)
  const checks = createTargetChecks(counts, thresholds)
  return {
    ...createClaimVerbs(bounds, counts, thresholds, checks),
    take(now) {
      if (counts.sending >= bounds.most) return undefined
      for (const account of counts.accounts.values()) {
        if (!thresholds.mayAccountSend(account)) continue
        for (const sends of account.webhooks.values()) {
          if (sends.waiting.length === 0 || !checks.isFresh(sends, now) || !thresholds.mayWebhookSend(sends))
            continue
          const next = counts.begin(sends)
          if (next !== undefined) return { ...next, target: sends.target }
        }
      }
      return undefined
    },
    isCheckDue: (now) => checks.isCheckDue(now),
    nextCheck: (now) => checks.nextCheck(now),
    checked(webhookIds, targets, now) {
      const gone = checks.checked(webhookIds, targets, now)
      return gone.flatMap((sends) => counts.takeAll(sends))
    },
    forget: (webhookId) => checks.forget(webhookId),
    unsent(webhookId) {
      const sends = counts.webhooks.get(webhookId)
      if (sends !== undefined) counts.end(sends, sends.isQuick)
    },
    settle: (webhookId) => counts.settle(webhookId),
    takeWaiting: () => [...counts.webhooks.values()].flatMap((sends) => counts.takeAll(sends)),
  }
}

/** The part of the limiter that decides when and what to claim. */
function createClaimVerbs(
  { most, mostPerAccount, mostPerWebhook }: SendBounds,
  counts: SendCounts,
  thresholds: SendThresholds,
  checks: TargetChecks,
): Pick<SendLimiter, 'room' | 'nextClaim' | 'nextNew' | 'isClaimDue' | 'add' | 'sent' | 'takeStuck'> {
  const perWebhook = 2 * mostPerWebhook
  const perAccount = 4 * mostPerAccount
  const roomy = 4 * mostPerAccount
  const mostClaimed = 14 * mostPerAccount + 4 * most
  let isWanting = false
  /** Of commits that are still in progress. */
  let reserved = 0
  const room = (): number => mostClaimed - counts.claimed - reserved

  function full(): Pick<ClaimBounds, 'excludeAccountIds' | 'excludeWebhookIds'> {
    const excludeAccountIds: string[] = []
    const excludeWebhookIds: string[] = []
    for (const account of counts.accounts.values()) {
      if (thresholds.isAccountFull(account)) {
        excludeAccountIds.push(account.id)
        continue
      }
      for (const [id, sends] of account.webhooks) {
        if (thresholds.isWebhookFull(sends)) excludeWebhookIds.push(id)
      }
    }
    return { excludeAccountIds, excludeWebhookIds }
  }

  return {
    room,
    nextClaim() {
      if (room() < roomy) return null
      isWanting = false
      checks.claimBegins()
      const limit = Math.min(room(), LARGEST_CLAIM)
      return { limit, perAccount, perWebhook, ...full() }
    },
    nextNew() {
      const limit = Math.min(room() - roomy, 2 * mostPerAccount)
      if (limit <= 0) return null
      const { forgets } = checks
      reserved += limit
      return {
        bounds: { limit, perWebhook, ...full() },
        add(added, now) {
          reserved -= limit
          for (const waiting of added) {
            checks.claimedNew(counts.wait(waiting), waiting.claimed.webhook, now, forgets)
          }
          isWanting ||= room() < roomy
        },
      }
    },
    isClaimDue: () => isWanting && room() >= roomy,
    add(waiting, now) {
      checks.claimed(counts.wait(waiting), waiting.claimed.webhook, now)
      isWanting ||= room() < roomy
    },
    sent(webhookId, isQuick) {
      const sends = counts.webhooks.get(webhookId)
      if (sends === undefined) return
      counts.end(sends, isQuick)
      isWanting ||= !thresholds.isWebhookFull(sends) && !thresholds.isAccountFull(sends.account)
    },
    takeStuck() {
      if (room() >= roomy || counts.sending >= most) return []
      const stuck = [...counts.webhooks.values()].filter((sends) => thresholds.isStuck(sends))
      return stuck.flatMap((sends) => counts.takeAll(sends))
    },
  }
}
