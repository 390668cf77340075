import type { Member } from '@taskboard/client'
import { useState } from 'preact/hooks'
import { account, can, client, isUser } from '../state/api.js'
import { announce, complain } from '../state/notices.js'
import { text as common } from '../texts/index.js'
import { sectionsText } from '../texts/sections.js'
import { settingsText } from '../texts/settings.js'
import { CheckList } from '../ui/checks.js'
import { Confirm, Dialog } from '../ui/dialog.js'
import { FormError, TextInput, useSubmit } from '../ui/form.js'
import { Show, useLoaded } from '../ui/states.js'
import { Time } from '../ui/time.js'
import { FormActions, SectionHead } from './section.js'

const text = sectionsText.members

/** The people who can log in to the account. */
export function Members() {
  const loaded = useLoaded((signal) => client.members.list({ signal }), [])
  const [isAdding, setAdding] = useState(false)
  return (
    <>
      <SectionHead
        title={settingsText.tabs.members}
        about={text.about}
        add={can('account:write') && isUser() && text.add}
        onAdd={() => setAdding(true)}
      />
      <section class="panel" aria-label={settingsText.tabs.members}>
        <Show loaded={loaded}>
          {({ members }) => (
            <ul class="row-list">
              {members.map((member) => (
                <MemberRow key={member.id} member={member} onChanged={loaded.reload} />
              ))}
            </ul>
          )}
        </Show>
      </section>
      {isAdding && <MemberForm onClose={() => setAdding(false)} onAdded={loaded.reload} />}
    </>
  )
}

function MemberRow({ member, onChanged }: { readonly member: Member; readonly onChanged: () => void }) {
  const [isRemoving, setRemoving] = useState(false)
  const remove = async (): Promise<void> => {
    await client.members.delete(member.id)
    announce(text.isRemoved(member.email))
    onChanged()
  }
  return (
    <li>
      <div class="row-main">
        <p class="row-title">
          <bdi>{member.email}</bdi> {member.is_caller && <span class="chip chip-good">{text.you}</span>}
        </p>
        <p class="quiet row-facts">
          <span>
            {text.since} <Time at={member.created_at} />
          </span>
        </p>
        <details>
          <summary>{text.scopes(member.scopes.length)}</summary>
          <p class="chips">
            {member.scopes.map((scope) => (
              <span key={scope} class="chip">
                {sectionsText.scopes[scope]}
              </span>
            ))}
          </p>
        </details>
      </div>
      {!member.is_caller && can('account:write') && isUser() && (
        <button
          type="button"
          class="button button-small button-danger"
          aria-label={`${text.remove}: ${member.email}`}
          onClick={() => setRemoving(true)}
        >
          {text.remove}
        </button>
      )}
      {isRemoving && (
        <Confirm
          title={text.removeTitle}
          message={text.removeMessage(member.email)}
          action={text.remove}
          onConfirm={() => void remove().catch(complain)}
          onClose={() => setRemoving(false)}
        />
      )}
    </li>
  )
}

function MemberForm({ onClose, onAdded }: { readonly onClose: () => void; readonly onAdded: () => void }) {
  const own = account.value?.caller.scopes ?? []
  const [scopes, setScopes] = useState(own)
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const { failure, isBusy, submit, errorOf } = useSubmit()
  const onSubmit = async (event: Event): Promise<void> => {
    event.preventDefault()
    await submit(async () => {
      const member = await client.members.create({
        email: email.trim(),
        password,
        // Left out, they are those of the caller, with what later versions add.
        ...(scopes.length === own.length ? {} : { scopes }),
      })
      announce(text.isAdded(member.email))
      onClose()
      onAdded()
    })
  }
  return (
    <Dialog title={text.add} onClose={onClose}>
      <form onSubmit={(event) => void onSubmit(event)}>
        <TextInput
          label={text.email}
          type="email"
          autocomplete="off"
          required
          autofocus
          value={email}
          onValue={setEmail}
          error={errorOf('email')}
        />
        <TextInput
          label={text.password}
          hint={text.passwordHint}
          type="password"
          autocomplete="new-password"
          required
          value={password}
          onValue={setPassword}
          error={errorOf('password')}
        />
        <CheckList
          label={text.may}
          options={own.map((scope) => [scope, sectionsText.scopes[scope]] as const)}
          value={scopes}
          onValue={setScopes}
          error={errorOf('scopes')}
        />
        <FormError failure={failure} fields={['email', 'password', 'scopes']} />
        <FormActions submit={text.submit} isBusy={isBusy} cancel={common.actions.cancel} onCancel={onClose} />
      </form>
    </Dialog>
  )
}
