/** The maximum of deliveries of disabled webhooks that one claim skips. */
export const MOST_SKIPPED = 1_000

/** How many of the deliveries that are due first are read. When more than that are due, there is a backlog. */
const REACH = 300

/** How many are read when none is due, to find out when the next one will be. */
const IDLE_REACH = 50

/**
 * The part of a claim that chooses deliveries. It reads `p` (now) and the claim's parameters, and leaves
 *
 * - `front`: the pending deliveries that are due first, whether due yet or not, and whether they are of an excluded webhook;
 * - `sight`: whether the front contains all due deliveries;
 * - `queue`: only when it does not, the webhooks with due deliveries whose turn it is, and a row without a webhook that has the
 *   next due time of all others;
 * - `choice`: due deliveries, limited for each webhook and account. `share` counts those of an account, its webhooks in turn.
 *   The lowest shares of all accounts come first. Those of disabled webhooks are to be skipped.
 */
export const CHOOSE_DUE = /* sql */ `
  reach as materialized (
    select case
      when (select min(next_attempt_at) from taskboard.delivery where status = 'pending') <= p.now then ${REACH}
      else ${IDLE_REACH} end as most
    from p
  ),
  front as materialized (
    select d.id, d.account_id, d.webhook_id, d.next_attempt_at, d.next_attempt_at <= p.now as is_due,
      d.account_id = any ($6::text[]) or d.webhook_id = any ($5::text[]) as is_excluded
    from p cross join (
      select id, account_id, webhook_id, next_attempt_at from taskboard.delivery
      where status = 'pending' order by next_attempt_at, id limit (select most from reach)
    ) d
  ),
  sight as materialized (
    select f.*, f.is_all or f.is_past_due as is_whole
    from (
      select count(*) < (select most from reach) as is_all, bool_or(not is_due) as is_past_due,
        max(next_attempt_at) as reaches_to
      from front
    ) f
  ),
  queue as materialized (
    select q.account, q.webhook, q.is_enabled, q.turn, q.next_due_at
    from p cross join lateral taskboard.due_webhooks(
      p.now, $2::integer, $7::integer, $3::integer, $6::text[], $5::text[], $8::text, $9::jsonb) q
    where not (select is_whole from sight)
  ),
  due as (
    select f.id, f.account_id, f.webhook_id, f.next_attempt_at, w.enabled, 0 as turn
    from front f cross join lateral (select w.enabled from taskboard.webhook w where w.id = f.webhook_id limit 1) as w
    where (select is_whole from sight) and f.is_due and not f.is_excluded
    union all
    select d.id, q.account, q.webhook, d.next_attempt_at, q.is_enabled, q.turn
    from queue q cross join lateral (
      select f.id, f.next_attempt_at from taskboard.delivery f
      where f.status = 'pending' and f.account_id = q.account and f.webhook_id = q.webhook
        and f.next_attempt_at <= (select now from p)
      order by f.account_id, f.webhook_id, f.next_attempt_at, f.id
      limit case when q.is_enabled then $3::integer else ${MOST_SKIPPED} end
    ) d
    where q.webhook is not null
  ),
  choice as materialized (
    select c.*, row_number() over (partition by c.account_id, c.enabled order by c.place, c.turn, c.next_attempt_at, c.id) as share
    from (
      select *, row_number() over (partition by webhook_id order by next_attempt_at, id) as place from due
    ) c
    where not c.enabled or c.place <= $3::integer
  )`
