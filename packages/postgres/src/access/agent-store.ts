import type { AgentStore } from '@taskboard/core'
import type { Database } from '../database.js'
import type { PgConnection } from '../pool.js'
import { insertAgent } from './insert-agent.js'
import { getAgent, listAgents } from './read-agents.js'
import { reportAgentStatus } from './report-agent-status.js'

/** The agents of all workspaces. Each verb is one statement. */
export function createAgentStore(database: Database): AgentStore<PgConnection> {
  return {
    insertAgent: (agent, at) => insertAgent(database, agent, at),
    listAgents: (workspaceId, at) => listAgents(database, workspaceId, at),
    getAgent: (workspaceId, agentId, at) => getAgent(database, workspaceId, agentId, at),
    reportAgentStatus: (workspaceId, agentId, status, at) =>
      reportAgentStatus(database, workspaceId, agentId, status, at),
  }
}
