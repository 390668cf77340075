import { account, client } from '../state/api.js'
import { useRequestKey } from '../state/request-key.js'
import type { Scope } from '../state/wire.js'
import { sectionsText } from '../texts/sections.js'
import { FormDialog } from '../ui/form-dialog.js'
import { Select, TextInput, useForm } from '../ui/form.js'
import { fromLocalInput } from '../ui/time.js'
import { ownScopes, ScopePicker } from './scopes.js'

const text = sectionsText.keys
/** What a worker needs. */
const usual: readonly Scope[] = ['tasks:read', 'tasks:write']

/** Makes a key. It can have at most the scopes of who makes it. */
export function ApiKeyForm({
  onClose,
  onMade,
}: {
  readonly onClose: () => void
  readonly onMade: (made: { readonly name: string; readonly key: string }) => void
}) {
  const form = useForm(() => ({
    name: '',
    scopes: usual.filter((scope) => ownScopes().includes(scope)) as readonly Scope[],
    workspace: '',
    expires: '',
  }))
  const idempotencyKey = useRequestKey([form.draft])
  const send = async (): Promise<void> => {
    const { name, scopes, workspace, expires } = form.draft
    const body = {
      name: name.trim(),
      scopes,
      workspace_id: workspace === '' ? null : workspace,
      expires_at: fromLocalInput(expires),
    }
    const made = await client.apiKeys.create(body, { idempotencyKey })
    onClose()
    onMade(made)
  }
  const workspaces = account.value?.workspaces ?? []
  return (
    <FormDialog form={form} title={text.create} action={text.submit} send={send} onClose={onClose}>
      <TextInput
        label={text.name}
        hint={text.nameHint}
        required
        maxLength={100}
        autofocus
        {...form.field('name')}
      />
      <ScopePicker label={text.scopes} {...form.field('scopes')} />
      <div class="columns-2">
        <Select
          label={text.workspace}
          options={[['', text.everyWorkspace], ...workspaces.map((one) => [one.id, one.name] as const)]}
          {...form.field('workspace', 'workspace_id')}
        />
        <TextInput
          label={text.expires}
          hint={text.expiresHint}
          type="datetime-local"
          {...form.field('expires', 'expires_at')}
        />
      </div>
    </FormDialog>
  )
}
