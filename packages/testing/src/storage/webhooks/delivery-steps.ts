import type { DeliveryStatus } from '@taskboard/core'
import assert from 'node:assert/strict'
import type {
  ClaimedDelivery,
  Delivery,
  DeliveryClaim,
  DeliveryResult,
  ReturnedDelivery,
} from '@taskboard/core/storage'
import { DAY, MINUTE, type StorageFixture } from '../storage-fixture.js'

export const DISABLE_AFTER_MS = 5 * DAY

interface ClaimOptions {
  readonly limit?: number
  readonly perAccount?: number
  readonly perWebhook?: number
  readonly excludeAccountIds?: readonly string[]
  readonly excludeWebhookIds?: readonly string[]
}

export function claim(
  { storage, at }: StorageFixture,
  afterMs = 0,
  options: ClaimOptions = {},
): Promise<DeliveryClaim> {
  const most = { limit: 100, perAccount: 100, perWebhook: 100 }
  const none = { excludeAccountIds: [], excludeWebhookIds: [] }
  return storage.webhooks.claimDueDeliveries({ ...most, ...none, claimMs: MINUTE, ...options }, at(afterMs))
}

/** How long each attempt took. */
export const ATTEMPT_MS = 12

/** Of an attempt that ended `endedMsAgo` before its result is recorded. */
export function resultOf(
  claimed: ClaimedDelivery,
  outcome: DeliveryResult['outcome'],
  endedMsAgo = 0,
): DeliveryResult {
  const succeeded = outcome.kind === 'succeeded'
  const attempt = {
    durationMs: ATTEMPT_MS,
    status: succeeded ? 200 : 500,
    error: succeeded ? null : 'status: HTTP 500',
    responseExcerpt: 'text',
  }
  const { delivery, claimToken, webhook } = claimed
  return { deliveryId: delivery.id, claimToken, url: webhook.url, attempt, endedMsAgo, outcome }
}

export function record(
  { storage, at }: StorageFixture,
  claimed: ClaimedDelivery,
  outcome: DeliveryResult['outcome'],
  afterMs: number,
  endedMsAgo = 0,
): Promise<void> {
  const result = resultOf(claimed, outcome, endedMsAgo)
  return storage.webhooks.recordDeliveryResults(
    { results: [result], disableAfterMs: DISABLE_AFTER_MS },
    at(afterMs),
  )
}

/** A claim that goes back without an attempt. */
export function returned(
  { deliveryId, claimToken }: Omit<ReturnedDelivery, 'outcome'>,
  delayMs = 0,
): ReturnedDelivery {
  return { deliveryId, claimToken, outcome: { kind: 'returned', delayMs } }
}

export function giveBack(
  { storage, at }: StorageFixture,
  claimed: Omit<ReturnedDelivery, 'outcome'>,
  afterMs: number,
): Promise<void> {
  const results = [returned(claimed)]
  return storage.webhooks.recordDeliveryResults({ results, disableAfterMs: DISABLE_AFTER_MS }, at(afterMs))
}

export function log(
  { storage, workspaceId, at }: StorageFixture,
  webhookId: string,
  status: DeliveryStatus | null = null,
): Promise<readonly Delivery[]> {
  const query = { workspaceId, webhookId, status, limit: 100, afterId: null }
  return storage.webhooks.listDeliveries(query, at())
}

export async function claimOne(fixture: StorageFixture, afterMs = 0): Promise<ClaimedDelivery> {
  const { deliveries } = await claim(fixture, afterMs)
  assert.equal(deliveries.length, 1)
  return deliveries[0] as ClaimedDelivery
}

export const idsOf = (deliveries: readonly { readonly delivery: Delivery }[]) =>
  deliveries.map(({ delivery }) => delivery.id)
