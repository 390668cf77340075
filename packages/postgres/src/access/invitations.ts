import { scopes as everyScope, TaskboardError, type User } from '@taskboard/core'
import type { AccessStore, CallContext, Invitation } from '@taskboard/core/storage'
import type { PgConnection } from '../connection/pool.js'
import { statement } from '../connection/statement.js'
import type { Database, Session } from '../database/database.js'

interface InvitationRow extends Omit<Invitation, 'scopes'> {
  /** Null for all scopes. */
  readonly scopes: Invitation['scopes'] | null
}

/** The columns of an `InvitationRow`: `i` is the invitation, `a` its account. */
const COLUMNS = `i.id, i.account_id as "accountId", a.name as "accountName", i.email, i.scopes, i.created_by as "createdBy",
    i.created_at::float8 as "createdAt", i.expires_at::float8 as "expiresAt"`

const toInvitation = ({ scopes, ...row }: InvitationRow): Invitation => ({
  ...row,
  scopes: scopes ?? everyScope,
})

/** `mayInvite` of core, for columns in which null is everything. */
export const mayInvite = (held: string, wanted: string): string =>
  `coalesce(${held} @> array_append(coalesce(${wanted}, '{${everyScope.join()}}'), 'account:write'), true)`

/** Invitations of an account are made one after another, and so are changes of who may change it. */
export const lockAccount = statement<{ readonly id: string }>(
  'lock_account',
  /* sql */ `
  select e.id from taskboard.every_account e where e.id = $1::text and not e.deleting for no key update`,
)

/** Present, account, address: those that are over, and an earlier one of the address. */
const dropEarlier = statement<{ readonly id: string; readonly isOpen: boolean }>(
  'drop_earlier_invitations',
  /* sql */ `
  delete from taskboard.invitation i where i.account_id = $2::text
    and (i.email = $3::text or i.expires_at <= coalesce($1::bigint, taskboard.now_ms()))
  returning i.id, i.expires_at > coalesce($1::bigint, taskboard.now_ms()) as "isOpen"`,
)

/** No row when as many as allowed are open. */
const add = statement<InvitationRow>(
  'insert_invitation',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now),
  added_invitation as (
    insert into taskboard.invitation
      (id, account_id, email, scopes, token_hash, created_by, created_at, expires_at, mailed)
    select $2::text, $3::text, $4::text, $5::text[], $6::text, $7::text, p.now, p.now + $8::bigint, $10::boolean from p
    where (select count(*) from taskboard.invitation i where i.account_id = $3::text) < $9::integer
    returning *
  )
  select ${COLUMNS} from added_invitation i join taskboard.account a on a.id = i.account_id`,
)

/** `AccessStore.insertInvitation`. */
export function insertInvitation(
  database: Database,
  invitation: Parameters<AccessStore['insertInvitation']>[0],
  call: CallContext<PgConnection>,
): ReturnType<AccessStore['insertInvitation']> {
  const { accountId, email, scopes, tokenHash, createdBy, ttlMs, most, isMailed = false } = invitation
  const id = database.settings.current.newId('inv')
  return database.atomically(call, async (session) => {
    const accounts = await session.run(lockAccount, [accountId])
    if (accounts.length === 0) throw new TaskboardError('NOT_FOUND', 'no such account')
    const dropped = await session.run(dropEarlier, [call.now, accountId, email])
    const values = [call.now, id, accountId, email, scopes, tokenHash, createdBy, ttlMs, most, isMailed]
    const [row] = await session.run(add, values)
    const replacedId = dropped.find(({ isOpen }) => isOpen)?.id ?? null
    if (row !== undefined) return { invitation: toInvitation(row), replacedId }
    throw new TaskboardError('QUOTA_EXCEEDED', `an account can have at most ${most} open invitations`)
  })
}

const open = statement<InvitationRow>(
  'list_invitations',
  /* sql */ `
  select ${COLUMNS} from taskboard.invitation i join taskboard.account a on a.id = i.account_id
  where i.account_id = $2::text and i.expires_at > coalesce($1::bigint, taskboard.now_ms())
  order by i.created_at desc, i.id desc`,
)

const openByToken = statement<InvitationRow>(
  'get_invitation',
  /* sql */ `
  select ${COLUMNS} from taskboard.invitation i join taskboard.account a on a.id = i.account_id
  where i.token_hash = $2::text and i.expires_at > coalesce($1::bigint, taskboard.now_ms())`,
)

/** `AccessStore.listInvitations`. */
export async function listInvitations(
  database: Database,
  which: Parameters<AccessStore['listInvitations']>[0],
  call: CallContext<PgConnection>,
): Promise<readonly Invitation[]> {
  const rows =
    'accountId' in which
      ? await database.read(call, open, [call.now, which.accountId])
      : await database.read(call, openByToken, [call.now, which.tokenHash])
  return rows.map(toInvitation)
}

const withdraw = statement<{ readonly id: string }>(
  'delete_invitation',
  /* sql */ `
  delete from taskboard.invitation i
  where i.id = $2::text and i.account_id = $3::text and i.expires_at > coalesce($1::bigint, taskboard.now_ms())
  returning i.id`,
)

/** `AccessStore.deleteInvitation`. */
export async function deleteInvitation(
  database: Database,
  { accountId, invitationId }: Parameters<AccessStore['deleteInvitation']>[0],
  call: CallContext<PgConnection>,
): Promise<boolean> {
  return (await database.read(call, withdraw, [call.now, invitationId, accountId])).length > 0
}

interface Used {
  readonly id: string
  readonly accountId: string
  readonly email: string
  readonly scopes: Invitation['scopes'] | null
  readonly isEmailVerified: boolean
}

const use = statement<Used>(
  'use_invitation',
  /* sql */ `
  delete from taskboard.invitation i
  where i.token_hash = $2::text and i.expires_at > coalesce($1::bigint, taskboard.now_ms())
    and exists (select from taskboard.account_user m where m.id = i.created_by and ${mayInvite('m.scopes', 'i.scopes')})
  returning i.id, i.account_id as "accountId", i.email, i.scopes, i.mailed as "isEmailVerified"`,
)

/** `AccessStore.acceptInvitation`. `addUser` adds the user within the session. */
export function acceptInvitation(
  database: Database,
  { tokenHash, passwordHash }: Parameters<AccessStore['acceptInvitation']>[0],
  call: CallContext<PgConnection>,
  addUser: (session: Session, user: Parameters<AccessStore['insertUser']>[0]) => Promise<User>,
): ReturnType<AccessStore['acceptInvitation']> {
  return database.atomically(call, async (session) => {
    const [used] = await session.run(use, [call.now, tokenHash])
    if (used === undefined) throw new TaskboardError('NOT_FOUND', 'no such invitation')
    const { id: invitationId, ...wanted } = used
    return { user: await addUser(session, { ...wanted, passwordHash }), invitationId }
  })
}
