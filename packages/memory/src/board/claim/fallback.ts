import type { Agent, Instant } from '@taskboard/core'
import { anyAgentType } from '@taskboard/core/storage'
import type { AgentPools, RoundRobin } from './round-robin.js'
import type { FollowedAgents } from './able-agents.js'
import type { Table } from '../../tables/table.js'

/** The available agents that the runtime for any type works: those whose type has no runtime at work. */
export interface Fallback {
  /** Updates it. Free before the first claim for any type, and almost free while no runtime starts or stops. */
  settle(now: Instant): void
}

export interface FallbackParts {
  readonly agents: FollowedAgents
  readonly runtimes: Table<Instant>
  readonly roundRobin: RoundRobin
  readonly poolsOf: (agent: Agent) => AgentPools
}

export function createFallback({ agents, runtimes, roundRobin, poolsOf }: FallbackParts): Fallback {
  /** The types with their own runtimes; null before the first claim for any type. */
  let routed: ReadonlySet<string> | null = null

  const enter = (agent: Agent): void => roundRobin.addAgent({ ...agent, type: anyAgentType }, poolsOf(agent))
  const leave = (agent: Agent): void =>
    roundRobin.removeAgent({ ...agent, type: anyAgentType }, poolsOf(agent))

  agents.onChange((before, after) => {
    if (routed === null || before?.type === after?.type) return
    if (before !== undefined && !routed.has(before.type)) leave(before)
    if (after !== undefined && !routed.has(after.type)) enter(after)
  })

  function routedAt(now: Instant): ReadonlySet<string> {
    const types = new Set<string>()
    for (const [type, until] of runtimes.entries()) if (until > now && type !== anyAgentType) types.add(type)
    return types
  }

  return {
    settle(now) {
      const types = routedAt(now)
      const before = routed
      routed = types
      if (before !== null && before.size === types.size && [...types].every((type) => before.has(type)))
        return
      for (const agent of agents.values()) {
        const isIn = before !== null && !before.has(agent.type)
        const belongs = !types.has(agent.type)
        if (isIn === belongs) continue
        if (belongs) enter(agent)
        else leave(agent)
      }
    },
  }
}
