import { TaskboardError, type Agent, type AgentStore, type Instant } from '@taskboard/core'
import type { Database } from './database.js'
import { byAge } from './subscriptions.js'
import type { Table } from './table.js'
import type { MemoryTransaction } from './transactions.js'

/** Adds an agent that is not at work. The workspace must exist. */
export function addAgent(
  { settings, tables }: Database,
  agent: { readonly workspaceId: string; readonly name: string; readonly type: string },
  now: Instant,
): Agent {
  const { workspaceId, name, type } = agent
  const id = settings.current.newId('agent')
  const stored: Agent = { id, workspaceId, name, type, status: 'offline', createdAt: now }
  tables.agents.set(id, stored)
  return stored
}

export function createAgentStore(database: Database): AgentStore<MemoryTransaction> {
  const { transactions, tables, publish } = database
  const { read, write } = transactions
  const workspaces = indexByWorkspace(tables.agents)

  return {
    insertAgent: (agent, at) =>
      write(at, (now) => {
        database.requireWorkspace(agent.workspaceId)
        return addAgent(database, agent, now)
      }),
    listAgents: (workspaceId, at) =>
      read(at, () => [...(workspaces.get(workspaceId)?.values() ?? [])].sort(byAge)),
    getAgent: (workspaceId, agentId, at) =>
      read(at, () => {
        const agent = tables.agents.get(agentId)
        if (agent !== undefined && agent.workspaceId === workspaceId) return agent
        throw new TaskboardError('NOT_FOUND', 'no such agent')
      }),
    reportAgentStatus: (workspaceId, agentId, status, at) =>
      write(at, (now) => {
        const agent = tables.agents.get(agentId)
        if (agent?.workspaceId !== workspaceId || agent.status === status) return
        tables.agents.set(agentId, { ...agent, status })
        publish(workspaceId, { type: 'agent.status', facts: { agentId, status } }, now)
      }),
  }
}

function indexByWorkspace(agents: Table<Agent>): ReadonlyMap<string, ReadonlyMap<string, Agent>> {
  const workspaces = new Map<string, Map<string, Agent>>()
  agents.onChange((before, after) => {
    const { workspaceId, id } = (after ?? before) as Agent
    const own = workspaces.get(workspaceId) ?? new Map<string, Agent>()
    workspaces.set(workspaceId, own)
    if (after === undefined) own.delete(id)
    else own.set(id, after)
    if (own.size === 0) workspaces.delete(workspaceId)
  })
  return workspaces
}
