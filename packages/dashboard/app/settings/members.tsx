import type { Member } from '@taskboard/client'
import { can, client, isUser } from '../state/api.js'
import { announce } from '../state/notices.js'
import { sectionsText } from '../texts/sections.js'
import { settingsText } from '../texts/settings.js'
import { FormDialog } from '../ui/form-dialog.js'
import { TextInput, useForm } from '../ui/form.js'
import { usePages } from '../ui/pages.js'
import { Time } from '../ui/time.js'
import { ResourceList, ResourceRow } from './resource-list.js'
import { ownScopes, ScopePicker, Scopes } from './scopes.js'

const text = sectionsText.members

/** The people who can log in to the account. */
export function Members() {
  const pages = usePages<Member>(async (_, signal) => {
    const { members } = await client.members.list({ signal })
    return { items: members, next: null }
  }, [])
  const mayChange = can('account:write') && isUser()
  return (
    <ResourceList
      title={settingsText.tabs.members}
      about={text.about}
      create={mayChange && text.add}
      form={(close) => <MemberForm onClose={close} onAdded={pages.reload} />}
      pages={pages}
    >
      {(member) => (
        <MemberRow key={member.id} member={member} mayChange={mayChange} onChanged={pages.reload} />
      )}
    </ResourceList>
  )
}

function MemberRow({
  member: { id, email, is_caller: isCaller, created_at: since, scopes },
  mayChange,
  onChanged,
}: {
  readonly member: Member
  readonly mayChange: boolean
  readonly onChanged: () => void
}) {
  const remove = async (): Promise<void> => {
    await client.members.delete(id)
    announce(text.isRemoved(email))
    onChanged()
  }
  return (
    <ResourceRow
      name={email}
      actions={[
        mayChange &&
          !isCaller && {
            label: text.remove,
            isDangerous: true,
            confirm: { title: text.removeTitle, message: text.removeMessage(email) },
            run: remove,
          },
      ]}
    >
      <div class="row-main">
        <p class="row-title">
          <bdi>{email}</bdi> {isCaller && <span class="chip chip-good">{text.you}</span>}
        </p>
        <p class="quiet row-facts">
          <span>
            {text.since} <Time at={since} />
          </span>
        </p>
        <Scopes of={scopes} />
      </div>
    </ResourceRow>
  )
}

function MemberForm({ onClose, onAdded }: { readonly onClose: () => void; readonly onAdded: () => void }) {
  const own = ownScopes()
  const form = useForm({ email: '', password: '', scopes: own })
  const send = async (): Promise<void> => {
    const { email, password, scopes } = form.draft
    const member = await client.members.create({
      email: email.trim(),
      password,
      // Left out, they are those of the caller, with what later versions add.
      ...(scopes.length === own.length ? {} : { scopes }),
    })
    announce(text.isAdded(member.email))
    onClose()
    onAdded()
  }
  return (
    <FormDialog form={form} title={text.add} action={text.submit} send={send} onClose={onClose}>
      <TextInput
        label={text.email}
        type="email"
        autocomplete="off"
        required
        autofocus
        {...form.field('email')}
      />
      <TextInput
        label={text.password}
        hint={text.passwordHint}
        type="password"
        autocomplete="new-password"
        required
        {...form.field('password')}
      />
      <ScopePicker label={text.may} {...form.field('scopes')} />
    </FormDialog>
  )
}
