import type { Instant, DisabledReason } from '@taskboard/core'
import type { Delivery, DeliveryResult, StoredWebhook } from '@taskboard/core/storage'
import { draftRow } from '../tables/event-log.js'
import type { Database } from '../tables/database.js'
import { isHeld } from '../tables/deliveries.js'

/** Stores the results of claimed deliveries, and updates their webhooks accordingly. */
export function recordResult(
  database: Database,
  result: DeliveryResult,
  disableAfterMs: number,
  now: Instant,
): void {
  const { deliveries, webhooks } = database.tables
  const row = deliveries.get(result.deliveryId)
  if (row === undefined || !isHeld(row, result.claimToken, now)) return
  const endedAt = now - result.endedMsAgo
  const startedAt = endedAt - result.attempt.durationMs
  const delivery = afterAttempt(row.delivery, result, startedAt, endedAt)
  deliveries.set(result.deliveryId, { delivery, claim: null })

  const webhook = webhooks.get(row.delivery.webhookId)
  if (webhook?.url !== result.url) return
  if (result.outcome.kind === 'succeeded') {
    if (webhook.failingSince !== null)
      webhooks.set(webhook.id, { ...webhook, failingSince: null, updatedAt: now })
    return
  }
  const failingSince = webhook.failingSince ?? startedAt
  const failing = webhook.failingSince === null ? { ...webhook, failingSince, updatedAt: now } : webhook
  if (failing !== webhook) webhooks.set(webhook.id, failing)
  if (result.outcome.kind === 'gone') disable(database, failing, 'gone', now)
  else if (now - failingSince >= disableAfterMs) disable(database, failing, 'failing', now)
}

const KEPT_ATTEMPTS = 100

function afterAttempt(
  delivery: Delivery,
  { attempt, outcome }: DeliveryResult,
  at: Instant,
  endedAt: Instant,
): Delivery {
  const { durationMs, status, error, responseExcerpt } = attempt
  return {
    ...delivery,
    status: outcome.kind === 'retry' ? 'pending' : outcome.kind === 'succeeded' ? 'succeeded' : 'failed',
    attemptCount: delivery.attemptCount + 1,
    attempts: [
      ...delivery.attempts.slice(1 - KEPT_ATTEMPTS),
      { at, durationMs, status, error, responseExcerpt },
    ],
    nextAttemptAt: outcome.kind === 'retry' ? endedAt + outcome.delayMs : null,
  }
}

const MESSAGES: Readonly<Record<Exclude<DisabledReason, 'host'>, string>> = {
  gone: 'A webhook was disabled: its endpoint says that it is gone permanently.',
  failing: 'A webhook was disabled: every delivery to it has failed for too long.',
}

function disable(
  { tables, publish, readOnly }: Database,
  webhook: StoredWebhook,
  reason: Exclude<DisabledReason, 'host'>,
  now: Instant,
): void {
  if (!webhook.enabled || readOnly.has(webhook.workspaceId)) return
  tables.webhooks.set(webhook.id, { ...webhook, enabled: false, disabledReason: reason, updatedAt: now })
  const data = { message: MESSAGES[reason], webhookId: webhook.id, url: withoutQuery(webhook.url), reason }
  publish(draftRow(webhook.workspaceId, { type: 'agent.alert', data }, now))
}

/** What follows the path may be a secret of the receiver. */
function withoutQuery(url: string): string {
  return url.replace(/[?#].*$/s, '')
}
