import type { At, DeliveryResult, ReturnedDelivery } from '@taskboard/core/storage'
import type { Database } from '../database.js'
import { logEventsBut } from '../events/log-events.js'
import type { PgConnection } from '../pool.js'
import { backgroundStatement } from '../statement.js'
import { RECORD_RESULTS } from './record-results-sql.js'
import { releaseDeliveries, releasedValues } from './release-deliveries.js'

/** Alert `e` is for the webhook `own`; `w` was disabled by this statement or before. */
const TO_DISABLED = /* sql */ `exists (
  select from changed before join changed own on before.ord <= own.ord
  where before.id = w.id and before.reason is not null and own.id = e.facts ->> 'webhookId'
)`

/** Present, how long only failures disable a webhook, results. */
const record = backgroundStatement<object>(
  'record_delivery_results',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now),
  ${RECORD_RESULTS},
  ${logEventsBut(TO_DISABLED)}
  select id from logged`,
)

/** `WebhookStore.recordDeliveryResults`: one statement for results, one for returned deliveries. */
export async function recordDeliveryResults(
  database: Database,
  results: readonly (DeliveryResult | ReturnedDelivery)[],
  disableAfterMs: number,
  at: At<PgConnection>,
): Promise<void> {
  const returned = results.filter(isReturned)
  if (returned.length === 0) return recordAttempts(database, results as DeliveryResult[], disableAfterMs, at)
  const attempted = results.filter((result): result is DeliveryResult => !isReturned(result))
  if (attempted.length === 0) {
    await database.write(at, releaseDeliveries, releasedValues(returned, at))
    return
  }
  await database.atomically(at, async (session) => {
    await session.run(record, recordValues(attempted, disableAfterMs, at))
    await session.run(releaseDeliveries, releasedValues(returned, at))
  })
}

async function recordAttempts(
  database: Database,
  results: readonly DeliveryResult[],
  disableAfterMs: number,
  at: At<PgConnection>,
): Promise<void> {
  if (results.length === 0) return
  const logged = await database.read(at, record, recordValues(results, disableAfterMs, at))
  // Nothing waits for most results.
  const isNews = logged.length > 0 || results.some(({ outcome }) => outcome.kind === 'retry')
  if (at.tx === undefined && isNews) database.commits.raise()
}

function recordValues(
  results: readonly DeliveryResult[],
  disableAfterMs: number,
  at: At<PgConnection>,
): readonly unknown[] {
  return [at.now, disableAfterMs, JSON.stringify(results.map(toInput))]
}

function isReturned(result: DeliveryResult | ReturnedDelivery): result is ReturnedDelivery {
  return result.outcome.kind === 'returned'
}

function toInput(
  { deliveryId, claimToken, url, attempt, endedMsAgo, outcome }: DeliveryResult,
  ord: number,
): object {
  return {
    ord,
    delivery_id: deliveryId,
    claim_token: claimToken,
    url,
    kind: outcome.kind,
    delay_ms: outcome.kind === 'retry' ? outcome.delayMs : null,
    ended_ms_ago: endedMsAgo,
    duration_ms: attempt.durationMs,
    attempt: {
      durationMs: attempt.durationMs,
      status: attempt.status,
      error: attempt.error === null ? null : storable(attempt.error),
      responseExcerpt: attempt.responseExcerpt === null ? null : storable(attempt.responseExcerpt),
    },
  }
}

/** Text from outside, without what jsonb rejects: NUL and lone surrogates. */
function storable(text: string): string {
  return text.replace(/[\0\p{Surrogate}]/gu, '\u{FFFD}')
}
