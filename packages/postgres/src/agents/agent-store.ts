import {
  type Agent,
  type AgentOverview,
  TaskboardError,
  type Created,
  type IdempotencyClaim,
  type Reach,
} from '@taskboard/core'
import {
  type AddedAgent,
  type AgentChange,
  type AgentPart,
  type AgentQuery,
  type AgentReading,
  type AgentStore,
  type CallContext,
  type NewAgent,
  agentFields,
} from '@taskboard/core/storage'
import type { Database } from '../database/database.js'
import { LOG_EVENTS } from '../events/log-events.js'
import { once } from '../database/idempotency.js'
import type { PgConnection } from '../connection/pool.js'
import { statement } from '../connection/statement.js'
import { agentStatus, hasRuntime } from '../board/served-agents.js'
import { ratedAttemptsOf, readForecasts } from './forecasts.js'
import { announceAgents, reportPresence } from './presence.js'
import { resourceColumns } from '../database/resource-columns.js'

const fieldColumns = resourceColumns(agentFields.fields)

/** The columns of an `Agent`, with `status` in the place of the stored status if given. `alias` names the table or expression. */
function agentColumns(alias: string, status = `${alias}.status`): string {
  const a = alias
  return `${a}.id, ${a}.workspace_id as "workspaceId", ${fieldColumns.read(a)}, ${status} as status, ${a}.created_at::float8 as "createdAt"`
}

/** The column `budgetSpentUntil` of agent `alias` at the instant `present`: see `AgentOverview`. */
function budgetSpentUntil(alias: string, present: string): string {
  return `case when ${alias}.spent_until > ${present} then ${alias}.spent_until::float8 end as "budgetSpentUntil"`
}

/** The condition that workspace `w` is within reach. Parameter 2 is the account, or null for all; parameter 3 its workspaces. */
const WITHIN_REACH = /* sql */ `($2::text is null or w.account_id = $2::text)
    and ($3::text[] is null or w.id = any ($3::text[]))`

/** The columns of an `AgentOverview`. */
const OVERVIEW = /* sql */ `${agentColumns('a', agentStatus('a', 'p.now'))},
    (select count(*) from taskboard.task t where t.lease_agent_id = a.id)::float8
      + (select count(*) from taskboard.task t where t.assigned_to = a.id and t.status = 0)::float8 as "currentWorkload",
    (select avg(case when r.outcome = 'completed' then 1 else 0 end)::float8
     from (${ratedAttemptsOf('a.id')}) r) as "successRate",
    not ${hasRuntime('a', 'p.now')} as "isRemote", ${budgetSpentUntil('a', 'p.now')},
    case when a.rest_until > p.now then a.rest_until::float8 end as "restingUntil"`

/** The agents of the workspaces within reach. */
const OF_WORKSPACES = /* sql */ `
    select a.* from taskboard.agent a
    where a.workspace_id in (select id from reached_workspace) and ($6::text is null or a.id > $6::text)
    order by a.id limit $5::integer`

/** The agents of one workspace: begins with it for all values. */
const OF_WORKSPACE = /* sql */ `
    select a.* from taskboard.agent a
    where a.workspace_id = $4::text and exists (select from reached_workspace) and ($6::text is null or a.id > $6::text)
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
  reached_workspace as (
    select w.id from taskboard.workspace w where ${only} ${WITHIN_REACH}
  ),
  chosen as materialized (${chosen}
  )
  select a.*
  from (select where $4::text is null or exists (select from reached_workspace)) r
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
  ofWorkspaces: statement<ListRow>('list_agent_overviews_within', listed(OF_WORKSPACES, OVERVIEW, '')),
  ofWorkspace: statement<ListRow>('list_agent_overviews', listed(OF_WORKSPACE, OVERVIEW)),
  ofIds: statement<ListRow>('find_agents', listed(OF_IDS, OVERVIEW)),
}

/** `AgentStore.listAgents`. */
async function listAgents<Part extends AgentPart>(
  database: Database,
  query: AgentQuery<Part>,
  call: CallContext<PgConnection>,
): Promise<readonly AgentReading<Part>[]> {
  const { reach, workspaceId = null, agentIds, limit = null, afterId = null, parts } = query
  const statements = parts !== undefined && parts.length > 0 ? overviews : stored
  const values = [call.now, ...reachValues(reach), workspaceId, limit, afterId]
  const ofAll = workspaceId === null ? statements.ofWorkspaces : statements.ofWorkspace
  const rows =
    agentIds === undefined
      ? await database.read(call, ofAll, values)
      : await database.read(call, statements.ofIds, [...values, agentIds])
  if (rows.length === 0) throw new TaskboardError('NOT_FOUND', 'no such workspace', { field: 'workspaceId' })
  return rows.filter(({ id }) => id !== null) as readonly AgentReading<Part>[]
}

function reachValues(reach: Reach | null): readonly [string | null, readonly string[] | null] {
  if (reach === null) return [null, null]
  return [reach.accountId, reach.workspaceIds === 'all' ? null : reach.workspaceIds]
}

/** The error for an agent that doesn't exist, or not in that workspace. */
function unknownAgent(): TaskboardError {
  return new TaskboardError('NOT_FOUND', 'no such agent')
}

/** Locks the agent, so that no more tasks are assigned to it. Later statements see those assigned until now. */
const lockAgent = statement<object>(
  'lock_agent',
  /* sql */ `
  select from taskboard.agent a where a.id = $2::text and a.workspace_id = $1::text for update`,
)

const unassignDone = statement<{ readonly isFree: boolean }>(
  'unassign_done_tasks',
  /* sql */ `
  with unfinished as materialized (
    select exists (select from taskboard.task t where t.lease_agent_id = $2::text)
      or exists (select from taskboard.task t where t.assigned_to = $2::text and t.status <> 2) as has_any
  ),
  done_task as materialized (
    select t.id from taskboard.task t, unfinished
    where not unfinished.has_any and t.assigned_to = $2::text and t.status = 2 order by t.id for update of t
  ),
  freed as (
    update taskboard.task t
    set assigned_to = null, updated_at = coalesce($1::bigint, taskboard.now_ms()), version = t.version + 1
    where t.id = any (array(select id from done_task)) and t.status = 2
    returning t.id, t.workspace_id, t.title, t.column_name, t.updated_at
  ),
  draft as (
    select t.workspace_id, row_number() over (order by t.id) as ord, 'task.updated' as type, t.updated_at as at,
      jsonb_build_object('taskId', t.id, 'title', t.title, 'status', t.column_name,
        'fields', array['assignedTo'], 'actor', jsonb_build_object('kind', 'system', 'id', null)) as data
    from freed t
  ),
  ${LOG_EVENTS}
  select not unfinished.has_any and (select count(*) from done_task) = (select count(*) from freed) as "isFree" from unfinished`,
)

const remove = statement<never>(
  'delete_agent',
  /* sql */ `
  with deleted_budget as (delete from taskboard.monthly_budget where workspace_id = $2::text and agent_id = $1::text)
  delete from taskboard.agent where id = $1::text and workspace_id = $2::text`,
)

/**
 * `AgentStore.deleteAgent`. None of its statements sees the new state of a task that is reopened in between. The foreign key therefore
 * updates the references of that task.
 */
function deleteAgent(
  database: Database,
  workspaceId: string,
  agentId: string,
  call: CallContext<PgConnection>,
): Promise<void> {
  return database.atomically(call, async (session) => {
    const found = await session.run(lockAgent, [workspaceId, agentId])
    if (found.length === 0) throw unknownAgent()
    const [freed] = await session.run(unassignDone, [call.now, agentId])
    if (freed?.isFree !== true)
      throw new TaskboardError('CONFLICT', 'the agent has open tasks; reassign or finish them first')
    await session.run(remove, [agentId, workspaceId])
  })
}

const addAgent = statement<AddedAgent>(
  'insert_agent',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now),
  added as (
    insert into taskboard.agent (id, workspace_id, status, created_at, ${fieldColumns.names})
    select $2::text, w.id, 'offline', p.now, ${fieldColumns.values(4)}
    from taskboard.workspace w, p where w.id = $3::text
    returning *
  )
  select ${agentColumns('a', agentStatus('a', 'p.now'))}, ${budgetSpentUntil('a', 'p.now')} from added a, p`,
)

/** `AgentStore.insertAgent`. */
async function insertAgent(
  database: Database,
  agent: NewAgent,
  idempotency: IdempotencyClaim | null,
  call: CallContext<PgConnection>,
): Promise<Created<AddedAgent>> {
  const { now } = call
  const id = database.settings.current.newId('agent')
  const values = [now, id, agent.workspaceId, ...fieldColumns.of(agent)]
  if (idempotency === null) {
    return { value: insertedAgent(await database.write(call, addAgent, values)), replayed: false }
  }
  return database.atomically(call, (session) =>
    once(session, idempotency, now, async (same) => insertedAgent(await same.run(addAgent, values))),
  )
}

function insertedAgent([agent]: readonly AddedAgent[]): AddedAgent {
  if (agent === undefined) throw new TaskboardError('NOT_FOUND', 'no such workspace')
  return agent
}

/** Replaces the fields that the JSON contains. */
const update = statement<Agent>(
  'update_agent',
  /* sql */ `
  with change as materialized (
    select $3::jsonb as given, c.* from jsonb_to_record($3::jsonb) as c (${fieldColumns.record})
  )
  update taskboard.agent a set
    ${fieldColumns.updates('a', 'c')},
    rest_until = null
  from change c where a.id = $2::text and a.workspace_id = $1::text
  returning ${agentColumns('a')}`,
)

/** `AgentStore.updateAgent`. */
async function updateAgent(
  database: Database,
  workspaceId: string,
  agentId: string,
  change: AgentChange,
  call: CallContext<PgConnection>,
): Promise<Agent> {
  const [agent] = await database.write(call, update, [workspaceId, agentId, JSON.stringify(change)])
  if (agent === undefined) throw unknownAgent()
  return agent
}

/** The agents of all workspaces. Each verb is one statement, except the deletion and creates with an idempotency key. */
export function createAgentStore(database: Database): AgentStore<PgConnection> {
  return {
    insertAgent: ({ agent, idempotency }, call) => insertAgent(database, agent, idempotency, call),
    listAgents: (query, call) => listAgents(database, query, call),
    updateAgent: ({ workspaceId, agentId, change }, call) =>
      updateAgent(database, workspaceId, agentId, change, call),
    deleteAgent: ({ workspaceId, agentId }, call) => deleteAgent(database, workspaceId, agentId, call),
    reportPresence: (report, call) => reportPresence(database, report, call),
    announceAgents: ({ limit }, call) => announceAgents(database, limit, call),
    readForecasts: ({ tasks }, call) => readForecasts(database, tasks, call),
  }
}
