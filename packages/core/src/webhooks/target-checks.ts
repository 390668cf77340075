import type { Instant } from '../environment/index.js'
import type { SendCounts, WebhookSends } from './send-counts.js'
import type { SendThresholds } from './send-thresholds.js'
import type { DeliveryTarget } from './webhook-store.js'

/** How long a read of a webhook is valid: one read serves a burst. */
const FRESH_MS = 50
/** How many forgotten webhooks are kept by id. Beyond that, all count as forgotten until the next read. */
const MOST_FORGOTTEN = 1_000

/** Keeps the time of the last read of each webhook. Deliveries go to a webhook only while its read is fresh. */
export interface TargetChecks {
  isFresh(sends: WebhookSends, now: Instant): boolean
  /** A claim reads targets as of this call. Claims run one at a time, and so do checks. */
  claimBegins(): void
  claimed(sends: WebhookSends, target: DeliveryTarget, now: Instant): void
  /** How often webhooks were forgotten, to compare. */
  readonly forgets: number
  /** The target was read since there were `forgets`. */
  claimedNew(sends: WebhookSends, target: DeliveryTarget, now: Instant, forgets: number): void
  /** Whether something that waits needs a read of its webhook now, or soon. */
  isCheckDue(now: Instant): boolean
  /** The webhooks to read: all with waiting deliveries that soon need it. The read is as of this call. */
  nextCheck(now: Instant): string[]
  /** Returns the `webhookIds` that are missing among `targets`. */
  checked(webhookIds: readonly string[], targets: readonly DeliveryTarget[], now: Instant): WebhookSends[]
  /** Reads of the webhook that began before this call don't count. */
  forget(webhookId: string): void
}

export function createTargetChecks(counts: SendCounts, thresholds: SendThresholds): TargetChecks {
  const sinceClaim = createForgotten()
  const sinceCheck = createForgotten()
  let forgets = 0

  return {
    isFresh: (sends, now) => isYounger(sends, now, FRESH_MS),
    claimBegins() {
      sinceClaim.clear()
    },
    claimed: (sends, target, now) => see(sends, target, sinceClaim.has(target.id) ? null : now),
    get forgets() {
      return forgets
    },
    claimedNew: (sends, target, now, before) => see(sends, target, before === forgets ? now : null),
    isCheckDue(now) {
      for (const account of counts.accounts.values()) {
        if (!thresholds.mayAccountSend(account)) continue
        for (const sends of account.webhooks.values()) {
          if (needsCheck(sends, now) && thresholds.mayWebhookSend(sends)) return true
        }
      }
      return false
    },
    nextCheck(now) {
      sinceCheck.clear()
      const due: string[] = []
      for (const [webhookId, sends] of counts.webhooks) if (needsCheck(sends, now)) due.push(webhookId)
      return due
    },
    checked(webhookIds, targets, now) {
      const found = new Map(targets.map((target) => [target.id, target]))
      const gone: WebhookSends[] = []
      for (const webhookId of webhookIds) {
        const sends = counts.webhooks.get(webhookId)
        if (sends === undefined) continue
        const target = found.get(webhookId)
        if (target === undefined) gone.push(sends)
        else see(sends, target, sinceCheck.has(webhookId) ? null : now)
      }
      return gone
    },
    forget(webhookId) {
      forgets += 1
      sinceClaim.add(webhookId)
      sinceCheck.add(webhookId)
      const sends = counts.webhooks.get(webhookId)
      if (sends !== undefined) sends.seenAt = null
    },
  }
}

/** The webhooks that were forgotten since a read began. */
function createForgotten() {
  const webhookIds = new Set<string>()
  return {
    clear: () => webhookIds.clear(),
    add(webhookId: string): void {
      if (webhookIds.size < MOST_FORGOTTEN) webhookIds.add(webhookId)
    },
    has: (webhookId: string): boolean => webhookIds.size >= MOST_FORGOTTEN || webhookIds.has(webhookId),
  }
}

function isYounger({ seenAt }: WebhookSends, now: Instant, ageMs: number): boolean {
  // A clock that was set back gives no valid age.
  return seenAt !== null && now >= seenAt && now - seenAt < ageMs
}

function needsCheck(sends: WebhookSends, now: Instant): boolean {
  return sends.waiting.length > 0 && !isYounger(sends, now, FRESH_MS / 2)
}

function see(sends: WebhookSends, target: DeliveryTarget, seenAt: Instant | null): void {
  sends.target = target
  sends.seenAt = seenAt
}
