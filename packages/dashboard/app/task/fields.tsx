import { useEffect, useState } from 'preact/hooks'
import { can, client } from '../state/api.js'
import { priorities, type Agent, type Priority, type TaskDetail } from '../state/wire.js'
import { formatCost, formatCount } from '../texts/format.js'
import { text } from '../texts/index.js'
import { Select, TextArea, TextInput } from '../ui/form.js'
import { Markdown } from '../ui/markdown.js'
import { fromLocalInput, Time, toLocalInput } from '../ui/time.js'
import type { EditableField } from './editable.js'

const labels = text.task.fields
const Nothing = () => <span class="quiet">{text.task.none}</span>

export const titleField: EditableField<string> = {
  name: 'title',
  pick: ({ title }) => title,
  toBody: (title) => ({ title: title.trim() }),
  show: ({ title }) => title,
  editor: ({ draft, error, onDraft }) => (
    <TextInput label={labels.title} required maxLength={200} value={draft} onValue={onDraft} error={error} />
  ),
}

export const descriptionField: EditableField<string> = {
  name: 'description',
  pick: ({ description }) => description ?? '',
  toBody: (draft) => ({ description: draft.trim() === '' ? null : draft }),
  show: ({ description }) =>
    description === null || description === '' ? (
      <p class="quiet">{text.task.noDescription}</p>
    ) : (
      <Markdown source={description} />
    ),
  editor: ({ draft, error, onDraft }) => (
    <TextArea
      label={labels.description}
      hint={text.task.markdownHint}
      rows={10}
      value={draft}
      onValue={onDraft}
      error={error}
    />
  ),
}

export const priorityField: EditableField<Priority> = {
  name: 'priority',
  pick: ({ priority }) => priority,
  toBody: (priority) => ({ priority }),
  show: ({ priority }) => <span class={`priority priority-${priority}`}>{text.priorities[priority]}</span>,
  editor: ({ draft, error, onDraft }) => (
    <Select
      label={labels.priority}
      value={draft}
      options={priorities.map((one) => [one, text.priorities[one]] as const)}
      onValue={onDraft}
      error={error}
    />
  ),
}

export const typeField: EditableField<string> = {
  name: 'type',
  pick: ({ type }) => type ?? '',
  toBody: (draft) => ({ type: draft.trim() === '' ? null : draft.trim() }),
  show: ({ type }) => (type === null ? <Nothing /> : <span class="chip">{type}</span>),
  editor: ({ draft, error, onDraft }) => (
    <TextInput
      label={labels.type}
      hint={text.create.typeHint}
      maxLength={64}
      value={draft}
      onValue={onDraft}
      error={error}
    />
  ),
}

function timeField(name: 'deadline' | 'not_before'): EditableField<string> {
  return {
    name,
    pick: (task) => toLocalInput(task[name]),
    toBody: (draft) => ({ [name]: fromLocalInput(draft) }),
    show: (task) => (task[name] === null ? <Nothing /> : <Time at={task[name]} />),
    editor: ({ draft, error, onDraft }) => (
      <TextInput label={labels[name]} type="datetime-local" value={draft} onValue={onDraft} error={error} />
    ),
  }
}

export const deadlineField = timeField('deadline')
export const notBeforeField = timeField('not_before')

const linesOf = (draft: string): readonly string[] =>
  draft
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

export const tagsField: EditableField<string> = {
  name: 'tags',
  pick: ({ tags }) => tags.join('\n'),
  toBody: (draft) => ({ tags: linesOf(draft) }),
  show: ({ tags }) =>
    tags.length === 0 ? (
      <Nothing />
    ) : (
      <span class="chips">
        {tags.map((tag) => (
          <span key={tag} class="chip chip-tag" title={tag}>
            {tag}
          </span>
        ))}
      </span>
    ),
  editor: ({ draft, error, onDraft }) => (
    <TextArea
      label={labels.tags}
      hint={text.task.tagsHint}
      rows={3}
      value={draft}
      onValue={onDraft}
      error={error}
    />
  ),
}

interface AgentSelectProps {
  readonly task: string
  readonly value: string
  readonly error: string | null
  readonly onValue: (value: string) => void
}

function AgentSelect({ task: workspaceId, value, error, onValue }: AgentSelectProps) {
  const [agents, setAgents] = useState<readonly Agent[]>([])
  useEffect(() => {
    client.agents.list({ workspace_id: workspaceId, limit: 200 }).then(
      (page) => setAgents(page.agents),
      () => undefined,
    )
  }, [workspaceId])
  // One that is not among them stays chosen.
  const isKnown = value === '' || agents.some(({ id }) => id === value)
  return (
    <Select
      label={labels.assigned_to}
      value={value}
      options={[
        ['', text.task.anyAgent],
        ...(isKnown ? [] : ([[value, value]] as const)),
        ...agents.map(({ id, name }) => [id, name] as const),
      ]}
      onValue={onValue}
      error={error}
    />
  )
}

/** The name of the assigned agent, as far as the task has it. */
function assignee({ assigned_to: id, agent }: TaskDetail): string | null {
  if (id === null) return null
  return agent?.id === id ? agent.name : id
}

export const assignedField: EditableField<{ readonly id: string; readonly workspaceId: string }> = {
  name: 'assigned_to',
  pick: ({ assigned_to: id, workspace_id: workspaceId }) => ({ id: id ?? '', workspaceId }),
  toBody: ({ id }) => ({ assigned_to: id === '' ? null : id }),
  show: (task) => assignee(task) ?? <span class="quiet">{text.task.anyAgent}</span>,
  editor: ({ draft, error, onDraft }) =>
    can('agents:read') ? (
      <AgentSelect
        task={draft.workspaceId}
        value={draft.id}
        onValue={(id) => onDraft({ ...draft, id })}
        error={error}
      />
    ) : (
      <TextInput
        label={labels.assigned_to}
        value={draft.id}
        onValue={(id) => onDraft({ ...draft, id })}
        error={error}
      />
    ),
}

/** A budget as it is typed. */
export interface BudgetDraft {
  readonly tokens: string
  readonly cost: string
}

export function toBudgetDraft(budget: TaskDetail['budget']): BudgetDraft {
  return { tokens: budget?.tokens?.toString() ?? '', cost: budget?.cost_usd?.toString() ?? '' }
}

/** The budget of the wire; null when nothing was typed. */
export function fromBudgetDraft({ tokens, cost }: BudgetDraft) {
  if (tokens === '' && cost === '') return null
  return { tokens: tokens === '' ? null : Number(tokens), cost_usd: cost === '' ? null : Number(cost) }
}

interface BudgetInputsProps {
  readonly draft: BudgetDraft
  readonly error: string | null
  readonly onDraft: (draft: BudgetDraft) => void
  readonly labels?: { readonly tokens: string; readonly cost: string }
}

/** The two inputs of a budget. */
export function BudgetInputs({
  draft,
  error,
  onDraft,
  labels: { tokens, cost } = { tokens: text.task.tokens, cost: text.task.costUsd },
}: BudgetInputsProps) {
  return (
    <div class="budget-inputs">
      <TextInput
        label={tokens}
        type="number"
        min={1}
        value={draft.tokens}
        onValue={(value) => onDraft({ ...draft, tokens: value })}
        error={error}
      />
      <TextInput
        label={cost}
        type="number"
        min={0}
        step="any"
        value={draft.cost}
        onValue={(value) => onDraft({ ...draft, cost: value })}
      />
    </div>
  )
}

/** A budget in words: `5,000 tokens, $2.00`. */
export function budgetText(budget: NonNullable<TaskDetail['budget']>): string {
  const parts = [
    budget.tokens === null ? null : `${formatCount(budget.tokens)} ${text.task.tokens.toLowerCase()}`,
    budget.cost_usd === null ? null : formatCost(budget.cost_usd),
  ]
  return parts.filter((part) => part !== null).join(', ')
}

export const budgetField: EditableField<BudgetDraft> = {
  name: 'budget',
  pick: ({ budget }) => toBudgetDraft(budget),
  toBody: (draft) => ({ budget: fromBudgetDraft(draft) }),
  show: ({ budget }) => (budget === null ? <Nothing /> : budgetText(budget)),
  editor: ({ draft, error, onDraft }) => (
    <fieldset class="plain">
      <legend>{labels.budget}</legend>
      <BudgetInputs draft={draft} error={error} onDraft={onDraft} />
    </fieldset>
  ),
}
