import type { Instant } from '../environment/index.js'
import type { SlotAccounts, WebhookSlots } from './slot-accounts.js'
import type { SlotThresholds } from './slot-thresholds.js'
import type { DeliveryTarget } from './webhook-store.js'

/** For how long a webhook is sent to without another look at it: one look serves a burst. */
const FRESH_MS = 50

/** Knows when the storage showed each webhook last. A webhook is sent to only while it is fresh. */
export interface TargetSights {
  isFresh(slots: WebhookSlots, now: Instant): boolean
  /** What a claim shows is as of here. Claims come one after the other, and so do checks. */
  claimBegins(): void
  claimed(slots: WebhookSlots, target: DeliveryTarget, now: Instant): void
  /** Whether something that waits could be sent now but for a look at its webhook, or soon will need one. */
  isCheckDue(now: Instant): boolean
  /** The webhooks to look at, all whose deliveries wait and that will soon need it. What the look shows is as of here. */
  nextCheck(now: Instant): string[]
  /** Returns those of `webhookIds` that are missing among `targets`. */
  checked(webhookIds: readonly string[], targets: readonly DeliveryTarget[], now: Instant): WebhookSlots[]
  /** Whatever the storage was asked for before this shows nothing. */
  forget(webhookId: string): void
}

export function createTargetSights(counts: SlotAccounts, thresholds: SlotThresholds): TargetSights {
  let forgotten = 0
  let forgottenAtClaim = 0
  let forgottenAtCheck = 0

  return {
    isFresh: (slots, now) => isYounger(slots, now, FRESH_MS),
    claimBegins() {
      forgottenAtClaim = forgotten
    },
    claimed: (slots, target, now) => see(slots, target, forgotten === forgottenAtClaim ? now : null),
    isCheckDue(now) {
      for (const account of counts.accounts.values()) {
        if (!thresholds.mayAccountSend(account)) continue
        for (const slots of account.webhooks.values()) {
          if (needsCheck(slots, now) && thresholds.mayWebhookSend(slots)) return true
        }
      }
      return false
    },
    nextCheck(now) {
      forgottenAtCheck = forgotten
      const due: string[] = []
      for (const [webhookId, slots] of counts.webhooks) if (needsCheck(slots, now)) due.push(webhookId)
      return due
    },
    checked(webhookIds, targets, now) {
      const found = new Map(targets.map((target) => [target.id, target]))
      const gone: WebhookSlots[] = []
      for (const webhookId of webhookIds) {
        const slots = counts.webhooks.get(webhookId)
        if (slots === undefined) continue
        const target = found.get(webhookId)
        if (target === undefined) gone.push(slots)
        else see(slots, target, forgotten === forgottenAtCheck ? now : null)
      }
      return gone
    },
    forget(webhookId) {
      forgotten += 1
      const slots = counts.webhooks.get(webhookId)
      if (slots !== undefined) slots.seenAt = null
    },
  }
}

function isYounger({ seenAt }: WebhookSlots, now: Instant, ageMs: number): boolean {
  // A clock that was set back says nothing of an age.
  return seenAt !== null && now >= seenAt && now - seenAt < ageMs
}

function needsCheck(slots: WebhookSlots, now: Instant): boolean {
  return slots.waiting.length > 0 && !isYounger(slots, now, FRESH_MS / 2)
}

function see(slots: WebhookSlots, target: DeliveryTarget, seenAt: Instant | null): void {
  slots.target = target
  slots.seenAt = seenAt
}
