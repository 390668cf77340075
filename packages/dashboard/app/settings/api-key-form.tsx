import { useState } from 'preact/hooks'
import type { Scope } from '../state/wire.js'
import { account, client } from '../state/api.js'
import { useRequestKey } from '../state/request-key.js'
import { text as common } from '../texts/index.js'
import { sectionsText } from '../texts/sections.js'
import { CheckList } from '../ui/checks.js'
import { Dialog } from '../ui/dialog.js'
import { FormError, Select, TextInput, useSubmit } from '../ui/form.js'
import { fromLocalInput } from '../ui/time.js'
import { FormActions } from './section.js'

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
  const own = account.value?.caller.scopes ?? []
  const workspaces = account.value?.workspaces ?? []
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState<readonly Scope[]>(usual.filter((scope) => own.includes(scope)))
  const [workspace, setWorkspace] = useState('')
  const [expires, setExpires] = useState('')
  const idempotencyKey = useRequestKey([name, scopes, workspace, expires])
  const { failure, isBusy, submit, errorOf } = useSubmit()
  const onSubmit = async (event: Event): Promise<void> => {
    event.preventDefault()
    await submit(async () => {
      const made = await client.apiKeys.create(
        {
          name: name.trim(),
          scopes,
          workspace_id: workspace === '' ? null : workspace,
          expires_at: fromLocalInput(expires),
        },
        { idempotencyKey },
      )
      onClose()
      onMade(made)
    })
  }
  return (
    <Dialog title={text.create} onClose={onClose}>
      <form onSubmit={(event) => void onSubmit(event)}>
        <TextInput
          label={text.name}
          hint={text.nameHint}
          required
          maxLength={100}
          autofocus
          value={name}
          onValue={setName}
          error={errorOf('name')}
        />
        <CheckList
          label={text.scopes}
          options={own.map((scope) => [scope, sectionsText.scopes[scope]] as const)}
          value={scopes}
          onValue={setScopes}
          error={errorOf('scopes')}
        />
        <div class="columns-2">
          <Select
            label={text.workspace}
            value={workspace}
            options={[['', text.everyWorkspace], ...workspaces.map((one) => [one.id, one.name] as const)]}
            onValue={setWorkspace}
            error={errorOf('workspace_id')}
          />
          <TextInput
            label={text.expires}
            hint={text.expiresHint}
            type="datetime-local"
            value={expires}
            onValue={setExpires}
            error={errorOf('expires_at')}
          />
        </div>
        <FormError failure={failure} fields={['name', 'scopes', 'workspace_id', 'expires_at']} />
        <FormActions submit={text.submit} isBusy={isBusy} cancel={common.actions.cancel} onCancel={onClose} />
      </form>
    </Dialog>
  )
}
