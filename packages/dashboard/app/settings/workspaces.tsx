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
import { FormDialog } from '../ui/form-dialog.js'
import { TextInput, useForm } from '../ui/form.js'
import { wholeList } from '../ui/pages.js'
import { Show, useLoaded } from '../ui/states.js'
import { Time } from '../ui/time.js'
import { ResourceList, ResourceRow } from './resource-list.js'

const text = sectionsText.workspaces

/** More budgets than these are read one by one, when someone asks for one. */
const MOST_BUDGETS = 25

/** The monthly budget of a workspace, which is the first of its list. */
function useBudget(workspaceId: string, isWanted = true) {
  return useLoaded(
    async (signal): Promise<{ readonly budget: MonthlyBudget | undefined }> => {
      if (!isWanted || !can('agents:read')) return { budget: undefined }
      const query = { workspace_id: workspaceId, limit: 1 }
      return { budget: (await client.budgets.list(query, { signal })).budgets[0] }
    },
    [workspaceId, isWanted],
  )
}

/** The workspaces of the account. */
export function Workspaces() {
  const workspaces = account.value?.workspaces ?? []
  return (
    <ResourceList
      title={settingsText.tabs.workspaces}
      about={text.about}
      create={can('account:write') && text.create}
      form={(close) => <NameForm of={null} onClose={close} />}
      pages={wholeList(workspaces)}
    >
      {(one) => (
        <WorkspaceRow
          key={one.id}
          of={one}
          isOnly={workspaces.length === 1}
          isOneOfFew={workspaces.length <= MOST_BUDGETS}
        />
      )}
    </ResourceList>
  )
}

function WorkspaceRow({
  of,
  isOnly,
  isOneOfFew,
}: {
  readonly of: Workspace
  /** The last workspace can't be deleted. */
  readonly isOnly: boolean
  readonly isOneOfFew: boolean
}) {
  const loaded = useBudget(of.id, isOneOfFew)
  const budget = loaded.value?.budget
  const isShown = workspace.value?.id === of.id
  const mayChange = can('account:write')
  const show = (): void => {
    chooseWorkspace(of.id)
    go('board')
  }
  return (
    <ResourceRow
      name={of.name}
      actions={[
        !isShown && { label: text.show, run: show },
        mayChange && {
          label: text.rename,
          dialog: (close) => <NameForm of={of} onClose={close} />,
        },
        mayChange && {
          label: text.budget,
          dialog: (close) => <BudgetDialog of={of} onClose={close} onSaved={loaded.reload} />,
        },
        mayChange &&
          !isOnly && {
            label: common.actions.delete,
            isDangerous: true,
            dialog: (close) => <DeleteForm of={of} onClose={close} />,
          },
      ]}
    >
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
    </ResourceRow>
  )
}

function BudgetDialog({
  of,
  onClose,
  onSaved,
}: {
  readonly of: Workspace
  readonly onClose: () => void
  readonly onSaved: () => void
}) {
  const loaded = useBudget(of.id)
  return (
    <Dialog title={`${text.budget}: ${of.name}`} onClose={onClose}>
      <Show loaded={loaded}>
        {({ budget }) => (
          <BudgetForm
            budget={budget?.budget ?? null}
            save={(limits) => client.workspaces.setBudget(of.id, { budget: limits })}
            onSaved={() => {
              onClose()
              onSaved()
            }}
          />
        )}
      </Show>
    </Dialog>
  )
}

function NameForm({ of, onClose }: { readonly of: Workspace | null; readonly onClose: () => void }) {
  const form = useForm({ name: of?.name ?? '' })
  const send = async (): Promise<void> => {
    const body = { name: form.draft.name.trim() }
    const saved =
      of === null ? await client.workspaces.create(body) : await client.workspaces.update(of.id, body)
    await readAccount()
    announce(of === null ? text.isCreated(saved.name) : common.actions.saved)
    onClose()
  }
  const [title, action] = of === null ? [text.create, text.submit] : [text.renameTitle]
  return (
    <FormDialog form={form} title={title} action={action} send={send} onClose={onClose}>
      <TextInput label={text.name} required autofocus maxLength={100} {...form.field('name')} />
    </FormDialog>
  )
}

function DeleteForm({ of, onClose }: { readonly of: Workspace; readonly onClose: () => void }) {
  const form = useForm({ typed: '' })
  const send = async (): Promise<void> => {
    await client.workspaces.delete(of.id)
    onClose()
    announce(text.isDeleted(of.name))
    await readAccount()
  }
  return (
    <FormDialog
      form={form}
      title={text.deleteTitle}
      action={common.actions.delete}
      isDangerous
      isDisabled={form.draft.typed.trim() !== of.name.trim()}
      send={send}
      onClose={onClose}
    >
      <p>{text.deleteMessage}</p>
      <TextInput label={text.typeName(of.name)} autofocus autocomplete="off" {...form.field('typed')} />
    </FormDialog>
  )
}
