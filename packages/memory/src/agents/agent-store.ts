import {
  TaskboardError,
  type Agent,
  type AgentOverview,
  type AgentStatus,
  type Instant,
  type Reach,
} from '@taskboard/core'
import {
  type AgentPart,
  type AgentQuery,
  type AgentReading,
  type AgentStore,
  type CallContext,
  type NewAgent,
  updatedEvent,
} from '@taskboard/core/storage'
import { agentStatus, hasRuntime } from '../board/claim/agent-status.js'
import { createAgentWork, type AgentWork } from './agent-work.js'
import { draftRow } from '../tables/event-log.js'
import type { Database } from '../tables/database.js'
import type { LeaseIndex } from '../board/claim/lease-index.js'
import { isWithin } from '../tables/reach.js'
import type { ReadyQueue } from '../board/claim/ready-queue.js'
import { spentUntil } from '../board/claim/able-agents.js'
import { holderKey } from '../tables/usage-rows.js'
import { byAge } from '../tables/subscriptions.js'
import type { Table } from '../tables/table.js'
import type { MemoryTransaction } from '../tables/transactions.js'

type Store = AgentStore<MemoryTransaction>

/** Adds an agent that isn't at work. The workspace must exist. */
export function addAgent({ settings, tables }: Database, agent: NewAgent, now: Instant): Agent {
  const id = settings.current.newId('agent')
  const stored: Agent = { ...agent, id, status: 'offline', createdAt: now }
  tables.agents.set(id, stored)
  return stored
}

export function createAgentStore(database: Database, queue: ReadyQueue, leases: LeaseIndex): Store {
  const { transactions, tables, publish, readOnly } = database
  const { read, write } = transactions
  const workspaces = indexByWorkspace(tables.agents)
  const work = createAgentWork(database, queue, leases)
  const agentsOf = (workspaceId: string) => [...(workspaces.get(workspaceId)?.values() ?? [])].sort(byAge)

  function require(workspaceId: string, agentId: string): Agent {
    const agent = tables.agents.get(agentId)
    if (agent !== undefined && agent.workspaceId === workspaceId) return agent
    throw new TaskboardError('NOT_FOUND', 'no such agent')
  }

  function setStatus(agent: Agent, status: AgentStatus, now: Instant): void {
    const { id: agentId, workspaceId } = agent
    tables.agents.set(agentId, { ...agent, status })
    publish(draftRow(workspaceId, { type: 'agent.status', data: { agentId, status } }, now))
  }

  return {
    listAgents: createAgentList(database, { work, leases, agentsOf }),
    insertAgent: ({ agent, idempotency: claim }, call) =>
      write(call, (now) => {
        database.requireWorkspace(agent.workspaceId)
        return database.idempotency.once(claim, now, () => {
          const added = addAgent(database, agent, now)
          const status = agentStatus(database, leases, added, now)
          return { ...added, status, budgetSpentUntil: ahead(spentUntil(tables.budgets, added), now) }
        })
      }),
    updateAgent: ({ workspaceId, agentId, change }, call) =>
      write(call, () => {
        const agent = { ...require(workspaceId, agentId), ...change }
        tables.agents.set(agentId, agent)
        tables.rests.delete(agentId)
        return agent
      }),
    deleteAgent: ({ workspaceId, agentId }, call) =>
      write(call, (now) => {
        const { id } = require(workspaceId, agentId)
        if (leases.heldBy(id) > 0 || work.openOf(id).length > 0) {
          throw new TaskboardError('CONFLICT', 'the agent has open tasks; reassign or finish them first')
        }
        for (const task of work.doneOf(id).toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
          const freed = { ...task, assignedTo: null, updatedAt: now }
          tables.tasks.set(task.id, freed)
          const updated = updatedEvent(task, freed, { kind: 'system', id: null })
          if (updated !== null) publish(draftRow(workspaceId, updated, now))
        }
        tables.agents.delete(id)
        tables.workers.delete(id)
        tables.rests.delete(id)
        tables.budgets.delete(holderKey(workspaceId, id))
      }),
    reportPresence: (report, call) =>
      write(call, (now) => {
        if ('agentTypes' in report) {
          const liveUntil = report.liveMs === null ? Infinity : now + report.liveMs
          for (const type of report.agentTypes) tables.runtimes.set(type, liveUntil)
          return
        }
        const { workspaceId, agentId } = report
        const agent = tables.agents.get(agentId)
        if (agent?.workspaceId !== workspaceId) return
        if ('liveMs' in report) tables.workers.set(agentId, now + report.liveMs)
        else if ('restMs' in report) rest(database, agentId, now + report.restMs)
        else if (agent.status !== report.status && !readOnly.has(workspaceId))
          setStatus(agent, report.status, now)
      }),
    announceAgents: ({ limit }, call) =>
      write(call, (now) =>
        announceAgents(database, limit, now, {
          statusOf: (agent) => agentStatus(database, leases, agent, now),
          setStatus: (agent, status) => setStatus(agent, status, now),
        }),
      ),
    readForecasts: ({ tasks }, call) =>
      read(call, (now) => tasks.map((task) => work.forecast(task, agentsOf(task.workspaceId), now))),
  }
}

/** Null unless the instant is still to come. */
const ahead = (until: Instant, now: Instant): Instant | null => (until > now ? until : null)

/** A longer rest stands. */
function rest({ tables: { rests } }: Database, agentId: string, until: Instant): void {
  if (until > (rests.get(agentId)?.until ?? 0)) rests.set(agentId, { agentId, until })
}

/** `AgentStore.announceAgents`. */
function announceAgents(
  { tables, readOnly }: Database,
  limit: number,
  now: Instant,
  parts: {
    readonly statusOf: (agent: Agent) => AgentStatus
    readonly setStatus: (agent: Agent, status: AgentStatus) => void
  },
): { readonly announced: number; readonly isAnyPresent: boolean } {
  const { statusOf, setStatus } = parts
  let announced = 0
  let isAnyPresent = false
  for (const [agentId, workedUntil] of tables.workers.entries()) {
    const agent = tables.agents.get(agentId)
    if (agent === undefined) continue
    const status = statusOf(agent)
    isAnyPresent ||= status === 'busy' || workedUntil > now
    if (status === agent.status || announced === limit || readOnly.has(agent.workspaceId)) continue
    setStatus(agent, status)
    announced += 1
  }
  return { announced, isAnyPresent }
}

function createAgentList(
  database: Database,
  parts: {
    readonly work: AgentWork
    readonly leases: LeaseIndex
    readonly agentsOf: (workspaceId: string) => readonly Agent[]
  },
): Store['listAgents'] {
  const { transactions, tables } = database
  const { work, leases, agentsOf } = parts

  function overview(agent: Agent, now: Instant): AgentOverview {
    const { id } = agent
    return {
      ...agent,
      status: agentStatus(database, leases, agent, now),
      currentWorkload: work.workload(id),
      successRate: work.successRate(id),
      isRemote: !hasRuntime(database, agent.type, now),
      budgetSpentUntil: ahead(spentUntil(tables.budgets, agent), now),
      restingUntil: ahead(tables.rests.get(id)?.until ?? 0, now),
    }
  }

  const isReached = (reach: Reach | null, workspaceId: string): boolean =>
    reach === null ? tables.workspaces.get(workspaceId) !== undefined : isWithin(database, reach, workspaceId)

  function select(query: AgentQuery): readonly Agent[] {
    const { reach, workspaceId = null, agentIds, limit, afterId = null } = query
    if (workspaceId !== null && !isReached(reach, workspaceId)) {
      throw new TaskboardError('NOT_FOUND', 'no such workspace', { field: 'workspaceId' })
    }
    const ofIds = agentIds && [...new Set(agentIds)].flatMap((id) => tables.agents.get(id) ?? [])
    const agents =
      workspaceId === null
        ? [...(ofIds ?? tables.agents.values())].filter((agent) => isReached(reach, agent.workspaceId))
        : (ofIds?.filter((agent) => agent.workspaceId === workspaceId) ?? [...agentsOf(workspaceId)])
    return agents
      .filter(({ id }) => afterId === null || id > afterId)
      .sort((a, b) => (a.id < b.id ? -1 : 1))
      .slice(0, limit)
  }

  return <Part extends AgentPart>(query: AgentQuery<Part>, call: CallContext<MemoryTransaction>) =>
    transactions.read(call, (now) => {
      const agents = select(query)
      const isOverview = query.parts !== undefined && query.parts.length > 0
      return (isOverview ? agents.map((agent) => overview(agent, now)) : agents) as AgentReading<Part>[]
    })
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
