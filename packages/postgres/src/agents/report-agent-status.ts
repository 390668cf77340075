import type { AgentStatus } from '@taskboard/core'
import type { At } from '@taskboard/core/storage'
import type { Database } from '../database.js'
import { LOG_EVENTS } from '../events/log-events.js'
import type { PgConnection } from '../pool.js'
import { statement } from '../statement.js'

const setStatus = statement<never>(
  'report_agent_status',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now),
  changed as (
    update taskboard.agent a set status = $4::text
    where a.id = $3::text and a.workspace_id = $2::text and a.status <> $4::text
    returning a.id, a.workspace_id, a.status
  ),
  draft as (
    select c.workspace_id, 1 as ord, 'agent.status' as type, p.now as at,
      jsonb_build_object('agentId', c.id, 'status', c.status) as facts
    from changed c, p
  ),
  ${LOG_EVENTS}
  select from logged where false`,
)

/** `AgentStore.reportPresence` of a status. */
export async function reportAgentStatus(
  database: Database,
  workspaceId: string,
  agentId: string,
  status: AgentStatus,
  at: At<PgConnection>,
): Promise<void> {
  await database.write(at, setStatus, [at.now, workspaceId, agentId, status])
}
