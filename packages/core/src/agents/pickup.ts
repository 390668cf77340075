import type { Task } from '../board/index.js'
import type { Instant } from '../environment/index.js'
import { nextMonthStart, type MonthlyBudget } from '../usage/index.js'
import type { AgentOverview } from './agent.js'

/** Why no agent can take a task now, of the task first and then of the agents that may take it. */
export const waitReasons = [
  'hold',
  'not_before',
  'dependencies',
  'no_agent',
  'budget',
  'paused',
  'offline',
  'resting',
] as const
export type WaitReason = (typeof waitReasons)[number]

/** Something that a task in TODO waits for. */
export interface PickupWait {
  readonly reason: WaitReason
  /** When it ends by itself: `not_before`, `budget`, which begins again each month, and `resting`, for the first of the agents. */
  readonly until: Instant | null
  /** Of tasks for `dependencies`, of agents for `budget`, `paused`, `offline` and `resting`. */
  readonly count: number | null
  /** The first few of these agents. None for the budget of the whole workspace. */
  readonly agents: readonly { readonly id: string; readonly name: string }[]
}

type PickupTask = Pick<Task, 'column' | 'hold' | 'notBefore' | 'openDependencies' | 'assignedTo' | 'type'>
type PickupAgent = Pick<AgentOverview, 'id' | 'name' | 'type' | 'paused' | 'status' | 'restingUntil'>

const MOST_NAMED = 5

const wait = (reason: WaitReason, more: Partial<PickupWait> = {}): PickupWait => ({
  reason,
  until: null,
  count: null,
  agents: [],
  ...more,
})

/** Those that may take a task, by the rules of `TaskStore.claimTasks`. */
function candidates(task: PickupTask, agents: readonly PickupAgent[]): readonly PickupAgent[] {
  if (task.assignedTo !== null) return agents.filter(({ id }) => id === task.assignedTo)
  const ofType = agents.filter(({ type }) => type === task.type)
  return ofType.length > 0 ? ofType : agents
}

/** Why an agent takes no task now. */
interface Lack {
  readonly reason: WaitReason
  readonly until: Instant | null
  readonly agent: PickupAgent
}

/** What the agents lack that may take a task. Empty when one of them lacks nothing. */
function waitsForAgents(
  agents: readonly PickupAgent[],
  budgets: readonly MonthlyBudget[],
): readonly PickupWait[] {
  const spent = new Map(budgets.filter(({ isSpent }) => isSpent).map((one) => [one.agentId, one]))
  const ofWorkspace = spent.get(null)
  if (ofWorkspace !== undefined) return [wait('budget', { until: nextMonthStart(ofWorkspace.month) })]
  const lacking = new Map<WaitReason, Lack[]>()
  for (const agent of agents) {
    const lack = lackOf(agent, spent)
    if (lack === null) return []
    lacking.set(lack.reason, [...(lacking.get(lack.reason) ?? []), lack])
  }
  return [...lacking].map(([reason, those]) => {
    const ends = those.flatMap(({ until }) => until ?? [])
    return wait(reason, {
      until: ends.length === 0 ? null : Math.min(...ends),
      count: those.length,
      agents: those.slice(0, MOST_NAMED).map(({ agent: { id, name } }) => ({ id, name })),
    })
  })
}

/** The rest comes last: its end is of no use to an agent that lacks more. */
function lackOf(agent: PickupAgent, spent: ReadonlyMap<string | null, MonthlyBudget>): Lack | null {
  const { id, paused, status, restingUntil } = agent
  const budget = spent.get(id)
  if (paused) return { reason: 'paused', until: null, agent }
  if (budget !== undefined) return { reason: 'budget', until: nextMonthStart(budget.month), agent }
  if (status === 'offline') return { reason: 'offline', until: null, agent }
  return restingUntil === null ? null : { reason: 'resting', until: restingUntil, agent }
}

/**
 * The reasons why no agent can take a task now, besides its turn. Empty when one can, and outside of TODO. `agents` and `budgets` are
 * all of its workspace; null agents aren't known, and nothing is said about them.
 */
export function pickupWaits(
  task: PickupTask,
  {
    agents,
    budgets,
  }: { readonly agents: readonly PickupAgent[] | null; readonly budgets: readonly MonthlyBudget[] },
  now: Instant,
): readonly PickupWait[] {
  if (task.column !== 'TODO') return []
  const waits: PickupWait[] = []
  if (task.hold !== null) waits.push(wait('hold'))
  if (task.notBefore !== null && task.notBefore > now)
    waits.push(wait('not_before', { until: task.notBefore }))
  if (task.openDependencies > 0) waits.push(wait('dependencies', { count: task.openDependencies }))
  if (agents === null) return waits
  const able = candidates(task, agents)
  return able.length === 0 ? [...waits, wait('no_agent')] : [...waits, ...waitsForAgents(able, budgets)]
}
