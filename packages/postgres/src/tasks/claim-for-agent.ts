import { logEventsOf } from '../events/log-events.js'
import { statement, type Statement } from '../statement.js'
import { claimParts, STALE, takeBestOfOne, type ClaimRow } from './claim-sql.js'

/** Present, whether ended placements stop it, limit, lease, workspace, agent; and completions. */
function forAgent(verb: string, withCompletions: boolean): Statement<ClaimRow> {
  const parts = claimParts(withCompletions, 'exists (select from worker)')
  return statement<ClaimRow>(
    verb,
    /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now),
  ${STALE},
  worker as materialized (
    select from taskboard.agent where id = $6::text and workspace_id = $5::text
  ),${parts.complete}${takeBestOfOne(parts)},
  ${parts.draft},
  ${logEventsOf('$5::text', !withCompletions)}
  select r.*, stale.is_stale as "isStale", (select count(*) from candidate)::integer as seen,
    exists (select from worker) as "isKnown",
    case when (select count(*) from claimed) < ${parts.wanted} then (
      select min(t.not_before) from taskboard.todo t
      where t.workspace_id = $5::text and t.agent_id in ('', $6::text) and not t.ready and t.not_before is not null
    ) end::float8 as "nextReadyAt"
  from stale left join (${parts.reply}) as r on true`,
  )
}

export const claimForAgent = forAgent('claim_for_agent', false)
export const completeAndClaimForAgent = forAgent('complete_and_claim_for_agent', true)
