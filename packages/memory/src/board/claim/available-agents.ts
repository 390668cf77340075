import type { Agent } from '@taskboard/core'
import type { LeaseIndex } from './lease-index.js'
import type { FollowedAgents } from './able-agents.js'
import type { TaskTable } from '../../tables/task-slots.js'

type ChangeHook = (before: Agent | undefined, after: Agent | undefined) => void

/** The agents that may take a task: neither paused nor at their bound, not at rest, and with a budget left. Its hooks run when that or a type changes. */
export interface AvailableAgents extends FollowedAgents {
  /** How many more tasks the agent may have under its lease; `Infinity` without a bound. */
  roomOf(agent: Agent): number
}

/** Of those that `agents` has. `leases` must follow the tasks' table already. */
export function createAvailableAgents(
  agents: FollowedAgents,
  tasks: TaskTable,
  leases: LeaseIndex,
): AvailableAgents {
  const available = new Map<string, Agent>()
  const bounded = new Set<string>()
  const hooks: ChangeHook[] = []

  function roomOf({ id, paused, maxConcurrent }: Agent): number {
    if (paused) return 0
    return maxConcurrent === null ? Infinity : Math.max(0, maxConcurrent - leases.heldBy(id))
  }

  function refresh(id: string, agent: Agent | undefined): void {
    const before = available.get(id)
    const after = agent !== undefined && roomOf(agent) > 0 ? agent : undefined
    if (after === undefined) available.delete(id)
    else available.set(id, after)
    if (before?.type === after?.type) return
    for (const hook of hooks) hook(before, after)
  }

  agents.onChange((before, after) => {
    const { id } = (after ?? before) as Agent
    if (after === undefined || after.maxConcurrent === null) bounded.delete(id)
    else bounded.add(id)
    refresh(id, after)
  })
  tasks.onChange((before, after) => {
    if (bounded.size === 0) return
    const [from, to] = [before?.lease?.agentId, after?.lease?.agentId]
    if (from === to) return
    for (const id of [from, to]) if (id !== undefined && bounded.has(id)) refresh(id, agents.get(id))
  })

  return {
    roomOf,
    get: (id) => available.get(id),
    values: () => available.values(),
    onChange(hook) {
      hooks.push(hook)
    },
  }
}
