import { href } from '../state/router.js'
import type { Agent, MonthlyBudget, Task } from '../state/wire.js'
import { agentsText as text } from '../texts/agents.js'
import { formatCost, formatCount, formatShare } from '../texts/format.js'
import { Meter } from '../ui/meter.js'
import { statusOf, type AgentFigures } from './agents-data.js'

const MOST_TASKS = 3

/** Whether an agent waits, works, is paused or isn't there. */
export function AgentStatus({ agent }: { readonly agent: Agent }) {
  const status = statusOf(agent)
  return (
    <>
      <span class={`status status-${status}`} title={text.statusHint[status]}>
        <span class="dot" aria-hidden="true" />
        {text.statuses[status]}
      </span>
      {agent.paused && <span class="chip chip-warn">{text.paused}</span>}
    </>
  )
}

/** The tasks that an agent works on now. */
export function WorksOn({
  tasks,
  most = MOST_TASKS,
}: {
  readonly tasks: readonly Task[]
  readonly most?: number
}) {
  if (tasks.length === 0) return <span class="quiet">{text.nothing}</span>
  return (
    <ul class="works-on">
      {tasks.slice(0, most).map((task) => (
        <li key={task.id}>
          <a class="clip" href={href('tasks', task.id)} title={task.title}>
            <bdi>{task.title}</bdi>
          </a>
          <small class="quiet">{formatShare(task.progress / 100)}</small>
        </li>
      ))}
      {tasks.length > most && <li class="quiet">+{tasks.length - most}</li>}
    </ul>
  )
}

/** How much of a monthly budget is spent. */
export function BudgetState({ budget }: { readonly budget: MonthlyBudget | undefined }) {
  if (budget?.budget == null) return <span class="quiet">{text.noBudget}</span>
  const { tokens, cost_usd: cost } = budget.budget
  const { used } = budget
  const costLabel = cost === null ? '' : text.costOf(formatCost(used.cost_usd), formatCost(cost))
  const tokensLabel = tokens === null ? '' : text.tokensOf(formatCount(used.tokens), formatCount(tokens))
  return (
    <span class="budget">
      {cost !== null && (
        <span>
          <small>{costLabel}</small>
          <Meter used={used.cost_usd} limit={cost} label={costLabel} />
        </span>
      )}
      {tokens !== null && (
        <span>
          <small>{tokensLabel}</small>
          <Meter used={used.tokens} limit={tokens} label={tokensLabel} />
        </span>
      )}
      {budget.is_spent && (
        <span class="chip chip-bad" title={text.spentHint}>
          {text.spent}
        </span>
      )}
    </span>
  )
}

/** One agent in the list. */
export function AgentRow({ agent, figures }: { readonly agent: Agent; readonly figures: AgentFigures }) {
  const cost = figures.costs.get(agent.id)
  return (
    <li class="agent">
      <div class="agent-name">
        <a class="agent-link" href={href('agents', agent.id)}>
          <bdi>{agent.name}</bdi>
        </a>
        <div class="chips">
          <AgentStatus agent={agent} />
          <span class="chip" title={agent.type}>
            {agent.type}
          </span>
        </div>
      </div>
      <dl class="agent-figures">
        <div class="agent-works">
          <dt>{text.worksOn}</dt>
          <dd>
            <WorksOn tasks={figures.doing.get(agent.id) ?? []} />
          </dd>
        </div>
        <div title={text.workloadHint}>
          <dt>{text.workload}</dt>
          <dd>{formatCount(agent.current_workload)}</dd>
        </div>
        <div title={text.successHint}>
          <dt>{text.success}</dt>
          <dd>{formatShare(agent.success_rate)}</dd>
        </div>
        <div>
          <dt>{text.cost}</dt>
          <dd>{formatCost(cost ?? 0)}</dd>
        </div>
        <div class="agent-budget">
          <dt>{text.budget}</dt>
          <dd>
            <BudgetState budget={figures.budgets.get(agent.id)} />
          </dd>
        </div>
      </dl>
    </li>
  )
}
