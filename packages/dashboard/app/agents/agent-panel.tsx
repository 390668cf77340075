import { useState } from 'preact/hooks'
import { can, client } from '../state/api.js'
import { announce, complain } from '../state/notices.js'
import { go } from '../state/router.js'
import type { Agent } from '../state/wire.js'
import { agentsText as text } from '../texts/agents.js'
import { formatCost, formatCount } from '../texts/format.js'
import { formatShare } from '../texts/format.js'
import { text as common } from '../texts/index.js'
import { Confirm, Dialog } from '../ui/dialog.js'
import { Show, useLoaded } from '../ui/states.js'
import { Time } from '../ui/time.js'
import { AgentForm } from './agent-form.js'
import { AgentStatus, BudgetState, WorksOn } from './agent-row.js'
import type { AgentFigures } from './agents-data.js'
import { BudgetForm } from './budget-form.js'

interface PanelProps {
  readonly id: string
  /** The agent as the list has it. */
  readonly known: Agent | null
  readonly figures: AgentFigures
  readonly onChanged: () => void
}

const close = (): void => go('agents')

/** One agent, next to the list. */
export function AgentPanel({ id, known, figures, onChanged }: PanelProps) {
  // The list is live: what it reads again is newer than what was read for the panel.
  const loaded = useLoaded((signal) => client.agents.get(id, { signal }), [id])
  const changed = (): void => {
    loaded.reload()
    onChanged()
  }
  return (
    <Dialog title={(known ?? loaded.value)?.name ?? text.worksOn} onClose={close} shape="side">
      {known === null ? (
        <Show loaded={loaded}>
          {(agent) => <AgentDetails agent={agent} figures={figures} onChanged={changed} />}
        </Show>
      ) : (
        <AgentDetails agent={known} figures={figures} onChanged={changed} />
      )}
    </Dialog>
  )
}

function AgentDetails({
  agent,
  figures,
  onChanged,
}: Pick<PanelProps, 'figures' | 'onChanged'> & { readonly agent: Agent }) {
  const [isEditing, setEditing] = useState(false)
  const [isDeleting, setDeleting] = useState(false)
  const pause = async (paused: boolean): Promise<void> => {
    await client.agents.update(agent.id, { paused })
    announce(paused ? text.isPaused(agent.name) : text.isResumed(agent.name))
    onChanged()
  }
  const remove = async (): Promise<void> => {
    await client.agents.delete(agent.id)
    announce(text.isDeleted(agent.name))
    close()
    onChanged()
  }
  return (
    <>
      <div class="chips">
        <AgentStatus agent={agent} />
        <span class="chip">{agent.type}</span>
      </div>
      {can('agents:write') && (
        <div class="actions">
          <button type="button" class="button" onClick={() => setEditing(true)}>
            {common.actions.edit}
          </button>
          <button type="button" class="button" onClick={() => void pause(!agent.paused).catch(complain)}>
            {agent.paused ? text.resume : text.pause}
          </button>
          <button type="button" class="button button-danger" onClick={() => setDeleting(true)}>
            {common.actions.delete}
          </button>
        </div>
      )}
      <Profile agent={agent} figures={figures} />
      <AgentBudget agent={agent} figures={figures} onChanged={onChanged} />
      {isEditing && <AgentForm agent={agent} onClose={() => setEditing(false)} onSaved={onChanged} />}
      {isDeleting && (
        <Confirm
          title={text.deleteTitle}
          message={text.deleteMessage(agent.name)}
          action={common.actions.delete}
          onConfirm={() => void remove().catch(complain)}
          onClose={() => setDeleting(false)}
        />
      )}
    </>
  )
}

function Labels({ labels }: { readonly labels: readonly string[] }) {
  if (labels.length === 0) return <span class="quiet">{text.none}</span>
  return (
    <span class="chips">
      {labels.map((label) => (
        <span key={label} class="chip" title={label}>
          {label}
        </span>
      ))}
    </span>
  )
}

function Profile({ agent, figures }: { readonly agent: Agent; readonly figures: AgentFigures }) {
  return (
    <section class="part">
      <h3>{text.details}</h3>
      <dl class="fact-list">
        <div>
          <dt>{text.worksOn}</dt>
          <dd>
            <WorksOn tasks={figures.doing.get(agent.id) ?? []} most={100} />
          </dd>
        </div>
        <div title={text.workloadHint}>
          <dt>{text.workload}</dt>
          <dd>{text.tasks(agent.current_workload)}</dd>
        </div>
        <div title={text.successHint}>
          <dt>{text.success}</dt>
          <dd>{formatShare(agent.success_rate)}</dd>
        </div>
        <div>
          <dt>{text.cost}</dt>
          <dd>{formatCost(figures.costs.get(agent.id) ?? 0)}</dd>
        </div>
        <div>
          <dt>{text.model}</dt>
          <dd>{agent.model ?? <span class="quiet">{text.none}</span>}</dd>
        </div>
        <div>
          <dt>{text.form.maxConcurrent}</dt>
          <dd>{agent.max_concurrent === null ? '–' : formatCount(agent.max_concurrent)}</dd>
        </div>
        <div>
          <dt>{text.form.capabilities}</dt>
          <dd>
            <Labels labels={agent.capabilities} />
          </dd>
        </div>
        <div>
          <dt>{text.form.tools}</dt>
          <dd>
            <Labels labels={agent.tools} />
          </dd>
        </div>
        <div>
          <dt>{text.created}</dt>
          <dd>
            <Time at={agent.created_at} />
          </dd>
        </div>
      </dl>
      {agent.system_prompt !== null && (
        <details>
          <summary>{text.form.prompt}</summary>
          <pre class="prompt" tabIndex={0}>
            {agent.system_prompt}
          </pre>
        </details>
      )}
    </section>
  )
}

function AgentBudget({
  agent,
  figures,
  onChanged,
}: {
  readonly agent: Agent
  readonly figures: AgentFigures
  readonly onChanged: () => void
}) {
  const [isOpen, setOpen] = useState(false)
  const current = figures.budgets.get(agent.id)
  return (
    <section class="part">
      <h3>{text.budgetForm.title}</h3>
      <BudgetState budget={current} />
      {can('account:write') && !isOpen && (
        <div>
          <button type="button" class="button" onClick={() => setOpen(true)}>
            {text.budgetForm.edit}
          </button>
        </div>
      )}
      {isOpen && (
        <BudgetForm
          budget={current?.budget ?? null}
          save={(budget) => client.agents.setBudget(agent.id, { budget })}
          onSaved={() => {
            setOpen(false)
            onChanged()
          }}
        />
      )}
    </section>
  )
}
