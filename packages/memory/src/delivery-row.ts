import type { Instant } from '@taskboard/core'
import type { Delivery } from '@taskboard/core/storage'

/** A delivery with the claim on it. */
export interface DeliveryRow {
  readonly delivery: Delivery
  readonly claim: { readonly token: string; readonly expiresAt: Instant } | null
}

/** When the delivery can next be claimed; null when it is finished. */
export function dueAt({ delivery, claim }: DeliveryRow): Instant | null {
  return claim === null ? delivery.nextAttemptAt : claim.expiresAt
}

/** Whether the claim with that token holds at `now`. */
export function isHeld(row: DeliveryRow, claimToken: string, now: Instant): boolean {
  return row.claim !== null && row.claim.token === claimToken && row.claim.expiresAt > now
}

export function isFinished(row: DeliveryRow): boolean {
  return row.delivery.status !== 'pending'
}

/** The delivery as it stands in the log when its webhook is disabled. */
export function skipped({ delivery }: DeliveryRow): DeliveryRow {
  return { delivery: { ...delivery, status: 'skipped', nextAttemptAt: null }, claim: null }
}
