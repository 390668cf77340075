import type { At, Instant } from '../environment/index.js'

/** Whether a runtime works an agent's tasks at the moment. */
export type AgentStatus = 'available' | 'busy' | 'offline'

/** An agent of a workspace, as stored. The host's runtime for its `type` does its work. */
export interface Agent {
  readonly id: string
  readonly workspaceId: string
  readonly name: string
  readonly type: string
  readonly status: AgentStatus
  readonly createdAt: Instant
}

/** The agents of all workspaces. */
export interface AgentStore<Tx = unknown> {
  /** @throws TaskboardError `NOT_FOUND` for an unknown workspace. */
  insertAgent(agent: { workspaceId: string; name: string; type: string }, at: At<Tx>): Promise<Agent>
  /** Oldest first. */
  listAgents(workspaceId: string, at: At<Tx>): Promise<readonly Agent[]>
  /** @throws TaskboardError `NOT_FOUND`. */
  getAgent(workspaceId: string, agentId: string, at: At<Tx>): Promise<Agent>
  /** Sets the status, with `agent.status` in the event log when it differs. Unknown agents are ignored. */
  reportAgentStatus(workspaceId: string, agentId: string, status: AgentStatus, at: At<Tx>): Promise<void>
}
