import { LOG_EVENTS } from '../events/log-events.js'
import { statement, type Statement } from '../statement.js'
import { claimParts, staleAt, takeBest, untilFirst, type ClaimRow } from './claim-sql.js'

/** A row of the claim by type: also has the workspaces whose turn it was, in order. */
export interface TypeClaimRow extends ClaimRow {
  readonly workspaces: readonly string[]
}

/**
 * From the end of `todo_pickup` that claims do not take from. The other end holds the entries of all tasks claimed since the
 * last vacuum, and a search for the first entry has to pass them.
 */
const WORST_FIRST = 't.lane desc, t.key, t.due_date desc, t.created_at desc, t.task_id desc'

/**
 * Present, whether ended placements stop it, limit, lease, agent type, the workspace that was served last; and completions.
 * `column` is the column of an agent that is compared with the type: its own type, or the runtime that it falls back to.
 *
 * Workspaces take turns in the order of their ids, from the one after the last served, once around. Those with ready tasks and
 * those with agents of the type are two ordered lists. The walk jumps from one to the other, so it costs a few index probes for
 * each workspace it finds, however many there are. Whether a workspace has a ready task is asked in the order of an index:
 * otherwise the planner would scan the table for any, which is fast only when most are of that workspace. When the next wait
 * ends is a separate query: a bare call would run once for every row of the result.
 */
function byType(
  verb: string,
  column: 'type' | 'fallback',
  withCompletions: boolean,
): Statement<TypeClaimRow> {
  const parts = claimParts(withCompletions, '(select is_stale from stale)', 'true')
  return statement<TypeClaimRow>(
    verb,
    /* sql */ `
  with recursive p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now),
  stale as materialized (select ${staleAt('p.now')} as is_stale from p),${parts.complete}
  walk as (
    select $6::text as workspace_id, true as is_past, false as is_hit, false as is_round, 0 as hits
    union all
    select * from (
      select coalesce(next.queued, ''), next.is_met, next.is_hit, walk.is_round or next.queued is null,
        walk.hits + next.is_hit::integer
      from walk, lateral (
        select queued, coalesce(queued = staffed, false) as is_met, coalesce(queued = staffed, false)
          and (not walk.is_round or queued <= $6::text)
          and exists (
            select from (select '' as agent_id union all
              select a.id from taskboard.agent a where a.workspace_id = queued and a.${column} = $5::text) as pool
            cross join lateral (select from taskboard.todo t
              where t.ready and t.workspace_id = queued and t.agent_id = pool.agent_id
              order by ${WORST_FIRST} limit 1
            ) as tail
          ) as is_hit
        from (
          select staffed, case
            when exists (
              select from (
                select from taskboard.todo t where t.ready and t.workspace_id = staffed
                order by t.agent_id desc, ${WORST_FIRST} limit 1
              ) as tail
            ) then staffed
            else (
              select t.workspace_id from taskboard.todo t where t.ready and t.workspace_id > staffed
              order by t.workspace_id, t.agent_id, t.lane, t.key desc limit 1
            )
          end as queued
          from (
            select case when walk.is_past
              then (select min(a.workspace_id) from taskboard.agent a
                    where a.${column} = $5::text and a.workspace_id > walk.workspace_id)
              else (select min(a.workspace_id) from taskboard.agent a
                    where a.${column} = $5::text and a.workspace_id >= walk.workspace_id)
            end as staffed
            offset 0
          ) as agents
          offset 0
        ) as lists
        offset 0
      ) as next
      where walk.hits < ${parts.requested}
        and not (walk.is_round and (next.queued is null or next.queued > $6::text))
    ) as step
  ),
  served_workspace as materialized (
    select workspace_id, row_number() over (order by hits) as place from walk where is_hit
  ),
  worker as materialized (
    select a.workspace_id, a.id as agent_id,
      -- Only where there is a choice.
      case when exists (
        select from taskboard.agent b where b.${column} = $5::text and b.workspace_id = s.workspace_id and b.id <> a.id
      ) then (
        (select count(*) from taskboard.task t where t.lease_agent_id = a.id)${parts.leaving}
      )::integer else 0 end as held
    from served_workspace s join taskboard.agent a on a.workspace_id = s.workspace_id and a.${column} = $5::text
  ),
  ${takeBest(parts)},
  ${parts.draft},
  ${LOG_EVENTS}
  select r.*, stale.is_stale as "isStale", (select count(*) from candidate)::integer as seen, true as "isKnown",
    (select coalesce(array_agg(workspace_id order by place), '{}') from served_workspace) as workspaces,
    case when (select count(*) from claimed) < ${parts.requested} then ${untilFirst(`taskboard.first_wait_for_${column}($5::text)`)} end::float8 as "nextReadyInMs"
  from stale left join (${parts.reply}) as r on true`,
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
