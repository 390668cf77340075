import { scopes as everyScope, TaskboardError, type Instant, type User } from '@taskboard/core'
import {
  mayInvite,
  readOnlyRefusal,
  type AccessStore,
  type Invitation,
  type NewStoredUser,
} from '@taskboard/core/storage'
import type { Database } from '../tables/database.js'
import { byAge } from '../tables/subscriptions.js'
import type { Pruned } from '../tables/prune.js'
import type { StoredInvitation } from '../tables/tables.js'
import type { MemoryTransaction } from '../tables/transactions.js'
import { pruneTable } from './session-store.js'

type Verb = 'insertInvitation' | 'listInvitations' | 'deleteInvitation' | 'acceptInvitation'

/** The part of the access store that invites people. */
export function createInvitationVerbs(
  { settings, tables, transactions: { read, write } }: Database,
  addUser: (user: NewStoredUser & { readonly accountId: string }, now: Instant) => User,
): Pick<AccessStore<MemoryTransaction>, Verb> & Pruned<'pruneInvitations'> {
  const openOf = (now: Instant, isMeant: (invitation: StoredInvitation) => boolean): StoredInvitation[] =>
    [...tables.invitations.values()].filter((each) => each.expiresAt > now && isMeant(each))

  function toInvitation({
    tokenHash: _tokenHash,
    isMailed: _isMailed,
    ...invitation
  }: StoredInvitation): Invitation[] {
    const account = tables.accounts.get(invitation.accountId)
    return account === undefined ? [] : [{ ...invitation, accountName: account.name }]
  }

  return {
    insertInvitation: ({ most, ttlMs, scopes, isMailed = false, ...given }, call) =>
      write(call, (now) => {
        const { accountId, email } = given
        const account = tables.accounts.get(accountId)
        if (account === undefined) throw new TaskboardError('NOT_FOUND', 'no such account')
        if (account.readOnly) throw readOnlyRefusal()
        const earlier = [...tables.invitations.values()].find(
          (each) => each.accountId === accountId && each.email === email,
        )
        if (earlier !== undefined) tables.invitations.delete(earlier.id)
        if (openOf(now, (each) => each.accountId === accountId).length >= most) {
          throw new TaskboardError('QUOTA_EXCEEDED', `an account can have at most ${most} open invitations`)
        }
        const id = settings.current.newId('inv')
        const held = Object.freeze([...(scopes ?? everyScope)])
        const stored = { ...given, isMailed, id, scopes: held, createdAt: now, expiresAt: now + ttlMs }
        tables.invitations.set(id, stored)
        const [invitation] = toInvitation(stored)
        if (invitation === undefined) throw new Error('an account is gone')
        return {
          invitation,
          replacedId: earlier !== undefined && earlier.expiresAt > now ? earlier.id : null,
        }
      }),
    listInvitations: (which, call) =>
      read(call, (now) =>
        openOf(now, (each) =>
          'accountId' in which ? each.accountId === which.accountId : each.tokenHash === which.tokenHash,
        )
          .sort((a, b) => byAge(b, a))
          .flatMap(toInvitation),
      ),
    deleteInvitation: ({ accountId, invitationId }, call) =>
      write(call, (now) => {
        const [found] = openOf(now, (each) => each.id === invitationId && each.accountId === accountId)
        if (found !== undefined) tables.invitations.delete(found.id)
        return found !== undefined
      }),
    acceptInvitation: ({ tokenHash, passwordHash }, call) =>
      write(call, (now) => {
        const [found] = openOf(now, (each) => each.tokenHash === tokenHash)
        if (found === undefined) throw new TaskboardError('NOT_FOUND', 'no such invitation')
        const { accountId, email, scopes, createdBy, isMailed: isEmailVerified } = found
        if (!mayInvite(tables.users.get(createdBy)?.user.scopes ?? [], scopes))
          throw new TaskboardError('NOT_FOUND', 'no such invitation')
        tables.invitations.delete(found.id)
        const user = addUser({ accountId, email, passwordHash, scopes, isEmailVerified }, now)
        return { user, invitationId: found.id }
      }),
    pruneInvitations: ({ limit }, call) =>
      write(call, (now) => pruneTable(tables.invitations, limit, ({ expiresAt }) => expiresAt, now)),
  }
}
