import type { AgentStore } from '@taskboard/core/storage'
import type { Database } from '../database.js'
import type { PgConnection } from '../pool.js'
import { deleteAgent } from './delete-agent.js'
import { insertAgent } from './insert-agent.js'
import { listAgents } from './read-agents.js'
import { readForecasts } from './read-forecasts.js'
import { reportAgentStatus } from './report-agent-status.js'
import { reportRuntimes } from './report-runtimes.js'
import { reportWorker } from './report-worker.js'
import { updateAgent } from './update-agent.js'

/** The agents of all workspaces. Each verb is one statement, except the deletion and creates with an idempotency key. */
export function createAgentStore(database: Database): AgentStore<PgConnection> {
  return {
    insertAgent: ({ agent, idempotency }, at) => insertAgent(database, agent, idempotency, at),
    listAgents: (query, at) => listAgents(database, query, at),
    updateAgent: ({ workspaceId, agentId, change }, at) =>
      updateAgent(database, workspaceId, agentId, change, at),
    deleteAgent: ({ workspaceId, agentId }, at) => deleteAgent(database, workspaceId, agentId, at),
    reportPresence(report, at) {
      if ('agentTypes' in report) return reportRuntimes(database, report.agentTypes, report.liveMs, at)
      if ('liveMs' in report) return reportWorker(database, report, at)
      return reportAgentStatus(database, report.workspaceId, report.agentId, report.status, at)
    },
    readForecasts: ({ tasks }, at) => readForecasts(database, tasks, at),
  }
}
