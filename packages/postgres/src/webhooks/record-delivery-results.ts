import type { CallContext, DeliveryResult, ReturnedDelivery } from '@taskboard/core/storage'
import type { Database } from '../database/database.js'
import { IS_WRITABLE } from '../database/is-writable.js'
import { logEventsBut } from '../events/log-events.js'
import type { PgConnection } from '../connection/pool.js'
import { backgroundStatement, statement } from '../connection/statement.js'

/** The last attempts of delivery `d`, including the one of result `h`. */
const withAttempt = (d: string, h: string): string => `
      case when jsonb_array_length(${d}.attempts) >= 100 then ${d}.attempts - 0 else ${d}.attempts end
        || jsonb_build_array(${h}.attempt || jsonb_build_object('at', ${h}.attempt_at))`

/**
 * The part of a statement that stores results. It reads `p` (now), $2 (how long only failures disable a webhook) and $3 (results as JSON,
 * with their ages). It leaves `draft`, the alerts to log.
 *
 * Locks deliveries in the order of their ids, then the webhooks that change. The lock allows new deliveries to them, because a
 * statement that adds deliveries already holds the log, which comes next here.
 */
const RECORD_RESULTS = /* sql */ `
  result as materialized (
    select distinct on (r.delivery_id, r.claim_token) r.ord, r.delivery_id, r.claim_token, r.url, r.kind, r.attempt,
      p.now - r.ended_ms_ago - r.duration_ms as attempt_at, p.now - r.ended_ms_ago + r.delay_ms as retry_at
    from p, jsonb_to_recordset($3::jsonb) as r (
      ord integer, delivery_id text, claim_token text, url text, kind text, delay_ms bigint, ended_ms_ago bigint,
      duration_ms bigint, attempt jsonb
    )
    order by r.delivery_id, r.claim_token, r.ord
  ),
  valid_claim as materialized (
    select r.*, d.webhook_id
    from result r join taskboard.due_delivery d on d.id = r.delivery_id and d.claim_token = r.claim_token, p
    where d.next_attempt_at > p.now
    order by d.id for update of d
  ),
  retried as (
    update taskboard.due_delivery d set
      attempt_count = d.attempt_count + 1, attempts = ${withAttempt('d', 'h')}, next_attempt_at = h.retry_at, claim_token = null,
      planned_at = null
    from valid_claim h where d.id = h.delivery_id and h.kind = 'retry'
  ),
  finished as (
    delete from taskboard.due_delivery d using valid_claim h
    where d.id = h.delivery_id and h.kind <> 'retry'
    returning d.*, h.kind, ${withAttempt('d', 'h')} as all_attempts
  ),
  ended as (
    insert into taskboard.ended_delivery (id, webhook_id, workspace_id, status, created_at, seq, attempt_count, event, attempts)
    select d.id, d.webhook_id, d.workspace_id, case d.kind when 'succeeded' then 'succeeded' else 'failed' end, d.created_at, d.seq,
      d.attempt_count + 1, d.event, d.all_attempts
    from finished d
  ),
  affected_webhook as materialized (
    select w.id
    from valid_claim h join taskboard.webhook w on w.id = h.webhook_id and w.url = h.url, p
    group by w.id, p.now
    having case when w.failing_since is null then bool_or(h.kind <> 'succeeded')
      else bool_or(h.kind = 'succeeded')
        or (w.enabled and (bool_or(h.kind = 'gone') or p.now - w.failing_since >= $2::bigint)) end
  ),
  -- Each result with its webhook: joined only by index, because the planner cannot estimate the number of rows.
  webhook_result as materialized (
    select w.id, w.enabled, w.workspace_id ${IS_WRITABLE} as is_writable, w.failing_since, h.ord, h.kind, h.attempt_at
    from valid_claim h join taskboard.webhook w on w.id = h.webhook_id and w.url = h.url
    where w.id = any (array(select id from affected_webhook)) order by w.id for no key update of w
  ),
  -- Each success begins a new run of failures; failures before the first success continue the stored run.
  numbered_result as (
    select *, count(*) filter (where kind = 'succeeded') over (partition by id order by ord) as place,
      count(*) filter (where kind = 'succeeded') over (partition by id) as last_place
    from webhook_result
  ),
  failure_run as (
    select r.*, r.kind <> 'succeeded' as is_failure, coalesce(case when r.place = 0 then r.failing_since end,
      first_value(r.attempt_at) over (partition by r.id, r.place order by r.kind = 'succeeded', r.ord)) as since
    from numbered_result r
  ),
  webhook_verdict as materialized (
    select s.id, min(s.since) filter (where s.is_failure and s.place = s.last_place) as failing_since,
      min(s.ord) filter (where s.is_fatal) as ord,
      (array_agg(case s.kind when 'gone' then 'gone' else 'failing' end order by s.ord)
        filter (where s.is_fatal))[1] as reason
    from (
      select k.*, k.enabled and k.is_writable and k.is_failure and (k.kind = 'gone' or p.now - k.since >= $2::bigint) as is_fatal
      from failure_run k, p
    ) s
    group by s.id
  ),
  changed as (
    update taskboard.webhook w set
      failing_since = v.failing_since, updated_at = p.now,
      enabled = w.enabled and v.reason is null, disabled_reason = coalesce(v.reason, w.disabled_reason)
    from webhook_verdict v, p where w.id = v.id
    returning w.id, w.workspace_id, w.url, w.updated_at, v.ord, v.reason
  ),
  -- The part after the path of an address may contain the receiver's secret.
  draft as (
    select workspace_id, ord, 'agent.alert' as type, updated_at as at, jsonb_build_object(
      'message', case reason
        when 'gone' then 'A webhook was disabled: its endpoint says that it is gone for good.'
        else 'A webhook was disabled: every delivery to it has failed for too long.' end,
      'webhookId', id, 'url', regexp_replace(url, '[?#].*$', ''), 'reason', reason) as data
    from changed where reason is not null
  )`

/** Makes claimed deliveries due after their delays, each only if its claim is still valid. */
const releaseDeliveries = statement<never>(
  'release_deliveries',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now),
  valid_claim as materialized (
    select d.id, c.delay_ms
    from jsonb_to_recordset($2::jsonb) as c (delivery_id text, claim_token text, delay_ms bigint)
    join taskboard.due_delivery d on d.id = c.delivery_id and d.claim_token = c.claim_token, p
    where d.next_attempt_at > p.now
    order by d.id for update of d
  )
  update taskboard.due_delivery d set next_attempt_at = p.now + c.delay_ms, claim_token = null, planned_at = null
  from p, valid_claim c where d.id = c.id`,
)

/** The values of `releaseDeliveries`: present, claims. */
function releasedValues(
  returned: readonly ReturnedDelivery[],
  call: CallContext<PgConnection>,
): readonly unknown[] {
  const released = returned.map(({ deliveryId, claimToken, outcome }) => ({
    delivery_id: deliveryId,
    claim_token: claimToken,
    delay_ms: outcome.delayMs,
  }))
  return [call.now, JSON.stringify(released)]
}

/** Alert `e` is for the webhook `own`; `w` was disabled by this statement or before. */
const TO_DISABLED = /* sql */ `exists (
  select from changed earlier join changed own on earlier.ord <= own.ord
  where earlier.id = w.id and earlier.reason is not null and own.id = e.data ->> 'webhookId'
)`

/** Present, how long only failures disable a webhook, results. */
const record = backgroundStatement<object>(
  'record_delivery_results',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now),
  ${RECORD_RESULTS},
  ${logEventsBut(TO_DISABLED)}
  select from logged`,
)

/** `WebhookStore.recordDeliveryResults`: one statement for results, one for returned deliveries. */
export async function recordDeliveryResults(
  database: Database,
  results: readonly (DeliveryResult | ReturnedDelivery)[],
  disableAfterMs: number,
  call: CallContext<PgConnection>,
): Promise<void> {
  const returned = results.filter(isReturned)
  if (returned.length === 0)
    return recordAttempts(database, results as DeliveryResult[], disableAfterMs, call)
  const attempted = results.filter((result): result is DeliveryResult => !isReturned(result))
  if (attempted.length === 0) {
    await database.write(call, releaseDeliveries, releasedValues(returned, call))
    return
  }
  await database.atomically(call, async (session) => {
    await session.run(record, recordValues(attempted, disableAfterMs, call))
    await session.run(releaseDeliveries, releasedValues(returned, call))
  })
}

async function recordAttempts(
  database: Database,
  results: readonly DeliveryResult[],
  disableAfterMs: number,
  call: CallContext<PgConnection>,
): Promise<void> {
  if (results.length === 0) return
  const logged = await database.read(call, record, recordValues(results, disableAfterMs, call))
  // Nothing waits for most results.
  const isNews = logged.length > 0 || results.some(({ outcome }) => outcome.kind === 'retry')
  if (call.tx === undefined && isNews) database.commits.raise()
}

function recordValues(
  results: readonly DeliveryResult[],
  disableAfterMs: number,
  call: CallContext<PgConnection>,
): readonly unknown[] {
  return [call.now, disableAfterMs, JSON.stringify(results.map(toInput))]
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
