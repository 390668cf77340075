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
] as const
export type WaitReason = (typeof waitReasons)[number]

/** Something that a task in TODO waits for. */
export interface PickupWait {
  readonly reason: WaitReason
  /** When it ends by itself: `not_before`, and `budget`, which begins anew each month. */
  readonly until: Instant | null
  /** Of tasks for `dependencies`, of agents for `budget`, `paused` and `offline`. */
  readonly count: number | null
  /** The first few of these agents. None for the budget of the whole workspace. */
  readonly agents: readonly { readonly id: string; readonly name: string }[]
}

type PickupTask = Pick<Task, 'column' | 'hold' | 'notBefore' | 'openDependencies' | 'assignedTo' | 'type'>
type PickupAgent = Pick<AgentOverview, 'id' | 'name' | 'type' | 'paused' | 'status'>

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

/** What the agents lack that may take a task. Nothing when one of them lacks nothing. */
function waitsForAgents(
  agents: readonly PickupAgent[],
  budgets: readonly MonthlyBudget[],
): readonly PickupWait[] {
  const spent = new Map(budgets.filter(({ isSpent }) => isSpent).map((one) => [one.agentId, one]))
  const ofWorkspace = spent.get(null)
  if (ofWorkspace !== undefined) return [wait('budget', { until: nextMonthStart(ofWorkspace.month) })]
  const lacking = new Map<WaitReason, PickupAgent[]>()
  for (const agent of agents) {
    const reason = lackOf(agent, spent)
    if (reason === null) return []
    lacking.set(reason, [...(lacking.get(reason) ?? []), agent])
  }
  return [...lacking].map(([reason, those]) => {
    const month = reason === 'budget' ? spent.get(those[0]?.id ?? null)?.month : undefined
    return wait(reason, {
      until: month === undefined ? null : nextMonthStart(month),
      count: those.length,
      agents: those.slice(0, MOST_NAMED).map(({ id, name }) => ({ id, name })),
    })
  })
}

function lackOf({ id, paused, status }: PickupAgent, spent: ReadonlyMap<string | null, unknown>) {
  if (paused) return 'paused'
  if (spent.has(id)) return 'budget'
  return status === 'offline' ? 'offline' : null
}

/**
 * What a task waits for besides its turn: why no agent can take it now. Empty when one can, and outside of TODO. `agents` and `budgets` are
 * all of its workspace; null agents are not known, and nothing is said about them.
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
