import type { Invitation } from '@taskboard/client'
import { can, client } from '../state/api.js'
import { explain } from '../state/failure.js'
import { announce } from '../state/notices.js'
import { sectionsText } from '../texts/sections.js'
import { Check } from '../ui/checks.js'
import { FormDialog } from '../ui/form-dialog.js'
import { Select, TextInput, useForm } from '../ui/form.js'
import { ShowPages, usePages, type Pages } from '../ui/pages.js'
import { Time } from '../ui/time.js'
import { ResourceRow } from './resource-list.js'
import { ownScopes } from './scopes.js'

const text = sectionsText.members
export type Role = NonNullable<Invitation['role']>

const roles: readonly Role[] = ['owner', 'manager', 'member', 'viewer']

/** Roles that the caller may give. Only an owner has every scope. */
export function offeredRoles(): readonly (readonly [Role, string])[] {
  const isOwner = ownScopes().length === Object.keys(sectionsText.scopes).length
  return roles.filter((role) => isOwner || role !== 'owner').map((role) => [role, text.roles[role]] as const)
}

/** An invitation that was just made. */
export interface Invited {
  readonly email: string
  /** This page alone has it; null when the host sends it. */
  readonly link: string | null
}

export function useInvitations(): Pages<Invitation> {
  return usePages<Invitation>(async (_, signal) => {
    const { invitations } = await client.members.invitations({ signal })
    return { items: invitations, next: null }
  }, [])
}

/** The people with an open invitation; empty when there is no one. */
export function Invitations({ pages }: { readonly pages: Pages<Invitation> }) {
  if (pages.items?.length === 0) return null
  return (
    <section class="panel" aria-labelledby="invitations">
      <h3 id="invitations">{text.invitations}</h3>
      <ShowPages pages={pages} empty={false}>
        {(items) => (
          <ul class="row-list">
            {items.map((invitation) => (
              <InvitationRow key={invitation.id} of={invitation} onChanged={pages.reload} />
            ))}
          </ul>
        )}
      </ShowPages>
    </section>
  )
}

function InvitationRow({ of, onChanged }: { readonly of: Invitation; readonly onChanged: () => void }) {
  const withdraw = async (): Promise<void> => {
    await client.members.withdraw(of.id)
    announce(text.isWithdrawn(of.email))
    onChanged()
  }
  return (
    <ResourceRow
      name={of.email}
      actions={[can('account:write') && { label: text.withdraw, isDangerous: true, run: withdraw }]}
    >
      <div class="row-main">
        <p class="row-title">
          <bdi>{of.email}</bdi>{' '}
          <span class="chip">{of.role === null ? text.custom : text.roles[of.role]}</span>
        </p>
        <p class="quiet row-facts">
          <span>
            {text.expires} <Time at={of.expires_at} />
          </span>
        </p>
      </div>
    </ResourceRow>
  )
}

/** Invites someone. Where the host sends no invitations, the person who invites gets the link, and passes it on. */
export function InviteForm({
  onClose,
  onInvited,
}: {
  readonly onClose: () => void
  readonly onInvited: (invited: Invited) => void
}) {
  const form = useForm<{ email: string; role: Role; showLink: boolean }>({
    email: '',
    role: 'member',
    showLink: false,
  })
  const invite = (showLink: boolean) => {
    const { email, role } = form.draft
    return client.members.create({ email: email.trim(), role, show_link: showLink })
  }
  const send = async (): Promise<void> => {
    const made = await invite(form.draft.showLink).catch((error: unknown) => {
      if (explain(error).field !== 'show_link') throw error
      return invite(true)
    })
    if (!('invitation' in made)) throw new Error('The server made no invitation.')
    const { email, link } = made.invitation
    onClose()
    onInvited({ email, link: link === null ? null : new URL(link, location.href).href })
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
      <Select label={text.role} hint={text.roleHint} options={offeredRoles()} {...form.field('role')} />
      <Check
        label={text.showLink}
        checked={form.draft.showLink}
        onValue={(showLink) => form.set({ showLink })}
      />
    </FormDialog>
  )
}
