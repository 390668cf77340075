import { useState } from 'preact/hooks'
import { BudgetForm } from '../agents/budget-form.js'
import { BudgetState } from '../agents/agent-row.js'
import { account, can, chooseWorkspace, client, readAccount, workspace } from '../state/api.js'
import { go } from '../state/router.js'
import type { MonthlyBudget, Workspace } from '../state/wire.js'
import { text as common } from '../texts/index.js'
import { sectionsText } from '../texts/sections.js'
import { settingsText } from '../texts/settings.js'
import { announce } from '../state/notices.js'
import { Dialog } from '../ui/dialog.js'
import { FormError, TextInput, useSubmit } from '../ui/form.js'
import { useLoaded } from '../ui/states.js'
import { Time } from '../ui/time.js'
import { FormActions, SectionHead } from './section.js'

const text = sectionsText.workspaces
type Open = 'rename' | 'delete' | 'budget'

/** More budgets than these are read one by one, when somebody asks for one. */
const MOST_BUDGETS = 25

/** The monthly budget of a workspace, which is the first of its list; undefined until it is known. */
function useBudget(workspaceId: string, isWanted: boolean) {
  const loaded = useLoaded(
    async (signal) => {
      if (!isWanted || !can('agents:read')) return []
      return (await client.budgets.list({ workspace_id: workspaceId, limit: 1 }, { signal })).budgets
    },
    [workspaceId, isWanted],
  )
  const budget: MonthlyBudget | undefined = loaded.value?.[0]
  return { budget, reload: loaded.reload }
}

/** The workspaces of the account. */
export function Workspaces() {
  const [isCreating, setCreating] = useState(false)
  const workspaces = account.value?.workspaces ?? []
  return (
    <>
      <SectionHead
        title={settingsText.tabs.workspaces}
        about={text.about}
        add={can('account:write') && text.create}
        onAdd={() => setCreating(true)}
      />
      <section class="panel" aria-label={settingsText.tabs.workspaces}>
        <ul class="row-list">
          {workspaces.map((one) => (
            <WorkspaceRow
              key={one.id}
              of={one}
              isOnly={workspaces.length === 1}
              isOneOfFew={workspaces.length <= MOST_BUDGETS}
            />
          ))}
        </ul>
      </section>
      {isCreating && <NameForm of={null} onClose={() => setCreating(false)} />}
    </>
  )
}

interface RowProps {
  readonly of: Workspace
  /** The last workspace cannot be deleted. */
  readonly isOnly: boolean
  readonly isOneOfFew: boolean
}

function WorkspaceRow({ of, isOnly, isOneOfFew }: RowProps) {
  const [open, setOpen] = useState<Open | null>(null)
  const { budget, reload } = useBudget(of.id, isOneOfFew || open === 'budget')
  const close = (): void => setOpen(null)
  const isShown = workspace.value?.id === of.id
  const show = (): void => {
    chooseWorkspace(of.id)
    go('board')
  }
  return (
    <li>
      <div class="row-main">
        <p class="row-title">
          <bdi>{of.name}</bdi> {of.is_default && <span class="chip">{text.isDefault}</span>}{' '}
          {isShown && <span class="chip chip-good">{text.isShown}</span>}
        </p>
        <p class="quiet row-facts">
          <span>
            {sectionsText.created} <Time at={of.created_at} />
          </span>
        </p>
        {budget?.budget != null && <BudgetState budget={budget} />}
      </div>
      <div class="actions">
        {!isShown && (
          <button
            type="button"
            class="button button-small"
            aria-label={`${text.show}: ${of.name}`}
            onClick={show}
          >
            {text.show}
          </button>
        )}
        {can('account:write') && <RowButtons of={of} isOnly={isOnly} onOpen={setOpen} />}
      </div>
      {open === 'rename' && <NameForm of={of} onClose={close} />}
      {open === 'delete' && <DeleteForm of={of} onClose={close} />}
      {open === 'budget' && (
        <Dialog title={`${text.budget}: ${of.name}`} onClose={close}>
          <BudgetForm
            // Anew when the budget is known.
            key={budget?.workspace_id}
            budget={budget?.budget ?? null}
            save={(limits) => client.workspaces.setBudget(of.id, { budget: limits })}
            onSaved={() => {
              close()
              reload()
            }}
          />
        </Dialog>
      )}
    </li>
  )
}

function RowButtons({
  of,
  isOnly,
  onOpen,
}: Pick<RowProps, 'of' | 'isOnly'> & { readonly onOpen: (open: Open) => void }) {
  const buttons = [
    ['rename', text.rename],
    ['budget', text.budget],
    ...(isOnly ? [] : [['delete', common.actions.delete] as const]),
  ] as const
  return (
    <>
      {buttons.map(([open, label]) => (
        <button
          key={open}
          type="button"
          class={`button button-small ${open === 'delete' ? 'button-danger' : ''}`}
          aria-label={`${label}: ${of.name}`}
          onClick={() => onOpen(open)}
        >
          {label}
        </button>
      ))}
    </>
  )
}

function NameForm({ of, onClose }: { readonly of: Workspace | null; readonly onClose: () => void }) {
  const [name, setName] = useState(of?.name ?? '')
  const { failure, isBusy, submit, errorOf } = useSubmit()
  const onSubmit = async (event: Event): Promise<void> => {
    event.preventDefault()
    await submit(async () => {
      const body = { name: name.trim() }
      const saved =
        of === null ? await client.workspaces.create(body) : await client.workspaces.update(of.id, body)
      await readAccount()
      announce(of === null ? text.isCreated(saved.name) : common.actions.saved)
      onClose()
    })
  }
  return (
    <Dialog title={of === null ? text.create : text.renameTitle} onClose={onClose}>
      <form onSubmit={(event) => void onSubmit(event)}>
        <TextInput
          label={text.name}
          required
          autofocus
          maxLength={100}
          value={name}
          onValue={setName}
          error={errorOf('name')}
        />
        <FormError failure={failure} fields={['name']} />
        <FormActions
          submit={of === null ? text.submit : common.actions.save}
          isBusy={isBusy}
          cancel={common.actions.cancel}
          onCancel={onClose}
        />
      </form>
    </Dialog>
  )
}

function DeleteForm({ of, onClose }: { readonly of: Workspace; readonly onClose: () => void }) {
  const [typed, setTyped] = useState('')
  const { failure, isBusy, submit } = useSubmit()
  const onSubmit = async (event: Event): Promise<void> => {
    event.preventDefault()
    await submit(async () => {
      await client.workspaces.delete(of.id)
      onClose()
      announce(text.isDeleted(of.name))
      await readAccount()
    })
  }
  return (
    <Dialog title={text.deleteTitle} onClose={onClose}>
      <form onSubmit={(event) => void onSubmit(event)}>
        <p>{text.deleteMessage}</p>
        <TextInput
          label={text.typeName(of.name)}
          autofocus
          autocomplete="off"
          value={typed}
          onValue={setTyped}
        />
        <FormError failure={failure} />
        <div class="dialog-actions">
          <button type="button" class="button" onClick={onClose}>
            {common.actions.cancel}
          </button>
          <button class="button button-danger" disabled={isBusy || typed.trim() !== of.name.trim()}>
            {common.actions.delete}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
