import type { AgentStore } from '@taskboard/core'
import type { Database } from '../database.js'
import type { PgConnection } from '../pool.js'
import { deleteAgent } from './delete-agent.js'
import { insertAgent } from './insert-agent.js'
import { getAgent, getAgents, listAgents } from './read-agents.js'
import { readForecasts } from './read-forecasts.js'
import { reportAgentStatus } from './report-agent-status.js'
import { reportRuntimes } from './report-runtimes.js'
import { reportWorker } from './report-worker.js'
import { findAgent, surveyAgents } from './survey-agents.js'
import { updateAgent } from './update-agent.js'

/** The agents of all workspaces. Each verb but the deletion, and what has an idempotency key, is one statement. */
export function createAgentStore(database: Database): AgentStore<PgConnection> {
  return {
    insertAgent: (agent, idempotency, at) => insertAgent(database, agent, idempotency, at),
    listAgents: (workspaceId, at) => listAgents(database, workspaceId, at),
    getAgent: (workspaceId, agentId, at) => getAgent(database, workspaceId, agentId, at),
    getAgents: (agentIds, at) => getAgents(database, agentIds, at),
    surveyAgents: (reach, query, at) => surveyAgents(database, reach, query, at),
    findAgent: (reach, agentId, at) => findAgent(database, reach, agentId, at),
    updateAgent: (workspaceId, agentId, change, at) =>
      updateAgent(database, workspaceId, agentId, change, at),
    deleteAgent: (workspaceId, agentId, at) => deleteAgent(database, workspaceId, agentId, at),
    reportAgentStatus: (workspaceId, agentId, status, at) =>
      reportAgentStatus(database, workspaceId, agentId, status, at),
    reportWorker: (workspaceId, agentId, liveMs, at) =>
      reportWorker(database, workspaceId, agentId, liveMs, at),
    reportRuntimes: (agentTypes, liveMs, at) => reportRuntimes(database, agentTypes, liveMs, at),
    readForecasts: (tasks, at) => readForecasts(database, tasks, at),
  }
}
