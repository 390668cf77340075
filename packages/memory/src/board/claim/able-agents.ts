import type { Agent, Instant } from '@taskboard/core'
import type { Table } from '../../tables/table.js'
import { type AgentRest, holderKey, type StoredBudget } from '../../tables/usage-rows.js'

/** The source of a list of agents: a table of them, or a part of one. */
export interface FollowedAgents {
  get(id: string): Agent | undefined
  values(): Iterable<Agent>
  onChange(hook: (before: Agent | undefined, after: Agent | undefined) => void): void
}

/** The agents that may take tasks, as far as budgets and rests are concerned. Follows the tables of agents, budgets and rests. */
export interface AbleAgents extends FollowedAgents {
  /** Until when the agent takes no tasks; 0 or a past instant when it may. */
  until(agent: Agent): Instant
  /** Lets in the agents whose wait is over. Free while none waits. */
  settle(now: Instant): void
  /** When the first wait ends; `Infinity` while none waits. */
  nextEnd(): Instant
}

/** Until when its own or its workspace budget is spent; 0 or a past instant when neither is. */
export function spentUntil(budgets: Table<StoredBudget>, { workspaceId, id }: Agent): Instant {
  return Math.max(
    budgets.get(holderKey(workspaceId, null))?.spentUntil ?? 0,
    budgets.get(holderKey(workspaceId, id))?.spentUntil ?? 0,
  )
}

/** `rests` has until when an agent rests, by its id. */
export function createAbleAgents(
  agents: Table<Agent>,
  budgets: Table<StoredBudget>,
  rests: Table<AgentRest>,
): AbleAgents {
  const hooks: ((before: Agent | undefined, after: Agent | undefined) => void)[] = []
  const able = new Map<string, Agent>()
  const waiting = new Map<string, Agent>()
  let settledAt: Instant = 0

  const waitsUntil = (agent: Agent): Instant =>
    Math.max(rests.get(agent.id)?.until ?? 0, spentUntil(budgets, agent))

  function place(id: string, agent: Agent | undefined): void {
    const before = able.get(id)
    const isAble = agent !== undefined && waitsUntil(agent) <= settledAt
    if (agent === undefined || isAble) waiting.delete(id)
    else waiting.set(id, agent)
    if (isAble) able.set(id, agent)
    else able.delete(id)
    const after = isAble ? agent : undefined
    if (before !== after) for (const hook of hooks) hook(before, after)
  }

  agents.onChange((before, after) => place(((after ?? before) as Agent).id, after))
  budgets.onChange((before, after) => {
    if (before?.spentUntil === after?.spentUntil) return
    const { workspaceId, agentId } = (after ?? before) as StoredBudget
    const own = agentId === null ? [...agents.values()] : [agents.get(agentId)]
    for (const agent of own) if (agent?.workspaceId === workspaceId) place(agent.id, agent)
  })

  rests.onChange((before, after) => {
    const agent = agents.get(((after ?? before) as AgentRest).agentId)
    if (agent !== undefined) place(agent.id, agent)
  })

  return {
    until: (agent) => (waiting.has(agent.id) ? waitsUntil(agent) : 0),
    get: (id) => able.get(id),
    values: () => able.values(),
    onChange(hook) {
      hooks.push(hook)
    },
    settle(now) {
      settledAt = Math.max(settledAt, now)
      if (waiting.size === 0) return
      for (const agent of waiting.values()) if (waitsUntil(agent) <= now) place(agent.id, agent)
    },
    nextEnd: () => Math.min(...[...waiting.values()].map(waitsUntil)),
  }
}
