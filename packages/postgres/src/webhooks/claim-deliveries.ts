import type {
  CallContext,
  ClaimedDelivery,
  Delivery,
  DeliveryClaim,
  DeliveryTarget,
  WebhookStore,
} from '@taskboard/core/storage'
import type { Database } from '../database/database.js'
import type { PgConnection } from '../connection/pool.js'
import { backgroundStatement } from '../connection/statement.js'
import { deliveryColumns, toDelivery } from './deliveries.js'
import { targetJson } from '../events/target-json.js'

/** The maximum of deliveries of disabled webhooks that one claim skips. */
const MOST_SKIPPED = 1_000
/** How many of the deliveries that are due first are read. When more than that are due, there is a backlog. */
const FRONT_SIZE = 300
/** How many are read when none is due, to find out when the next one will be. */
const IDLE_FRONT_SIZE = 50

/**
 * The part of a claim that chooses deliveries. It reads `p` (now) and the claim's parameters, and leaves
 *
 * - `front`: the pending deliveries that are due first, whether due yet or not, and whether they are of an excluded webhook;
 * - `front_extent`: whether the front contains all due deliveries;
 * - `webhook_turn`: only when it doesn't, the webhooks with due deliveries whose turn it is. A row without a webhook has the next due time
 *   of all others;
 * - `candidate`: due deliveries, limited for each webhook and account. `share` counts the deliveries of an account, its webhooks in turn.
 *   The lowest shares of all accounts come first. Deliveries of disabled webhooks are to be skipped.
 */
const CHOOSE_DUE = /* sql */ `
  front_size as materialized (
    select case
      when (select min(next_attempt_at) from taskboard.due_delivery) <= p.now then ${FRONT_SIZE}
      else ${IDLE_FRONT_SIZE} end as most
    from p
  ),
  front as materialized (
    select d.id, d.account_id, d.webhook_id, d.next_attempt_at, d.next_attempt_at <= p.now as is_due,
      d.account_id = any ($6::text[]) or d.webhook_id = any ($5::text[]) as is_excluded
    from p cross join (
      select id, account_id, webhook_id, next_attempt_at from taskboard.due_delivery
      order by next_attempt_at, id limit (select most from front_size)
    ) d
  ),
  front_extent as materialized (
    select f.*, f.is_all or f.is_past_due as is_whole
    from (
      select count(*) < (select most from front_size) as is_all, bool_or(not is_due) as is_past_due,
        max(next_attempt_at) as reaches_to
      from front
    ) f
  ),
  webhook_turn as materialized (
    select q.account, q.webhook, q.is_enabled, q.turn, q.next_due_at
    from p cross join lateral taskboard.due_webhooks(
      p.now, $2::integer, $7::integer, $3::integer, $6::text[], $5::text[], $8::text, $9::jsonb) q
    where not (select is_whole from front_extent)
  ),
  due as (
    select f.id, f.account_id, f.webhook_id, f.next_attempt_at, w.enabled, 0 as turn
    from front f cross join lateral (select w.enabled from taskboard.webhook w where w.id = f.webhook_id limit 1) as w
    where (select is_whole from front_extent) and f.is_due and not f.is_excluded
    union all
    select d.id, q.account, q.webhook, d.next_attempt_at, q.is_enabled, q.turn
    from webhook_turn q cross join lateral (
      select f.id, f.next_attempt_at from taskboard.due_delivery f
      where f.account_id = q.account and f.webhook_id = q.webhook
        and f.next_attempt_at <= (select now from p)
      order by f.account_id, f.webhook_id, f.next_attempt_at, f.id
      limit case when q.is_enabled then $3::integer else ${MOST_SKIPPED} end
    ) d
    where q.webhook is not null
  ),
  candidate as materialized (
    select c.*, row_number() over (partition by c.account_id, c.enabled order by c.place, c.turn, c.next_attempt_at, c.id) as share
    from (
      select *, row_number() over (partition by webhook_id order by next_attempt_at, id) as place from due
    ) c
    where not c.enabled or c.place <= $3::integer
  )`

/** The number of accounts for which it remembers the webhook served last. */
const MOST_REMEMBERED = 100

/** Whose turn is next when more is due than one claim takes. */
interface DeliveryTurns {
  /** Empty before the first claim. */
  readonly lastAccountId: string
  /** The webhook served last for each account, as JSON. */
  readonly lastWebhookIds: string
  /** Records a claim: the webhooks of each account in turn; `accountId` is the last of the accounts. */
  served(deliveries: readonly ClaimedDelivery[], accountId: string): void
}

function createDeliveryTurns(): DeliveryTurns {
  const lastOfAccounts = new Map<string, string>()
  let lastAccountId = ''
  let lastWebhookIds = '{}'

  return {
    get lastAccountId() {
      return lastAccountId
    },
    get lastWebhookIds() {
      return lastWebhookIds
    },
    served(deliveries, accountId) {
      lastAccountId = accountId
      const seen = new Set<string>()
      for (const { webhook } of deliveries) {
        // The second turn of a webhook comes in the same order.
        if (seen.has(webhook.id)) continue
        seen.add(webhook.id)
        lastOfAccounts.delete(webhook.accountId)
        lastOfAccounts.set(webhook.accountId, webhook.id)
      }
      for (const oldest of lastOfAccounts.keys()) {
        if (lastOfAccounts.size <= MOST_REMEMBERED) break
        lastOfAccounts.delete(oldest)
      }
      lastWebhookIds = JSON.stringify(Object.fromEntries(lastOfAccounts))
    },
  }
}

/** A claimed delivery. The first of each webhook has its target. The one row of a claim that found nothing has nulls for both. */
interface ClaimedRow extends Delivery {
  readonly nextDueInMs: number | null
  readonly target: DeliveryTarget | null
  readonly claimToken: string
  /** The last account whose turn it was; null when all due deliveries were seen. */
  readonly lastAccountId: string | null
}

/**
 * Present, limit, per webhook, claim's length, excluded webhooks, excluded accounts, per account; the account served last, and for each
 * account the webhook served last. It never waits here: deliveries that another claim is taking are skipped, and the ones it has taken are
 * no longer due.
 */
const claimDue = backgroundStatement<ClaimedRow>(
  'claim_deliveries',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now),
  ${CHOOSE_DUE},
  -- One by one in this order, so that only the taken deliveries are locked.
  locked_delivery as materialized (
    select d.id, d.webhook_id, c.place
    from (
      select c.id, row_number() over (order by c.share, c.turn, c.next_attempt_at, c.id) as place from candidate c
      where c.enabled and c.share <= $7::integer
      order by c.share, c.turn, c.next_attempt_at, c.id limit $2::integer
    ) c cross join lateral (
      select d.id, d.webhook_id from taskboard.due_delivery d
      where d.id = c.id and d.next_attempt_at <= (select now from p)
      limit 1 for update skip locked
    ) d
  ),
  locked_skippable as materialized (
    select d.id, d.webhook_id from taskboard.due_delivery d
    where d.id = any (array(
        select c.id from candidate c where not c.enabled order by c.next_attempt_at, c.id limit ${MOST_SKIPPED}
      ))
      and d.next_attempt_at <= (select now from p)
    for update skip locked
  ),
  claimed as (
    update taskboard.due_delivery d
    set claim_token = gen_random_uuid()::text, planned_at = coalesce(d.planned_at, d.next_attempt_at),
      next_attempt_at = p.now + $4::bigint
    from p where d.id = any (array(select id from locked_delivery))
    returning d.id, d.webhook_id, d.workspace_id, coalesce(d.event, taskboard.event_at(d.workspace_id, d.seq)) as event, 'pending' as status, d.attempt_count, d.attempts,
      d.planned_at as next_attempt_at, d.created_at, d.claim_token
  ),
  passed_over as (
    delete from taskboard.due_delivery d where d.id = any (array(select id from locked_skippable)) returning *
  ),
  skipped as (
    insert into taskboard.ended_delivery (id, webhook_id, workspace_id, status, created_at, seq, attempt_count, event, attempts)
    select d.id, d.webhook_id, d.workspace_id, 'skipped', d.created_at, d.seq, d.attempt_count, d.event, d.attempts from passed_over d
  ),
  taken as materialized (select id, webhook_id from locked_delivery union all select id, webhook_id from locked_skippable),
  next_due as materialized (
    select case when s.is_whole then coalesce(
        (
          select min(f.next_attempt_at) from front f
          where not f.is_excluded and f.id not in (select id from taken)
        ),
        -- Deliveries after it are unknown.
        case when not s.is_all then s.reaches_to end
      ) else least(
        (select q.next_due_at from webhook_turn q where q.webhook is null),
        (
          select min(n.next_attempt_at)
          from webhook_turn q cross join lateral (
            select d.next_attempt_at from taskboard.due_delivery d
            where d.account_id = q.account and d.webhook_id = q.webhook
              and d.id not in (select id from taken)
            order by d.account_id, d.webhook_id, d.next_attempt_at, d.id limit 1
          ) n
        )
      ) end as at
    from front_extent s
  )
  select case when n.at is not null then greatest(0, n.at - p.now) end::float8 as "nextDueInMs", ${deliveryColumns('c')}, c.claim_token as "claimToken",
    case when h.is_first then (
      select ${targetJson('w', 'p.now')} from taskboard.webhook w where w.id = c.webhook_id
    ) end as target,
    (select q.account from webhook_turn q where q.webhook is not null order by q.turn desc limit 1) as "lastAccountId"
  from p cross join next_due n
  left join (
    claimed c join (
      select id, place, row_number() over (partition by webhook_id order by place) = 1 as is_first from locked_delivery
    ) h on h.id = c.id
  ) on true
  order by h.place`,
)

interface DeliveryClaims {
  /** `WebhookStore.claimDueDeliveries`. */
  readonly claimDue: (
    request: Parameters<WebhookStore['claimDueDeliveries']>[0],
    call: CallContext<PgConnection>,
  ) => Promise<DeliveryClaim>
}

/** The claims of one process, which remembers whose turn is next. */
export function createDeliveryClaims(database: Database): DeliveryClaims {
  const turns = createDeliveryTurns()

  return {
    async claimDue(request, call) {
      const { limit, perAccount, perWebhook, excludeAccountIds, excludeWebhookIds, claimMs } = request
      const values = [
        call.now,
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
      const rows = await database.read(call, claimDue, values)
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
