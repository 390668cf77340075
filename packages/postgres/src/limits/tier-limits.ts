import type { Instant } from '@taskboard/core'
import { type TierDecision, type TierRequest, toTierDecision } from '@taskboard/core/storage'
import type { Database } from '../database/database.js'
import { statement } from '../connection/statement.js'
import { type KeyRequests, batchesByKey } from './batches-by-key.js'

interface TakenRow {
  readonly key: string
  /** The instant of the decision: after the wait for the row, which the statement's own present doesn't include. */
  readonly now: number
  readonly admitted: number
  /** After the batch, like all members below. */
  readonly hourUsed: number
  readonly hourEndsAt: number
  readonly minuteUsed: number
  readonly minuteFreeAt: number | null
}

/** More than any account can request, and small enough to be added up. */
const UNLIMITED = 1e15
/** As in `takeFromTierWindow`: a second counts until its end has left the minute. */
const SECONDS_COUNTED = 61

/**
 * `takeFromTierWindow` for many keys at the same time. Locks the row of each key, reads its current state and writes it, in the order of
 * the keys. Batches therefore wait for one another without deadlocks. `excluded` contains the request, as if nothing had been admitted
 * before. The present is the instant of the decision, after the wait for the row. So one before the newest second shows that the clock has
 * stepped back: `held` then moves the seconds back, as `takeFromTierWindow` does. The use is the total admitted minus the past part, so
 * nothing is added up. `width_bucket` finds how many of the seconds have left the minute. A row without admissions stays as it was, unless
 * the clock stepped back.
 *
 * The commit doesn't wait for the disk: a crash of the server loses only counts of its last second.
 */
const takeKeys = statement<TakenRow>(
  'take_tiers',
  /* sql */ `
  with p as materialized (
    select n.now, n.now / 1000 as second, n.now / 3600000 * 3600000 as hour, set_config('synchronous_commit', 'off', true)
    from (select coalesce($1::bigint, taskboard.now_ms()) as now) n
  ),
  request as materialized (
    select i.*, least(i.requested, i.per_hour, i.per_minute)::integer as most
    from json_to_recordset($2::json) as i (key text, per_hour bigint, per_minute bigint, requested integer)
  ),
  taken as (
    insert into taskboard.tier_limit as r
      (key, hour, total, before_hour, before_minute, seconds, totals, per_hour, per_minute, admitted)
    select a.key, p.hour, a.most, 0, 0, array[p.second], array[a.most::bigint], a.per_hour, a.per_minute, a.most
    from request a, p order by a.key collate "C"
    on conflict (key) do update
    set (hour, total, before_hour, before_minute, seconds, totals, per_hour, per_minute, admitted) = (
      select
        case when fit.n = 0 then least(r.hour, present.hour) else present.hour end,
        r.total + fit.n,
        case when fit.n = 0 then r.before_hour else behind.hour end,
        case when fit.n = 0 then r.before_minute else behind.minute end,
        case when fit.n = 0 then held.seconds
          when present.second = held.seconds[cardinality(held.seconds)] then held.seconds[passed.n + 1:]
          else held.seconds[passed.n + 1:] || present.second end,
        case when fit.n = 0 then held.totals
          when present.second = held.seconds[cardinality(held.seconds)]
            then held.totals[passed.n + 1:cardinality(held.totals) - 1] || (r.total + fit.n)
          else held.totals[passed.n + 1:] || (r.total + fit.n) end,
        excluded.per_hour, excluded.per_minute, fit.n
      from (
          select n.now / 1000 as second, n.now / 3600000 * 3600000 as hour
          from (select coalesce($1::bigint, taskboard.now_ms()) as now) n
        ) present,
        lateral (
          select r.seconds, r.totals where r.seconds[cardinality(r.seconds)] <= present.second
          union all
          select array_agg(s.second order by s.second), array_agg(s.total order by s.second)
          from (
            select least(t.second - r.seconds[cardinality(r.seconds)] + present.second + 1, present.second) as second,
              max(t.total) as total
            from unnest(r.seconds, r.totals) as t (second, total) group by 1
          ) s
          having r.seconds[cardinality(r.seconds)] > present.second
        ) held,
        lateral (select width_bucket(present.second - ${SECONDS_COUNTED}, held.seconds) as n) passed,
        lateral (
          select case when present.hour > r.hour then r.total else r.before_hour end as hour,
            case passed.n when 0 then r.before_minute else held.totals[passed.n] end as minute
        ) behind,
        lateral (
          select least(
            excluded.admitted,
            greatest(0, excluded.per_hour - r.total + behind.hour),
            greatest(0, excluded.per_minute - r.total + behind.minute)
          )::integer as n
        ) fit
    )
    returning key, hour, total, before_hour, before_minute, seconds, totals, per_minute, admitted
  )
  select t.key, t.admitted, coalesce($1, taskboard.now_ms())::float8 as now,
    (case when present.hour > t.hour then 0 else t.total - t.before_hour end)::float8 as "hourUsed",
    (present.hour + 3600000)::float8 as "hourEndsAt",
    (t.total - case passed.n when 0 then t.before_minute else t.totals[passed.n] end)::float8 as "minuteUsed",
    ((t.seconds[width_bucket(t.total - t.per_minute, t.totals) + 1] + ${SECONDS_COUNTED}) * 1000)::float8 as "minuteFreeAt"
  from p, taken t,
    lateral (
      select greatest(p.hour, t.hour) as hour, greatest(p.second, t.seconds[cardinality(t.seconds)]) as second
    ) present,
    lateral (select width_bucket(present.second - ${SECONDS_COUNTED}, t.seconds) as n) passed`,
)

/** Decides a batch in its order. All requests share a present; null for the database's. */
export async function takeTiers(
  database: Database,
  requests: readonly TierRequest[],
  now: Instant | null,
): Promise<readonly TierDecision[]> {
  const decisions: TierDecision[] = []
  for (const keys of batchesByKey(requests, ({ key }) => key, isAlike)) {
    const asked = Array.from(keys.values(), ({ request: { key, perHour, perMinute }, places }) => ({
      key,
      per_hour: perHour ?? UNLIMITED,
      per_minute: perMinute ?? UNLIMITED,
      requested: places.length,
    }))
    for (const row of await database.read(null, takeKeys, [now, JSON.stringify(asked)])) {
      const { request, places } = keys.get(row.key) as KeyRequests<TierRequest>
      for (const [index, place] of places.entries()) decisions[place] = toDecision(row, request, index)
    }
  }
  return decisions
}

function isAlike(one: TierRequest, other: TierRequest): boolean {
  return one.perHour === other.perHour && one.perMinute === other.perMinute
}

/** Each admitted request sees the use up to itself. */
function toDecision(row: TakenRow, request: TierRequest, index: number): TierDecision {
  const after = Math.max(0, row.admitted - index - 1)
  const usage = {
    hourUsed: row.hourUsed - after,
    hourEndsAt: row.hourEndsAt,
    minuteUsed: row.minuteUsed - after,
    minuteFreeAt: row.minuteFreeAt ?? row.now,
  }
  return toTierDecision(request, usage, { allowed: index < row.admitted, now: row.now })
}
