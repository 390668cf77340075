import { TaskboardError, type AgentOverview } from '@taskboard/core'
import type { AgentPart, AgentQuery, AgentReading, At, Reach } from '@taskboard/core/storage'
import type { Database } from '../database.js'
import type { PgConnection } from '../pool.js'
import { statement } from '../statement.js'
import { agentColumns, agentStatus } from './agent-row.js'
import { ratedAttemptsOf } from './rated-attempts.js'

/** The condition that workspace `w` is within reach. Parameter 2 is the account, or null for all; parameter 3 its workspaces. */
const WITHIN_REACH = /* sql */ `($2::text is null or w.account_id = $2::text)
    and ($3::text[] is null or w.id = any ($3::text[]))`

/** The columns of an `AgentOverview`. */
const OVERVIEW = /* sql */ `${agentColumns('a', agentStatus('a', 'p.now'))},
    (select count(*) from taskboard.task t where t.lease_agent_id = a.id)::float8
      + (select count(*) from taskboard.task t where t.assigned_to = a.id and t.status = 0)::float8 as "currentWorkload",
    (select avg(case when r.outcome = 'completed' then 1 else 0 end)::float8
     from (${ratedAttemptsOf('a.id')}) r) as "successRate"`

/** The agents of the workspaces within reach. */
const OF_WORKSPACES = /* sql */ `
    select a.* from taskboard.agent a
    where a.workspace_id in (select id from asked) and ($6::text is null or a.id > $6::text)
    order by a.id limit $5::integer`

/** The agents of one workspace: begins with it for all values. */
const OF_WORKSPACE = /* sql */ `
    select a.* from taskboard.agent a
    where a.workspace_id = $4::text and exists (select from asked) and ($6::text is null or a.id > $6::text)
    order by a.id limit $5::integer`

/** The agents of given ids: begins with them, however many workspaces are within reach. */
const OF_IDS = /* sql */ `
    select a.* from taskboard.agent a join taskboard.workspace w on w.id = a.workspace_id
    where a.id = any ($7::text[]) and ($4::text is null or a.workspace_id = $4::text)
      and ($6::text is null or a.id > $6::text) and ${WITHIN_REACH}
    order by a.id limit $5::integer`

/** No agent gives a row without one; a workspace beyond reach gives no row. */
type ListRow = AgentOverview | { readonly id: null }

/** Present, account, workspaces within reach, workspace, limit, greatest id before, and ids if the statement chooses by them. */
function listed(chosen: string, columns: string, only = 'w.id = $4::text and'): string {
  return /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now),
  asked as (
    select w.id from taskboard.workspace w where ${only} ${WITHIN_REACH}
  ),
  chosen as materialized (${chosen}
  )
  select a.*
  from (select where $4::text is null or exists (select from asked)) r
    left join lateral (
  select ${columns} from chosen a, p) a on true
  order by a.id`
}

const stored = {
  ofWorkspaces: statement<ListRow>('list_agents_within', listed(OF_WORKSPACES, agentColumns('a'), '')),
  ofWorkspace: statement<ListRow>('list_agents', listed(OF_WORKSPACE, agentColumns('a'))),
  ofIds: statement<ListRow>('get_agents', listed(OF_IDS, agentColumns('a'))),
}
const overviews = {
  ofWorkspaces: statement<ListRow>('survey_agents_within', listed(OF_WORKSPACES, OVERVIEW, '')),
  ofWorkspace: statement<ListRow>('survey_agents', listed(OF_WORKSPACE, OVERVIEW)),
  ofIds: statement<ListRow>('find_agents', listed(OF_IDS, OVERVIEW)),
}

/** `AgentStore.listAgents`. */
export async function listAgents<Part extends AgentPart>(
  database: Database,
  query: AgentQuery<Part>,
  at: At<PgConnection>,
): Promise<readonly AgentReading<Part>[]> {
  const { reach, workspaceId = null, agentIds, limit = null, afterId = null, parts } = query
  const statements = parts !== undefined && parts.length > 0 ? overviews : stored
  const values = [at.now, ...reachValues(reach), workspaceId, limit, afterId]
  const ofAll = workspaceId === null ? statements.ofWorkspaces : statements.ofWorkspace
  const rows =
    agentIds === undefined
      ? await database.read(at, ofAll, values)
      : await database.read(at, statements.ofIds, [...values, agentIds])
  if (rows.length === 0) throw new TaskboardError('NOT_FOUND', 'no such workspace', { field: 'workspaceId' })
  return rows.filter(({ id }) => id !== null) as readonly AgentReading<Part>[]
}

function reachValues(reach: Reach | null): readonly [string | null, readonly string[] | null] {
  if (reach === null) return [null, null]
  return [reach.accountId, reach.workspaceIds === 'all' ? null : reach.workspaceIds]
}

/** The error for an agent that does not exist, or not in that workspace. */
export function unknownAgent(): TaskboardError {
  return new TaskboardError('NOT_FOUND', 'no such agent')
}
