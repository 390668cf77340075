import { useState } from 'preact/hooks'
import { client, workspaceId } from '../state/api.js'
import { keepDraft, keptDraft } from '../state/drafts.js'
import { newKey } from '../state/new-key.js'
import { announce } from '../state/notices.js'
import { priorities, type Priority } from '../state/wire.js'
import { text } from '../texts/index.js'
import { Dialog } from '../ui/dialog.js'
import { FormError, Select, TextArea, TextInput, useSubmit } from '../ui/form.js'
import { fromLocalInput } from '../ui/time.js'
import { useWorkspaceAgents } from './workspace-agents.js'

const empty = {
  title: '',
  description: '',
  priority: 'medium' as Priority,
  type: '',
  deadline: '',
  notBefore: '',
  tags: '',
  assignedTo: '',
  tokens: '',
  cost: '',
}
type Draft = typeof empty

interface Typed {
  readonly draft: Draft
  readonly idempotencyKey: string
}

const moreFields = ['type', 'notBefore', 'tags', 'assignedTo', 'tokens', 'cost'] as const

/** The body of the request; fields that are empty are left out. */
function toBody(draft: Draft) {
  const tags = draft.tags
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '')
  const hasBudget = draft.tokens !== '' || draft.cost !== ''
  return {
    workspace_id: workspaceId(),
    title: draft.title.trim(),
    priority: draft.priority,
    ...(draft.description === '' ? {} : { description: draft.description }),
    ...(draft.type.trim() === '' ? {} : { type: draft.type.trim() }),
    ...(draft.deadline === '' ? {} : { deadline: fromLocalInput(draft.deadline) }),
    ...(draft.notBefore === '' ? {} : { not_before: fromLocalInput(draft.notBefore) }),
    ...(tags.length === 0 ? {} : { tags }),
    ...(draft.assignedTo === '' ? {} : { assigned_to: draft.assignedTo }),
    ...(hasBudget
      ? {
          budget: {
            tokens: draft.tokens === '' ? null : Number(draft.tokens),
            cost_usd: draft.cost === '' ? null : Number(draft.cost),
          },
        }
      : {}),
  }
}

const shownFields = [
  'title',
  'description',
  'type',
  'deadline',
  'not_before',
  'tags',
  'assigned_to',
  'budget',
]

interface FieldsProps {
  readonly draft: Draft
  readonly set: <Name extends keyof Draft>(name: Name) => (value: Draft[Name]) => void
  readonly errorOf: (field: string) => string | null
}

function MainFields({ draft, set, errorOf }: FieldsProps) {
  return (
    <>
      <TextInput
        label={text.create.name}
        required
        autofocus
        value={draft.title}
        onValue={set('title')}
        error={errorOf('title')}
      />
      <TextArea
        label={text.create.description}
        hint={text.create.descriptionHint}
        value={draft.description}
        onValue={set('description')}
        error={errorOf('description')}
      />
      <div class="columns-2">
        <Select
          label={text.create.priority}
          value={draft.priority}
          options={priorities.map((one) => [one, text.priorities[one]] as const)}
          onValue={set('priority')}
        />
        <TextInput
          label={text.create.deadline}
          type="datetime-local"
          value={draft.deadline}
          onValue={set('deadline')}
          error={errorOf('deadline')}
        />
      </div>
    </>
  )
}

function MoreFields({ draft, set, errorOf }: FieldsProps) {
  const agents = useWorkspaceAgents(true)
  return (
    <div class="columns-2">
      <TextInput
        label={text.create.type}
        hint={text.create.typeHint}
        value={draft.type}
        onValue={set('type')}
        error={errorOf('type')}
      />
      <TextInput
        label={text.create.tags}
        hint={text.create.tagsHint}
        value={draft.tags}
        onValue={set('tags')}
        error={errorOf('tags')}
      />
      <Select
        label={text.create.assignedTo}
        value={draft.assignedTo}
        options={[['', text.create.anyAgent], ...agents.map(({ id, name }) => [id, name] as const)]}
        onValue={set('assignedTo')}
        error={errorOf('assigned_to')}
      />
      <TextInput
        label={text.create.notBefore}
        type="datetime-local"
        value={draft.notBefore}
        onValue={set('notBefore')}
        error={errorOf('not_before')}
      />
      <TextInput
        label={text.create.tokens}
        type="number"
        min={0}
        value={draft.tokens}
        onValue={set('tokens')}
        error={errorOf('budget')}
      />
      <TextInput
        label={text.create.cost}
        type="number"
        min={0}
        step="any"
        value={draft.cost}
        onValue={set('cost')}
      />
    </div>
  )
}

/** The form for a new task. The board hears of the task by itself. `Cancel` alone throws away what was typed. */
export function CreateTask({ onClose }: { readonly onClose: () => void }) {
  const form = `new task ${workspaceId()}`
  // A repeat of the same form, after an answer that was lost, adds no second task.
  const [{ draft, idempotencyKey }, setTyped] = useState(
    () => (keptDraft(form) as Typed | null) ?? { draft: empty, idempotencyKey: newKey() },
  )
  const { failure, isBusy, submit, errorOf } = useSubmit()
  const set: FieldsProps['set'] = (name) => (value) => {
    const typed = { draft: { ...draft, [name]: value }, idempotencyKey: newKey() }
    setTyped(typed)
    keepDraft(form, typed)
  }
  const [isMoreOpen] = useState(() => moreFields.some((name) => draft[name] !== ''))
  const end = (): void => {
    keepDraft(form, null)
    onClose()
  }
  const onSubmit = async (event: Event): Promise<void> => {
    event.preventDefault()
    const body = toBody(draft)
    if (!(await submit(() => client.tasks.create(body, { idempotencyKey })))) return
    announce(text.board.added(body.title))
    end()
  }
  return (
    <Dialog title={text.create.title} onClose={onClose}>
      <form
        onSubmit={(event) => void onSubmit(event)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
          event.preventDefault()
          if (!isBusy) event.currentTarget.requestSubmit()
        }}
      >
        <MainFields draft={draft} set={set} errorOf={errorOf} />
        <details open={isMoreOpen}>
          <summary>{text.create.more}</summary>
          <MoreFields draft={draft} set={set} errorOf={errorOf} />
        </details>
        <FormError failure={failure} fields={shownFields} />
        <div class="dialog-actions">
          <button type="button" class="button" onClick={end}>
            {text.actions.cancel}
          </button>
          <button class="button button-primary" disabled={isBusy}>
            {text.create.add}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
