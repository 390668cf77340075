import { TaskboardError, type AgentOverview } from '@taskboard/core'
import type { AgentQuery, At, Reach } from '@taskboard/core/storage'
import type { Database } from '../database.js'
import type { PgConnection } from '../pool.js'
import { statement } from '../statement.js'
import { agentColumns, agentStatus } from './agent-row.js'
import { ratedAttemptsOf } from './rated-attempts.js'
import { unknownAgent } from './read-agents.js'

/** The condition that workspace `w` is within reach. Parameter 2 is the account, or null for all; parameter 3 its workspaces. */
const WITHIN_REACH = /* sql */ `($2::text is null or w.account_id = $2::text)
    and ($3::text[] is null or w.id = any ($3::text[]))`

/** The columns of an `AgentOverview` of the agents in `chosen`. */
const OVERVIEWS = /* sql */ `
  select ${agentColumns('a', agentStatus('a', 'p.now'))},
    (select count(*) from taskboard.task t where t.lease_agent_id = a.id)::float8
      + (select count(*) from taskboard.task t where t.assigned_to = a.id and t.status = 0)::float8 as "currentWorkload",
    (select avg(case when r.outcome = 'completed' then 1 else 0 end)::float8
     from (${ratedAttemptsOf('a.id')}) r) as "successRate"`

/** A workspace without agents gives a row without one; a workspace beyond reach gives no row. */
type SurveyRow = AgentOverview | { readonly id: null }

const survey = statement<SurveyRow>(
  'survey_agents',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now),
  asked as materialized (
    select w.id from taskboard.workspace w
    where ($4::text is null or w.id = $4::text) and ${WITHIN_REACH}
  ),
  chosen as materialized (
    select a.* from taskboard.agent a
    where a.workspace_id in (select id from asked) and ($6::text is null or a.id > $6::text)
      and ($7::text[] is null or a.id = any ($7::text[]))
    order by a.id limit $5::integer
  )
  select a.*
  from (select where $4::text is null or exists (select from asked)) r
    left join lateral (${OVERVIEWS} from chosen a, p) a on true
  order by a.id`,
)

const find = statement<AgentOverview>(
  'find_agent',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now),
  chosen as materialized (
    select a.* from taskboard.agent a join taskboard.workspace w on w.id = a.workspace_id
    where a.id = $4::text and ${WITHIN_REACH}
  )
  ${OVERVIEWS} from chosen a, p`,
)

/** `AgentStore.surveyAgents`. */
export async function surveyAgents(
  database: Database,
  { reach, workspaceId, agentIds, limit, afterId }: AgentQuery,
  at: At<PgConnection>,
): Promise<readonly AgentOverview[]> {
  const values = [at.now, ...reachValues(reach), workspaceId, limit, afterId, agentIds ?? null]
  const rows = await database.read(at, survey, values)
  if (rows.length === 0) throw new TaskboardError('NOT_FOUND', 'no such workspace', { field: 'workspaceId' })
  return rows.filter((row) => row.id !== null)
}

/** `AgentStore.getAgent`. */
export async function getAgent(
  database: Database,
  reach: Reach | null,
  agentId: string,
  at: At<PgConnection>,
): Promise<AgentOverview> {
  const [agent] = await database.read(at, find, [at.now, ...reachValues(reach), agentId])
  if (agent === undefined) throw unknownAgent()
  return agent
}

function reachValues(reach: Reach | null): readonly [string | null, readonly string[] | null] {
  if (reach === null) return [null, null]
  return [reach.accountId, reach.workspaceIds === 'all' ? null : reach.workspaceIds]
}
