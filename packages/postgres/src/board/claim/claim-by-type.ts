import { cte } from './claim-tables.js'
import { logAndClaim } from '../../events/log-events.js'
import { statement, type Statement } from '../../connection/statement.js'
import {
  claimParts,
  isAble,
  staleAt,
  takeBest,
  untilFirst,
  type AgentColumn,
  type ClaimRow,
} from './claim-sql.js'
import { WORST_FIRST } from './lane-sql.js'

/** A row of the claim by type: also has the workspaces whose turn it was, in order. */
export interface TypeClaimRow extends ClaimRow {
  readonly workspaces: readonly string[]
}

/** Whether a claim is for the agent `a`. */
const isWorkerBy = (column: AgentColumn): string =>
  `a.${column} = $5::text and not a.paused and ${isAble('a')}`

/** Whether the agent `a` is below its bound, without the tasks that the expression `leaving` subtracts. */
const hasRoom = (leaving: string): string => /* sql */ `(a.max_concurrent is null or a.max_concurrent >
                (select count(*) from taskboard.task t where t.lease_agent_id = a.id)${leaving})`

/** Milliseconds until the first rest of an agent ends; null when none rests. */
const untilRested = (column: AgentColumn): string => /* sql */ `(
      select min(a.rest_until) - (select now from ${cte.present}) from taskboard.agent a
      where a.${column} = $5::text and not a.paused and a.rest_until > (select now from ${cte.present})
    )`

/** The next workspace of the walk with an agent `a`. */
const nextWithAgents = (isWorker: string): string => /* sql */ `case when workspace_walk.is_after
              then (select min(a.workspace_id) from taskboard.agent a
                    where ${isWorker} and a.workspace_id > workspace_walk.workspace_id)
              else (select min(a.workspace_id) from taskboard.agent a
                    where ${isWorker} and a.workspace_id >= workspace_walk.workspace_id)
            end`

/**
 * Parameters: $1 the present, or null for the database's clock; $2 whether ended placements stop it; $3 the limit; $4 the lease; $5 the
 * type. $6 the workspace that was served last; $7 the bounds for new deliveries; with completions, $8 the completions. `column` is the
 * column of an agent that is compared with the type: its own type, or the runtime that it falls back to.
 *
 * Workspaces take turns in the order of their ids, from the one after the last served, once around. Those with ready tasks (`with_tasks`)
 * and those with agents of the type (`with_agents`) are two ordered lists. `workspace_walk` jumps from one to the other, so it costs a few
 * index probes for each workspace it finds, however many there are. Whether a workspace has a ready task is asked in the order of an index.
 * Otherwise the planner would scan the table for any, which is fast only when most belong to that workspace. When the next wait ends is a
 * separate query: a bare call would run once for every row of the result.
 */
function byType(verb: string, column: AgentColumn, withCompletions: boolean): Statement<TypeClaimRow> {
  const parts = claimParts(withCompletions, 'true')
  const isWorker = isWorkerBy(column)
  return statement<TypeClaimRow>(
    verb,
    /* sql */ `
  with recursive ${cte.present} as materialized (
    select n.now, ${staleAt('n.now')} as is_stale from (select coalesce($1::bigint, taskboard.now_ms()) as now) as n
  ),${parts.complete}
  ${cte.workspaceWalk} as (
    select $6::text as workspace_id, true as is_after, false as is_served, false as has_wrapped, 0 as served_count
    union all
    select * from (
      select coalesce(next.with_tasks, ''), next.has_both, next.is_served, workspace_walk.has_wrapped or next.with_tasks is null,
        workspace_walk.served_count + next.is_served::integer
      from workspace_walk, lateral (
        select with_tasks, coalesce(with_tasks = with_agents, false) as has_both, coalesce(with_tasks = with_agents, false)
          and (not workspace_walk.has_wrapped or with_tasks <= $6::text)
          and exists (
            select from taskboard.agent a
            cross join lateral (values (''), ('#' || a.type), (a.id)) as pool (pool_id)
            cross join lateral (select from taskboard.todo t
              where t.ready and t.workspace_id = with_tasks and t.pool = pool.pool_id
              order by ${WORST_FIRST} limit 1
            ) as worst_task
            where a.workspace_id = with_tasks and ${isWorker} and ${hasRoom(parts.leaving)}
          ) as is_served
        from (
          select with_agents, case
            when exists (
              select from (
                select from taskboard.todo t where t.ready and t.workspace_id = with_agents
                order by t.pool desc, ${WORST_FIRST} limit 1
              ) as worst_task
            ) then with_agents
            else (
              select t.workspace_id from taskboard.todo t where t.ready and t.workspace_id > with_agents
              order by t.workspace_id, t.pool, t.lane, t.key desc limit 1
            )
          end as with_tasks
          from (
            select ${nextWithAgents(isWorker)} as with_agents
            offset 0
          ) as agent_list
          offset 0
        ) as both_lists
        offset 0
      ) as next
      where workspace_walk.served_count < ${parts.requested}
        and not (workspace_walk.has_wrapped and (next.with_tasks is null or next.with_tasks > $6::text))
    ) as step
  ),
  ${cte.servedWorkspace} as materialized (
    select workspace_id, row_number() over (order by served_count) as place from ${cte.workspaceWalk} where is_served
  ),
  ${cte.worker} as materialized (
    select a.workspace_id, a.id as agent_id, '#' || a.type as type_pool,
      -- Only where there is a choice.
      case when exists (
        select from taskboard.agent b where b.${column} = $5::text and not b.paused and ${isAble('b')} and b.workspace_id = s.workspace_id and b.id <> a.id
      ) then (
        (select count(*) from taskboard.task t where t.lease_agent_id = a.id)${parts.leaving}
      )::integer else 0 end as task_count,
      case when a.max_concurrent is null then ${parts.requested} else taskboard.room_of(a.id, false) end as room
    from ${cte.servedWorkspace} s join taskboard.agent a on a.workspace_id = s.workspace_id and ${isWorker}
  ),
  ${takeBest(parts, column)},
  ${parts.draft},
  ${logAndClaim('$7')}
  select ${parts.reply}, p.is_stale as "isStale", (select count(*) from ${cte.candidate})::integer as seen, true as "isKnown",
    (select coalesce(array_agg(workspace_id order by place), '{}') from ${cte.servedWorkspace}) as workspaces,
    case when (select count(*) from ${cte.claimed}) < ${parts.requested} then least(${untilFirst(`taskboard.first_wait_for_${column}($5::text)`)}, ${untilRested(column)}) end::float8 as "nextReadyInMs"
  from ${cte.present}`,
  )
}

/** The statement that claims, and the one that completes first. */
interface ClaimStatements {
  readonly claim: Statement<TypeClaimRow>
  readonly completeAndClaim: Statement<TypeClaimRow>
}

/** For the runtime of one type. */
export const claimByType: ClaimStatements = {
  claim: byType('claim_by_type', 'type', false),
  completeAndClaim: byType('complete_and_claim_by_type', 'type', true),
}

/** For the runtime that works all agents whose type has no runtime. */
export const claimByFallback: ClaimStatements = {
  claim: byType('claim_by_fallback', 'fallback', false),
  completeAndClaim: byType('complete_and_claim_by_fallback', 'fallback', true),
}
