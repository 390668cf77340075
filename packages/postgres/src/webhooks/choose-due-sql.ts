/** How many deliveries of disabled webhooks one claim puts aside at most. */
export const MOST_SKIPPED = 1_000

/** How many deliveries are looked at when none is due, to know when one will be. */
const IDLE_REACH = 50

/**
 * The part of a claim that chooses: reads `p` (now) and the claim's parameters $2 (limit), $3 (at most of one webhook) and $5
 * (webhooks to leave out), and leaves behind
 *
 * - `front`: the pending deliveries that fall due first, whether due or not; fewer when none is; `enabled` is known of the due;
 * - `sight`: whether the front shows all that the claim has to know;
 * - `head`: only when it does not, for each webhook with pending deliveries when its first falls due. Found by leaps from one
 *   webhook to the next, so that a backlog of one of them costs no more than a single delivery;
 * - `choice`: due deliveries, at most so many of one webhook, and more of them than the limit, as others may be taking some.
 *   Those of disabled webhooks are to be skipped.
 */
export const CHOOSE_DUE = /* sql */ `
  reach as materialized (
    select case
      when (select min(next_attempt_at) from taskboard.delivery where status = 'pending') <= p.now then 2 * $2::integer + 100
      else ${IDLE_REACH} end as most
    from p
  ),
  front as materialized (
    select d.id, d.webhook_id, d.next_attempt_at, w.enabled, d.webhook_id = any ($5::text[]) as is_excluded,
      d.next_attempt_at <= p.now as is_due
    from p cross join (
      select id, webhook_id, next_attempt_at from taskboard.delivery
      where status = 'pending' order by next_attempt_at, id limit (select most from reach)
    ) d
    left join lateral (
      select w.enabled from taskboard.webhook w where w.id = d.webhook_id and d.next_attempt_at <= p.now limit 1
    ) as w on true
  ),
  front_choice as materialized (
    select id, webhook_id, next_attempt_at, enabled
    from (
      select f.*, row_number() over (partition by f.webhook_id order by f.next_attempt_at, f.id) as place
      from front f where f.is_due
    ) r
    where not r.enabled or (not r.is_excluded and r.place <= $3::integer)
  ),
  sight as materialized (
    select f.seen < (select most from reach) or (
      -- Enough to claim or all that is due, and beyond that the one that comes next.
      (c.found >= $2::integer or f.is_past_due) and f.useful > least(c.found, $2::integer)
    ) as is_enough
    from (
      select count(*) as seen, coalesce(bool_or(not is_due), false) as is_past_due,
        count(*) filter (where not is_excluded and (enabled or not is_due)) as useful
      from front
    ) f,
    (select count(*) as found from front_choice where enabled) c
  ),
  head as (
    (
      select d.webhook_id, d.next_attempt_at from taskboard.delivery d
      where d.status = 'pending' and not (select is_enough from sight)
      order by d.webhook_id, d.next_attempt_at, d.id limit 1
    )
    union all
    select n.webhook_id, n.next_attempt_at
    from head h cross join lateral (
      select d.webhook_id, d.next_attempt_at from taskboard.delivery d
      where d.status = 'pending' and d.webhook_id > h.webhook_id
      order by d.webhook_id, d.next_attempt_at, d.id limit 1
    ) n
  ),
  queue as materialized (
    select h.webhook_id, w.enabled
    from p, head h
      cross join lateral (select w.enabled from taskboard.webhook w where w.id = h.webhook_id limit 1) as w
    where h.next_attempt_at <= p.now and (not w.enabled or h.webhook_id <> all ($5::text[]))
    order by h.next_attempt_at limit 2 * $2::integer
  ),
  choice as materialized (
    select c.* from front_choice c where (select is_enough from sight)
    union all
    select d.id, q.webhook_id, d.next_attempt_at, q.enabled
    from queue q cross join lateral (
      select f.id, f.next_attempt_at from taskboard.delivery f
      where f.status = 'pending' and f.webhook_id = q.webhook_id and f.next_attempt_at <= (select now from p)
      order by f.next_attempt_at, f.id limit case when q.enabled then $3::integer else ${MOST_SKIPPED} end
    ) d
  )`
