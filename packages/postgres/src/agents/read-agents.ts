import { TaskboardError, type Agent } from '@taskboard/core'
import type { AgentStore, At } from '@taskboard/core/storage'
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

const agentsById = statement<Agent>(
  'get_agents',
  /* sql */ `
  select ${agentColumns('a')} from taskboard.agent a where a.id = any ($1::text[])`,
)

/** `AgentStore.listAgents`. */
export function listAgents(
  database: Database,
  which: Parameters<AgentStore['listAgents']>[0],
  at: At<PgConnection>,
): Promise<readonly Agent[]> {
  return 'workspaceId' in which
    ? database.read(at, agentsOfWorkspace, [which.workspaceId])
    : database.read(at, agentsById, [which.agentIds])
}

/** The error for an agent that does not exist, or not in that workspace. */
export function unknownAgent(): TaskboardError {
  return new TaskboardError('NOT_FOUND', 'no such agent')
}
