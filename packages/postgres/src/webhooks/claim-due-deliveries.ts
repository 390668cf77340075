import type {
  At,
  ClaimedDelivery,
  Delivery,
  DeliveryClaim,
  StoredWebhook,
  WebhookStore,
} from '@taskboard/core'
import type { Database } from '../database.js'
import type { PgConnection } from '../pool.js'
import { statement } from '../statement.js'
import { CHOOSE_DUE, MOST_SKIPPED } from './choose-due-sql.js'
import { deliveryColumns } from './delivery-row.js'
import { webhookJson } from './webhook-row.js'

/** A claimed delivery, the first of each webhook with the webhook; the one row of a claim that found nothing has nulls for both. */
interface ClaimedRow extends Delivery {
  readonly nextDueAt: number | null
  readonly webhook: StoredWebhook | null
  readonly claimToken: string
}

/**
 * Present, limit, per webhook, claim's length, excluded webhooks. Nobody waits here: what another claim is taking is
 * passed over, and what it took in the meantime is seen to be no longer due.
 */
const claimDue = statement<ClaimedRow>(
  'claim_deliveries',
  /* sql */ `
  with recursive p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now),
  ${CHOOSE_DUE},
  held as materialized (
    select d.id, d.webhook_id, d.next_attempt_at as was_due_at from taskboard.delivery d
    where d.id = any (array(select c.id from choice c where c.enabled))
      and d.status = 'pending' and d.next_attempt_at <= (select now from p)
    order by d.next_attempt_at, d.id limit $2::integer
    for update skip locked
  ),
  idle as materialized (
    select d.id, d.webhook_id from taskboard.delivery d
    where d.id = any (array(
        select c.id from choice c where not c.enabled order by c.next_attempt_at, c.id limit ${MOST_SKIPPED}
      ))
      and d.status = 'pending' and d.next_attempt_at <= (select now from p)
    for update skip locked
  ),
  claimed as (
    update taskboard.delivery d
    set claim_token = gen_random_uuid()::text, planned_at = coalesce(d.planned_at, d.next_attempt_at),
      next_attempt_at = p.now + $4::bigint
    from p where d.id = any (array(select id from held))
    returning d.*
  ),
  skipped as (
    update taskboard.delivery d
    set status = 'skipped', next_attempt_at = null, claim_token = null, planned_at = null
    where d.id = any (array(select id from idle))
  ),
  taken as materialized (select id, webhook_id from held union all select id, webhook_id from idle),
  next_due as materialized (
    select case when s.is_enough then (
        select min(f.next_attempt_at) from front f
        where not f.is_excluded and f.id not in (select id from taken)
      ) else (
        select min(case when k.webhook_id in (select webhook_id from taken) then (
            select d.next_attempt_at from taskboard.delivery d
            where d.status = 'pending' and d.webhook_id = k.webhook_id and d.id not in (select id from taken)
            order by d.next_attempt_at, d.id limit 1
          ) else k.next_attempt_at end)
        from head k where k.webhook_id <> all ($5::text[])
      ) end as at
    from sight s
  )
  select n.at::float8 as "nextDueAt", ${deliveryColumns('c')}, c.claim_token as "claimToken",
    case when h.is_first then (
      select ${webhookJson('w')} from taskboard.webhook w where w.id = c.webhook_id
    ) end as webhook
  from next_due n
  left join (
    claimed c join (
      select id, was_due_at, row_number() over (partition by webhook_id order by was_due_at, id) = 1 as is_first from held
    ) h on h.id = c.id
  ) on true
  order by h.was_due_at, c.id`,
)

/** `WebhookStore.claimDueDeliveries`. */
export async function claimDueDeliveries(
  database: Database,
  { limit, perWebhook, excludeWebhookIds, claimMs }: Parameters<WebhookStore['claimDueDeliveries']>[0],
  at: At<PgConnection>,
): Promise<DeliveryClaim> {
  const values = [at.now, limit, perWebhook, claimMs, excludeWebhookIds]
  // Not told as a commit: it is news to nobody, and those who claim when they are told would never come to rest.
  const rows = await database.read(at, claimDue, values)
  const deliveries: ClaimedDelivery[] = []
  const webhooks = new Map<string, StoredWebhook>()
  for (const { nextDueAt: _, webhook: first, claimToken, ...delivery } of rows) {
    if (first !== null) webhooks.set(first.id, first)
    const webhook = webhooks.get(delivery.webhookId)
    if (webhook !== undefined) deliveries.push({ delivery, webhook, claimToken })
  }
  return { deliveries, nextDueAt: rows[0]?.nextDueAt ?? null }
}
