import { signal } from '@preact/signals'
import { lastDays } from '../analytics/period.js'
import { can, client, workspaceId } from '../state/api.js'
import type { Agent, MonthlyBudget, Task } from '../state/wire.js'
import { isWorkedOn } from '../state/work.js'

/** What a page of agents shows next to the agents themselves. */
export interface AgentFigures {
  /** Tasks in DOING, by the id of their agent. */
  readonly doing: ReadonlyMap<string, readonly Task[]>
  /** Dollars of the last thirty days, by the id of the agent. */
  readonly costs: ReadonlyMap<string, number>
  readonly budgets: ReadonlyMap<string, MonthlyBudget>
}

/** Statuses that arrived after the agents were read. */
export const liveStatus = signal<ReadonlyMap<string, Agent['status']>>(new Map())

const PERIOD_DAYS = 30
const MOST = 1_000

/** Reads what the agents work on now. */
export async function readDoing(abort: AbortSignal): Promise<AgentFigures['doing']> {
  const byAgent = new Map<string, Task[]>()
  if (!can('tasks:read')) return byAgent
  const { tasks } = await client.tasks.list(
    { workspace_id: workspaceId(), column: 'doing', limit: 100 },
    { signal: abort },
  )
  for (const task of tasks) {
    // A task that a person moved to Doing has the agent that it is assigned to.
    if (task.agent !== null && isWorkedOn(task))
      byAgent.set(task.agent.id, [...(byAgent.get(task.agent.id) ?? []), task])
  }
  return byAgent
}

async function readCosts(abort: AbortSignal): Promise<AgentFigures['costs']> {
  if (!can('analytics:read')) return new Map()
  const { usage } = await client.analytics.usage(
    {
      ...lastDays(PERIOD_DAYS),
      group_by: 'agent',
      workspace_id: workspaceId(),
      limit: MOST,
    },
    { signal: abort },
  )
  return new Map(usage.map((sum) => [sum.key, sum.cost_usd]))
}

async function readBudgets(abort: AbortSignal): Promise<AgentFigures['budgets']> {
  const { budgets } = await client.budgets.list(
    { workspace_id: workspaceId(), limit: MOST },
    { signal: abort },
  )
  return new Map(
    budgets.flatMap((budget) => (budget.agent_id === null ? [] : [[budget.agent_id, budget] as const])),
  )
}

/** Reads what the agents cost and may spend. */
export async function readFigures(abort: AbortSignal): Promise<Omit<AgentFigures, 'doing'>> {
  const [costs, budgets] = await Promise.all([readCosts(abort), readBudgets(abort)])
  return { costs, budgets }
}

/** The status of an agent now. */
export function statusOf(agent: Agent): Agent['status'] {
  return liveStatus.value.get(agent.id) ?? agent.status
}

/** Keeps a status that arrived. */
export function hearStatus(id: string, status: Agent['status']): void {
  liveStatus.value = new Map([...liveStatus.value, [id, status]])
}
