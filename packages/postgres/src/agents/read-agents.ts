import { TaskboardError, type Agent, type At } from '@taskboard/core'
import type { Database } from '../database.js'
import type { PgConnection } from '../pool.js'
import { statement } from '../statement.js'
import { agentColumns } from './agent-row.js'

const agentsOfWorkspace = statement<Agent>(
  'list_agents',
  /* sql */ `
  select ${agentColumns('a')} from taskboard.agent a where a.workspace_id = $1::text
  order by a.created_at, a.id`,
)

const agentById = statement<Agent>(
  'get_agent',
  /* sql */ `
  select ${agentColumns('a')} from taskboard.agent a where a.id = $2::text and a.workspace_id = $1::text`,
)

const agentsById = statement<Agent>(
  'get_agents',
  /* sql */ `
  select ${agentColumns('a')} from taskboard.agent a where a.id = any ($1::text[])`,
)

/** `AgentStore.listAgents`. */
export function listAgents(
  database: Database,
  workspaceId: string,
  at: At<PgConnection>,
): Promise<readonly Agent[]> {
  return database.read(at, agentsOfWorkspace, [workspaceId])
}

/** `AgentStore.getAgent`. */
export async function getAgent(
  database: Database,
  workspaceId: string,
  agentId: string,
  at: At<PgConnection>,
): Promise<Agent> {
  const [agent] = await database.read(at, agentById, [workspaceId, agentId])
  if (agent === undefined) throw unknownAgent()
  return agent
}

/** `AgentStore.getAgents`. */
export function getAgents(
  database: Database,
  agentIds: readonly string[],
  at: At<PgConnection>,
): Promise<readonly Agent[]> {
  return database.read(at, agentsById, [agentIds])
}

/** The refusal of an agent that is not there, or not in that workspace. */
export function unknownAgent(): TaskboardError {
  return new TaskboardError('NOT_FOUND', 'no such agent')
}
