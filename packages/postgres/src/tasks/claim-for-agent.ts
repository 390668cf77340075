import { LOG_EVENTS } from '../events/log-events.js'
import { statement } from '../statement.js'
import { STALE, TAKE_BEST } from './claim-sql.js'
import type { TaskRow } from './task-row.js'

/** What a claiming statement answers: one row for each task, or one without a task. */
export interface ClaimRow extends Omit<TaskRow, 'id'> {
  readonly id: string | null
  readonly isStale: boolean
  /** How many candidates were looked at. */
  readonly seen: number
  /** When the first wait ends that keeps something from the agents; null when there is none. */
  readonly nextReadyAt: number | null
  readonly isKnown: boolean
}

/** Present, whether ended placements stop it, limit, lease, workspace, agent. */
export const claimForAgent = statement<ClaimRow>(
  'claim_for_agent',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now),
  wanted as materialized (select $3::integer as wanted),
  lease_ms as materialized (select $4::bigint as lease_ms),
  ${STALE},
  worker as materialized (
    select workspace_id, id as agent_id, 0 as held from taskboard.agent
    where id = $6::text and workspace_id = $5::text
  ),
  station as materialized (select workspace_id, 1 as place from worker),
  ${TAKE_BEST},
  draft as (select * from started),
  ${LOG_EVENTS}
  select a.*, stale.is_stale as "isStale", (select count(*) from candidate)::integer as seen,
    exists (select from worker) as "isKnown",
    (
      select min(t.not_before) from worker w, taskboard.todo t
      where t.workspace_id = w.workspace_id and t.agent_id in ('', w.agent_id) and not t.ready
        and t.not_before is not null
    )::float8 as "nextReadyAt"
  from stale left join answer a on true
  order by a.ord`,
)
