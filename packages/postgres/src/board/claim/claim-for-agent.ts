import { cte } from './claim-tables.js'
import { lanes, type Lane } from '@taskboard/core/storage'
import { logAndClaimOf } from '../../events/log-events.js'
import { BEST_OF_ALL, SCORING } from './lane-sql.js'
import { statement, type Statement } from '../../connection/statement.js'
import {
  claimParts,
  bestTasksOf,
  LEAST_DEPTH,
  LOCKED_IN_TURN,
  start,
  staleAt,
  untilFirst,
  type ClaimRow,
} from './claim-sql.js'

/** The pools of an agent's claim: the tasks of any agent, the tasks of its type, and its own. */
const POOLS = ["''", 'p.type_pool', '$6::text']

/** For both parts of a lane: how much the due factor and the age have risen by `p.now`. */
const DUE_RISES = ['0', 'p.far_rise', 'p.near_rise']
const AGE_RISES = ['0', 'p.age_rise']
const poolLane = (pool: string, lane: Lane): string =>
  `(${pool}, ${lane}, ${DUE_RISES[lane >> 1]} + ${AGE_RISES[lane & 1]})`

const bestOfPools = (depth: string) => /* sql */ `
    select t.task_id, t.due_date, t.created_at, t.key + pool_lane.rise as score
    from ${cte.present},
      lateral (values ${lanes.flatMap((lane) => POOLS.map((pool) => poolLane(pool, lane))).join(', ')}
      ) as pool_lane (pool, lane, rise),
      lateral (${bestTasksOf('$5::text', 'pool_lane.pool', 'pool_lane.lane', depth)}
      ) as t`

/**
 * Locks the best in one scan, which costs less. When others hold some of them, it takes fewer, and a statement that only claims follows.
 * That one locks one by one from the best on, and passes on to the next. Several in one scan would look for the same best, and the last of
 * them would get none.
 */
const LOCKED_AT_ONCE = /* sql */ `
  ${cte.best} as materialized (
    select task_id, row_number() over (order by ${BEST_OF_ALL}) as nth
    from ${cte.candidate}
    order by ${BEST_OF_ALL} limit (select most from ${cte.capacity})
  ),
  ${cte.locked} as materialized (
    select q.task_id from taskboard.todo q join taskboard.task t on t.id = q.task_id
    where q.task_id = any (array(select task_id from ${cte.best}))
    for update of t, q skip locked
  ),
  ${cte.picked} as materialized (
    select array(select task_id from ${cte.best} join ${cte.locked} using (task_id) order by nth) as ids
  ),`

const LOCKED_ONE_BY_ONE = /* sql */ `
  ${cte.picked} as materialized (
    select array(
      select r.task_id from (select * from ${cte.candidate} order by ${BEST_OF_ALL}) as r,
        lateral (${LOCKED_IN_TURN}) as locked
      limit (select most from ${cte.capacity})
    ) as ids
  ),`

/** The task of $8, from a place that may not have noticed yet that its wait is over. */
const oneTask = () => /* sql */ `
    select t.task_id, t.due_date, t.created_at, 0 as score
    from ${cte.present} join taskboard.todo t on t.task_id = $8::text and t.workspace_id = $5::text
      and (t.ready or t.not_before <= p.now) and t.pool in (${POOLS.join(', ')})`

/** Whether agent `g` is the only one of the type $9, if that isn't null. */
const IS_ONLY = /* sql */ `$9::text is null or g.type = $9::text and not exists (
        select from taskboard.agent o where o.type = $9::text and o.id <> g.id
      )`

/**
 * Parameters: $1 the present, or null for the database's clock; $2 whether ended placements stop it; $3 the limit; $4 the lease. $5 the
 * workspace; $6 the agent; $7 the bounds for new deliveries. With completions, $8 those, and $9 a type of which the agent must be the only
 * one, or null. For one task, $8 its id.
 *
 * Candidates are the best of each lane of three pools: tasks for any agent, for agents of its type, and for this agent alone.
 * There are none when it is paused or at its bound, which is asked after the completions. When the next wait ends is a separate query: a
 * bare call would run once for every row of the result.
 */
function forAgent(
  verb: string,
  withCompletions: boolean,
  candidates: (depth: string) => string = bestOfPools,
): Statement<ClaimRow> {
  const parts = claimParts(withCompletions, 'p.is_known')
  return statement<ClaimRow>(
    verb,
    /* sql */ `
  with ${cte.present} as materialized (
    select n.now, ${staleAt('n.now')} as is_stale,
      g.id is not null${withCompletions ? ` and (${IS_ONLY})` : ''} as is_known, coalesce(g.paused, true) as is_paused, g.max_concurrent is not null as is_bounded,
      '#' || g.type as type_pool, case when greatest(g.spent_until, g.rest_until) > n.now then greatest(g.spent_until, g.rest_until) end as waits_until,
      n.now * s.age_slope as age_rise, n.now * s.due_far_slope as far_rise, n.now * s.due_slope as near_rise
    from ${SCORING}, (select coalesce($1::bigint, taskboard.now_ms()) as now) as n
      left join lateral (
        select a.* from taskboard.agent a where a.id = $6::text and a.workspace_id = $5::text limit 1
      ) as g on true
  ),${parts.complete}
  ${cte.capacity} as materialized (
    select case when p.is_paused or p.is_stale or p.waits_until is not null then 0
      when p.is_bounded then least(r.requested, taskboard.room_of($6::text, true))
      else r.requested end as most
    from (select ${parts.requested} as requested offset 0) as r, p
  ),
  ${cte.candidate} as materialized (
    ${candidates(withCompletions ? `(select ${parts.requested} + ${LEAST_DEPTH})` : `(select greatest(16, 2 * ${parts.requested}) + ${LEAST_DEPTH})`)}
    where p.is_known and (select most from ${cte.capacity}) > 0
  ),
  ${withCompletions ? LOCKED_AT_ONCE : LOCKED_ONE_BY_ONE}
  ${cte.dequeued} as (delete from taskboard.todo q where q.task_id = any ((select ids from ${cte.picked})::text[])),
  ${cte.claimed} as (
    update taskboard.task t set ${start('$6::text', '$4::bigint')}
    from ${cte.present}
    where t.id = any ((select ids from ${cte.picked})::text[])
    returning t.*, ${parts.after} + array_position((select ids from ${cte.picked}), t.id) as ord
  ),
  ${parts.draft},
  ${logAndClaimOf('$5::text', '$7')}
  select ${parts.reply}, p.is_stale as "isStale", p.is_known as "isKnown",
    case when pickup.is_short then (select count(*) from ${cte.candidate}) end::integer as seen,
    case when p.waits_until is not null and not p.is_paused then p.waits_until - p.now when pickup.has_room
      then ${untilFirst('taskboard.first_wait_for_agent($5::text, $6::text)')} end::float8 as "nextReadyInMs"
  from ${cte.present}, (
    select cardinality(ids) < ${parts.requested} as is_short, cardinality(ids) < (select most from ${cte.capacity}) as has_room
    from ${cte.picked}
  ) as pickup`,
  )
}

export const claimForAgent = forAgent('claim_for_agent', false)
export const completeAndClaimForAgent = forAgent('complete_and_claim_for_agent', true)
/** $8 is the id of the task to claim. */
export const claimOneForAgent = forAgent('claim_one_for_agent', false, oneTask)
