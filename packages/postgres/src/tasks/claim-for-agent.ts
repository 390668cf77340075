import { logEventsOf } from '../events/log-events.js'
import { statement, type Statement } from '../statement.js'
import { claimParts, STALE, TAKE_BEST_OF_ONE, type ClaimRow } from './claim-sql.js'

/** Present, whether ended placements stop it, limit, lease, workspace, agent; and completions. */
function forAgent(verb: string, withCompletions: boolean): Statement<ClaimRow> {
  const { complete, held, draft, reply } = claimParts(withCompletions, 7, 'exists (select from worker)')
  return statement<ClaimRow>(
    verb,
    /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now),
  ${STALE},
  worker as materialized (
    select workspace_id, id as agent_id from taskboard.agent
    where id = $6::text and workspace_id = $5::text
  ),${complete}
  wanted as materialized (select ($3::integer + ${held})::integer as wanted),
  lease_ms as materialized (select $4::bigint as lease_ms),
  ${TAKE_BEST_OF_ONE},
  ${draft},
  ${logEventsOf('$5::text')},
  ${reply}
  select r.*, stale.is_stale as "isStale", (select count(*) from candidate)::integer as seen,
    exists (select from worker) as "isKnown",
    case when (select count(*) from claimed) < (select wanted from wanted) then (
      select min(t.not_before) from worker w, taskboard.todo t
      where t.workspace_id = w.workspace_id and t.agent_id in ('', w.agent_id) and not t.ready
        and t.not_before is not null
    ) end::float8 as "nextReadyAt"
  from stale left join reply r on true
  order by r.ord`,
  )
}

export const claimForAgent = forAgent('claim_for_agent', false)
export const completeAndClaimForAgent = forAgent('complete_and_claim_for_agent', true)
