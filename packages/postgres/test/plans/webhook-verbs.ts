import type { Storage, DeliveryStatus } from '@taskboard/core'
import type { ClaimedDelivery, ReturnedDelivery } from '@taskboard/core/storage'
import type { PgConnection } from '../../src/connection/pool.js'
import type { HotVerb } from './hot-verb.js'
import { HUGE, HUGE_WEBHOOK, NOW } from './large-board.js'

const at = { now: NOW }
const DAY_MS = 86_400_000

const MOST = { limit: 50, perAccount: 20, perWebhook: 10 }

/** The calls of deliverers. */
export function deliveryVerbs({ webhooks }: Storage<PgConnection>): readonly HotVerb[] {
  let deliveries: readonly ClaimedDelivery[] = []
  const claimDeliveries =
    (afterMs: number, excludeWebhookIds: readonly string[] = [], excludeAccountIds: readonly string[] = []) =>
    async (): Promise<void> => {
      const request = { ...MOST, excludeAccountIds, excludeWebhookIds, claimMs: 60_000 }
      deliveries = (await webhooks.claimDueDeliveries(request, { now: NOW + afterMs })).deliveries
    }
  return [
    {
      name: 'deliveries, nothing due',
      indexes: ['due_delivery_next'],
      most: { rows: 1_000, pages: 2_500 },
      run: claimDeliveries(0),
    },
    {
      name: 'deliveries, some due',
      indexes: ['due_delivery_next'],
      most: { rows: 1_500, pages: 5_000 },
      run: claimDeliveries(61_000),
    },
    {
      name: 'record results',
      indexes: ['due_delivery_pkey'],
      most: { rows: 500, pages: 2_000 },
      run: () =>
        webhooks.recordDeliveryResults(
          {
            results: deliveries.map(({ delivery, claimToken, webhook }) => ({
              deliveryId: delivery.id,
              claimToken,
              url: webhook.url,
              endedMsAgo: 0,
              attempt: { durationMs: 1, status: 200, error: null, responseExcerpt: null },
              outcome: { kind: 'succeeded' },
            })),
            disableAfterMs: DAY_MS,
          },
          { now: NOW + 61_000 },
        ),
    },
    {
      name: 'deliveries, backlog',
      indexes: ['due_delivery_turn'],
      most: { rows: 3_000, pages: 6_000 },
      run: claimDeliveries(DAY_MS),
    },
    {
      name: 'deliveries, backlog of an excluded webhook',
      indexes: ['due_delivery_turn'],
      most: { rows: 3_000, pages: 6_000 },
      run: claimDeliveries(DAY_MS, [HUGE_WEBHOOK]),
    },
    {
      name: 'deliveries, backlog of an excluded account',
      indexes: ['due_delivery_turn'],
      most: { rows: 3_000, pages: 6_000 },
      run: claimDeliveries(DAY_MS, [], ['acc_0']),
    },
    {
      name: 'delivery targets',
      indexes: ['webhook_pkey', 'every_workspace_pkey'],
      run: () => webhooks.readTargets({ webhookIds: deliveries.map(({ webhook }) => webhook.id) }, at),
    },
    {
      name: 'release deliveries',
      indexes: ['due_delivery_pkey'],
      most: { rows: 500, pages: 3_000 },
      run: () => {
        const results = deliveries.map(toReturned)
        return webhooks.recordDeliveryResults({ results, disableAfterMs: DAY_MS }, { now: NOW + DAY_MS })
      },
    },
  ]
}

function toReturned({ delivery, claimToken }: ClaimedDelivery): ReturnedDelivery {
  return { deliveryId: delivery.id, claimToken, outcome: { kind: 'returned', delayMs: 0 } }
}

/** The reads of people about their webhooks. */
export function webhookVerbs({ webhooks }: Storage<PgConnection>): readonly HotVerb[] {
  const list = (status: DeliveryStatus | null, afterId: string | null = null) =>
    webhooks.listDeliveries({ workspaceId: HUGE, webhookId: HUGE_WEBHOOK, status, limit: 50, afterId }, at)
  return [
    {
      name: 'list deliveries',
      indexes: ['ended_delivery_pkey'],
      run: () => list(null),
    },
    {
      name: 'list deliveries, deep',
      indexes: ['ended_delivery_pkey'],
      run: () => list(null, `evt_${'100000'.padStart(20, '0')}`),
    },
    { name: 'list pending deliveries', run: () => list('pending') },
    { name: 'list succeeded deliveries', run: () => list('succeeded') },
    { name: 'list failed deliveries', indexes: ['ended_delivery_unsent'], run: () => list('failed') },
    { name: 'list skipped deliveries', indexes: ['ended_delivery_unsent'], run: () => list('skipped') },
    {
      name: 'list webhooks',
      indexes: ['webhook_age'],
      run: () => webhooks.listWebhooks({ within: HUGE }, at),
    },
    {
      name: 'resend deliveries of a day',
      run: () =>
        webhooks.resendDeliveries(
          { workspaceId: 'ws_5', webhookId: 'wh_5', which: { from: NOW - DAY_MS, to: NOW } },
          at,
        ),
    },
  ]
}
