import type { Member } from '@taskboard/client'
import { useState } from 'preact/hooks'
import { can, client, isUser } from '../state/api.js'
import { announce, inform } from '../state/notices.js'
import { sectionsText } from '../texts/sections.js'
import { settingsText } from '../texts/settings.js'
import { FormDialog } from '../ui/form-dialog.js'
import { Select, useForm } from '../ui/form.js'
import { usePages } from '../ui/pages.js'
import { SecretOnce } from '../ui/secret.js'
import { Time } from '../ui/time.js'
import {
  Invitations,
  InviteForm,
  offeredRoles,
  useInvitations,
  type Invited,
  type Role,
} from './invitations.js'
import { ResourceList, ResourceRow } from './resource-list.js'
import { Scopes } from './scopes.js'

const text = sectionsText.members

/** The people who can log in to the account. */
export function Members() {
  const pages = usePages<Member>(async (_, signal) => {
    const { members } = await client.members.list({ signal })
    return { items: members, next: null }
  }, [])
  const mayChange = can('account:write') && isUser()
  const invitations = useInvitations()
  const [invited, setInvited] = useState<{ readonly email: string; readonly link: string } | null>(null)
  const keep = ({ email, link }: Invited): void => {
    setInvited(link === null ? null : { email, link })
    if (link === null) inform(text.isSent(email))
    invitations.reload()
  }
  return (
    <>
      <ResourceList
        title={settingsText.tabs.members}
        about={text.about}
        create={mayChange && text.add}
        form={(close) => <InviteForm onClose={close} onInvited={keep} />}
        notice={
          invited !== null && (
            <SecretOnce
              key={invited.link}
              title={text.onceTitle(invited.email)}
              note={text.once}
              value={invited.link}
              done={text.done}
              onDone={() => setInvited(null)}
            />
          )
        }
        pages={pages}
      >
        {(member) => (
          <MemberRow key={member.id} member={member} mayChange={mayChange} onChanged={pages.reload} />
        )}
      </ResourceList>
      <Invitations pages={invitations} />
    </>
  )
}

function MemberRow({
  member,
  mayChange,
  onChanged,
}: {
  readonly member: Member
  readonly mayChange: boolean
  readonly onChanged: () => void
}) {
  const { id, email, is_caller: isCaller, created_at: since, scopes, role } = member
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
            label: text.changeRole,
            dialog: (close) => <RoleForm member={member} onClose={close} onChanged={onChanged} />,
          },
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
          <bdi>{email}</bdi> <span class="chip">{role === null ? text.custom : text.roles[role]}</span>{' '}
          {isCaller && <span class="chip chip-good">{text.you}</span>}
        </p>
        <p class="quiet row-facts">
          <span>
            {text.since} <Time at={since} />
          </span>
        </p>
        {role === null && <Scopes of={scopes} />}
      </div>
    </ResourceRow>
  )
}

function RoleForm({
  member,
  onClose,
  onChanged,
}: {
  readonly member: Member
  readonly onClose: () => void
  readonly onChanged: () => void
}) {
  const form = useForm<{ role: Role }>({ role: member.role ?? 'member' })
  const send = async (): Promise<void> => {
    const { role } = form.draft
    await client.members.update(member.id, { role })
    announce(text.isChanged(member.email, text.roles[role]))
    onClose()
    onChanged()
  }
  return (
    <FormDialog form={form} title={text.changeTitle} send={send} onClose={onClose}>
      <Select label={text.role} hint={text.roleHint} options={offeredRoles()} {...form.field('role')} />
    </FormDialog>
  )
}
