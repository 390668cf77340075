import type { Instant } from '@taskboard/core'
import type { Delivery } from '@taskboard/core/storage'
import type { Table } from './table.js'

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

/** The deliveries of each webhook in the order of their creation. Follows the deliveries' table. */
export interface DeliveryLog {
  /** Ids, newest first, from the one before `beforeId` on (null: from the newest). */
  newestFirst(webhookId: string, beforeId: string | null): Iterable<string>
  /** Ids, oldest first. */
  all(webhookId: string): readonly string[]
}

export function createDeliveryLog(deliveries: Table<DeliveryRow>): DeliveryLog {
  const logs = new Map<string, string[]>()

  function add(webhookId: string, id: string): void {
    const ids = logs.get(webhookId)
    if (ids === undefined) logs.set(webhookId, [id])
    // Ids are made in rising order; only a rollback brings one back that others have followed.
    else if ((ids.at(-1) ?? '') < id) ids.push(id)
    else ids.splice(placeOf(ids, id), 0, id)
  }

  function remove(webhookId: string, id: string): void {
    const ids = logs.get(webhookId)
    if (ids === undefined) return
    if (ids.length === 1) logs.delete(webhookId)
    else ids.splice(placeOf(ids, id), 1)
  }

  deliveries.onChange((before, after) => {
    if (before !== undefined && after !== undefined) return
    if (before !== undefined) remove(before.delivery.webhookId, before.delivery.id)
    if (after !== undefined) add(after.delivery.webhookId, after.delivery.id)
  })

  return {
    *newestFirst(webhookId, beforeId) {
      const ids = logs.get(webhookId) ?? []
      const end = beforeId === null ? ids.length : placeOf(ids, beforeId)
      for (let place = end - 1; place >= 0; place--) yield ids[place] as string
    },
    all: (webhookId) => [...(logs.get(webhookId) ?? [])],
  }
}

/** Where `id` is in the sorted `ids`, or would be. */
function placeOf(ids: readonly string[], id: string): number {
  let low = 0
  let high = ids.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ids[middle] as string) < id) low = middle + 1
    else high = middle
  }
  return low
}
