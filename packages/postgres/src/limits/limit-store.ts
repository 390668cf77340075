import type { Instant, LimitDecision } from '@taskboard/core'
import type {
  CallContext,
  DecisionOf,
  LimitRequest,
  LimitStore,
  TierDecision,
  TierRequest,
} from '@taskboard/core/storage'
import type { Database } from '../database/database.js'
import { statement } from '../connection/statement.js'
import { type KeyRequests, batchesByKey } from './batches-by-key.js'
import { takeTiers } from './tier-limits.js'

interface TakenRow {
  readonly key: string
  readonly admitted: number
  /** The number that the window holds now. */
  readonly held: number
  /** The wait of the requests that weren't admitted; null when all were. */
  readonly retryAfterMs: number | null
}

/**
 * Locks the row of each key, reads its current state and writes it, in the order of the keys. Batches therefore wait for one another
 * without deadlocks. `excluded` contains the request, as if the window were empty. A key is decided at the instant its row is locked,
 * possibly long after the statement began and after admissions that it waited for. So a present before the newest admission shows that the
 * clock has stepped back, and all `times` move back with it. They only rise, and `width_bucket` finds how many of them have left the
 * window.
 */
const takeKeys = statement<TakenRow>(
  'take_limits',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now),
  request as materialized (
    select * from json_to_recordset($2::json) as i (key text, most integer, window_ms bigint, requested integer)
  ),
  taken as (
    insert into taskboard.rolling_limit as r (key, window_ms, times, newest, most, admitted)
    select a.key, a.window_ms, array_fill(p.now, array[least(a.requested, a.most)]), p.now, a.most, least(a.requested, a.most)
    from request a, p order by a.key collate "C"
    on conflict (key) do update set (times, newest, window_ms, most, admitted) = (
      select
        case when passed.n = 0 and fit.n = 0 then held.times
          else held.times[passed.n + 1:] || array_fill(present.at, array[fit.n]) end,
        case when fit.n = 0 then least(r.newest, present.at) else present.at end,
        excluded.window_ms, excluded.most, fit.n
      from (select coalesce($1::bigint, taskboard.now_ms()) as at) present,
        lateral (
          select case when present.at >= r.newest then r.times
            else array(
              select t.at - r.newest + present.at from unnest(r.times) with ordinality as t (at, place) order by t.place
            ) end as times
        ) held,
        lateral (select width_bucket(present.at - excluded.window_ms, held.times) as n) passed,
        lateral (
          select least(excluded.admitted, greatest(0, excluded.most - cardinality(r.times) + passed.n)) as n
        ) fit
    )
    returning key, times, admitted
  )
  select t.key, t.admitted, cardinality(t.times) as held,
    case when t.admitted < a.requested
      then greatest(1, t.times[cardinality(t.times) - a.most + 1] + a.window_ms - coalesce($1, taskboard.now_ms()))::float8
      end as "retryAfterMs"
  from taken t join request a on a.key = t.key`,
)

/** Decides a batch in its order. All requests share a present; null for the database's. */
export async function takeLimits(
  database: Database,
  requests: readonly LimitRequest[],
  now: Instant | null,
): Promise<readonly LimitDecision[]> {
  const decisions: LimitDecision[] = []
  for (const keys of batchesByKey(requests, ({ key }) => key, isAlike)) {
    const asked = Array.from(keys.values(), ({ request: { key, limit, windowMs }, places }) => ({
      key,
      most: limit,
      window_ms: windowMs,
      requested: places.length,
    }))
    for (const row of await database.read(null, takeKeys, [now, JSON.stringify(asked)])) {
      const { request, places } = keys.get(row.key) as KeyRequests<LimitRequest>
      for (const [index, place] of places.entries()) decisions[place] = toDecision(row, request.limit, index)
    }
  }
  return decisions
}

function isAlike(one: LimitRequest, other: LimitRequest): boolean {
  return one.limit === other.limit && one.windowMs === other.windowMs
}

function toDecision({ admitted, held, retryAfterMs }: TakenRow, limit: number, index: number): LimitDecision {
  if (index >= admitted) return { allowed: false, remaining: 0, retryAfterMs: retryAfterMs ?? 0 }
  return { allowed: true, remaining: Math.max(0, limit - held + admitted - index - 1), retryAfterMs: 0 }
}

interface Waiting<Request> {
  readonly request: Request
  readonly now: Instant | null
}

type Decide<Request, Decision> = (
  database: Database,
  requests: readonly Request[],
  now: Instant | null,
) => Promise<readonly Decision[]>

/** As many as one statement decides in a few milliseconds. */
const MOST_AT_ONCE = 1_000

/**
 * Limits that are exact across all processes: every decision is made on its key's locked row. The next statement makes all
 * decisions that wait in this process. None is part of a host's transaction: what was admitted stays counted.
 */
export function createLimitStore(database: Database): LimitStore {
  function joined<Request, Decision>(decide: Decide<Request, Decision>) {
    const take = database.join<Waiting<Request>, Decision>(
      (calls) =>
        decide(
          database,
          calls.map(({ request }) => request),
          calls[0]?.now ?? null,
        ),
      { most: MOST_AT_ONCE, groupOf: ({ now }) => now },
    )
    return (request: Request, now: Instant | null) => take({ request, now })
  }

  const takeRolling = joined<LimitRequest, LimitDecision>(takeLimits)
  const takeTier = joined<TierRequest, TierDecision>(takeTiers)

  return {
    take: <Request extends LimitRequest | TierRequest>(request: Request, { now }: CallContext) => {
      const decision = 'windowMs' in request ? takeRolling(request, now) : takeTier(request, now)
      return decision as Promise<DecisionOf<Request>>
    },
  }
}
