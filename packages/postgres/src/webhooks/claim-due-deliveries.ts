import type {
  At,
  ClaimedDelivery,
  DeliveryClaim,
  DeliveryTarget,
  WebhookStore,
} from '@taskboard/core/storage'
import type { Database } from '../database.js'
import type { PgConnection } from '../pool.js'
import { backgroundStatement } from '../statement.js'
import { CHOOSE_DUE, MOST_SKIPPED } from './choose-due-sql.js'
import { createDeliveryTurns } from './delivery-turns.js'
import { deliveryColumns, toDelivery, type DeliveryRow } from './delivery-row.js'
import { targetJson } from './webhook-row.js'

/** A claimed delivery. The first of each webhook has its target. The one row of a claim that found nothing has nulls for both. */
interface ClaimedRow extends DeliveryRow {
  readonly nextDueInMs: number | null
  readonly target: DeliveryTarget | null
  readonly claimToken: string
  /** The last account whose turn it was; null when all due deliveries were seen. */
  readonly lastAccountId: string | null
}

/**
 * Present, limit, per webhook, claim's length, excluded webhooks, excluded accounts, per account; the account served last, and
 * for each account the webhook served last. Nothing waits here: deliveries that another claim is taking are skipped, and those
 * that it has taken are no longer due.
 */
const claimDue = backgroundStatement<ClaimedRow>(
  'claim_deliveries',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now),
  ${CHOOSE_DUE},
  -- One by one in this order, so that only the taken deliveries are locked.
  held as materialized (
    select d.id, d.webhook_id, c.place
    from (
      select c.id, row_number() over (order by c.share, c.turn, c.next_attempt_at, c.id) as place from choice c
      where c.enabled and c.share <= $7::integer
      order by c.share, c.turn, c.next_attempt_at, c.id limit $2::integer
    ) c cross join lateral (
      select d.id, d.webhook_id from taskboard.delivery d
      where d.id = c.id and d.status = 'pending' and d.next_attempt_at <= (select now from p)
      limit 1 for update skip locked
    ) d
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
    select case when s.is_whole then coalesce(
        (
          select min(f.next_attempt_at) from front f
          where not f.is_excluded and f.id not in (select id from taken)
        ),
        -- Deliveries after it are unknown.
        case when not s.is_all then s.reaches_to end
      ) else least(
        (select q.next_due_at from queue q where q.webhook is null),
        (
          select min(n.next_attempt_at)
          from queue q cross join lateral (
            select d.next_attempt_at from taskboard.delivery d
            where d.status = 'pending' and d.account_id = q.account and d.webhook_id = q.webhook
              and d.id not in (select id from taken)
            order by d.account_id, d.webhook_id, d.next_attempt_at, d.id limit 1
          ) n
        )
      ) end as at
    from sight s
  )
  select case when n.at is not null then greatest(0, n.at - p.now) end::float8 as "nextDueInMs", ${deliveryColumns('c')}, c.claim_token as "claimToken",
    case when h.is_first then (
      select ${targetJson('w', 'p.now')} from taskboard.webhook w where w.id = c.webhook_id
    ) end as target,
    (select q.account from queue q where q.webhook is not null order by q.turn desc limit 1) as "lastAccountId"
  from p cross join next_due n
  left join (
    claimed c join (
      select id, place, row_number() over (partition by webhook_id order by place) = 1 as is_first from held
    ) h on h.id = c.id
  ) on true
  order by h.place`,
)

export interface DeliveryClaims {
  /** `WebhookStore.claimDueDeliveries`. */
  readonly claimDue: (
    request: Parameters<WebhookStore['claimDueDeliveries']>[0],
    at: At<PgConnection>,
  ) => Promise<DeliveryClaim>
}

/** The claims of one process, which remembers whose turn is next. */
export function createDeliveryClaims(database: Database): DeliveryClaims {
  const turns = createDeliveryTurns()

  return {
    async claimDue(request, at) {
      const { limit, perAccount, perWebhook, excludeAccountIds, excludeWebhookIds, claimMs } = request
      const values = [
        at.now,
        limit,
        perWebhook,
        claimMs,
        excludeWebhookIds,
        excludeAccountIds,
        perAccount,
        turns.lastAccountId,
        turns.lastWebhookIds,
      ]
      // Does not signal a commit: nothing waits for it, and claimers that wake on commits would wake each other in a loop.
      const rows = await database.read(at, claimDue, values)
      const deliveries: ClaimedDelivery[] = []
      const targets = new Map<string, DeliveryTarget>()
      for (const { nextDueInMs: _, lastAccountId: __, target, claimToken, ...row } of rows) {
        if (target !== null) targets.set(target.id, target)
        const webhook = targets.get(row.webhookId)
        if (webhook !== undefined) deliveries.push({ delivery: toDelivery(row), webhook, claimToken })
      }
      const { nextDueInMs = null, lastAccountId = null } = rows[0] ?? {}
      if (lastAccountId !== null) turns.served(deliveries, lastAccountId)
      return { deliveries, nextDueInMs }
    },
  }
}
