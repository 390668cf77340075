import { TaskboardError, type User } from '@taskboard/core'
import { type AccessStore, type CallContext, sessionOver } from '@taskboard/core/storage'
import type { Database, Session } from '../database/database.js'
import type { PgConnection } from '../connection/pool.js'
import { statement } from '../connection/statement.js'
import { toUser, userColumns, type UserRow } from './api-keys.js'
import { lockAccount, mayInvite } from './invitations.js'

const usersOfAccount = statement<UserRow>(
  'list_users',
  /* sql */ `
  select ${userColumns('u')} from taskboard.account_user u
  where u.account_id = (select a.id from taskboard.account a where a.id = $1::text)
  order by u.created_at, u.id`,
)

/** `AccessStore.listUsers`. */
export async function listUsers(
  database: Database,
  { accountId }: Parameters<AccessStore['listUsers']>[0],
  call: CallContext<PgConnection>,
): Promise<readonly User[]> {
  return (await database.read(call, usersOfAccount, [accountId])).map(toUser)
}

/** Account, user, scopes. */
const changeScopes = statement<UserRow>(
  'set_user_scopes',
  /* sql */ `
  update taskboard.account_user u set scopes = $3::text[]
  where u.id = $2::text and u.account_id = $1::text returning ${userColumns('u')}`,
)

const anyOwner = statement<object>(
  'find_owner',
  /* sql */ `
  select u.id from taskboard.account_user u
  where u.account_id = $1::text and (u.scopes is null or 'account:write' = any (u.scopes)) limit 1`,
)

async function requireOwner(session: Session, accountId: string): Promise<void> {
  if ((await session.run(anyOwner, [accountId])).length > 0) return
  throw new TaskboardError('CONFLICT', 'an account keeps at least one owner')
}

/** Account, user, what it may do: null for everything. Those that one with these scopes may not make. */
const dropInvitations = statement<{ readonly id: string }>(
  'drop_invitations_of_user',
  /* sql */ `
  delete from taskboard.invitation i
  where i.account_id = $1::text and i.created_by = $2::text and not ${mayInvite('$3::text[]', 'i.scopes')}
  returning i.id`,
)

/** Present, user, whether all, or else what it may do: null for everything. A separate statement: it sees the keys that others waited for. */
const revokeKeys = statement<{ readonly id: string }>(
  'revoke_keys_of_user',
  /* sql */ `
  update taskboard.api_key k set revoked_at = coalesce($1::bigint, taskboard.now_ms())
  where k.created_by = $2::text and k.revoked_at is null and ($3::boolean or not coalesce(k.scopes <@ $4::text[], true))
  returning k.id`,
)

/** `AccessStore.setUserScopes`. */
export function setUserScopes(
  database: Database,
  { accountId, userId, scopes }: Parameters<AccessStore['setUserScopes']>[0],
  call: CallContext<PgConnection>,
): ReturnType<AccessStore['setUserScopes']> {
  return database.atomically(call, async (session) => {
    await session.run(lockAccount, [accountId])
    const [row] = await session.run(changeScopes, [accountId, userId, scopes])
    if (row === undefined) throw new TaskboardError('NOT_FOUND', 'no such user')
    await requireOwner(session, accountId)
    const dropped = await session.run(dropInvitations, [accountId, userId, scopes])
    const revoked = await session.run(revokeKeys, [call.now, userId, false, scopes])
    return { user: toUser(row), keys: revoked.map(({ id }) => id), invitations: dropped.map(({ id }) => id) }
  })
}

const setHash = statement<object>(
  'set_password',
  /* sql */ `update taskboard.account_user set password_hash = $2::text where id = $1::text returning id`,
)

/** A separate statement, so that it sees the sessions of logins that the previous one waited for. */
const endSessions = statement<{ readonly id: string }>(
  'end_sessions',
  /* sql */ `
  update taskboard.session s set expires_at = ${sessionOver}
  where s.user_id = $1::text and s.expires_at > coalesce($2::bigint, taskboard.now_ms())
  returning s.id`,
)

/** `AccessStore.setPassword`. */
export function setPassword(
  database: Database,
  { userId, passwordHash }: Parameters<AccessStore['setPassword']>[0],
  call: CallContext<PgConnection>,
): Promise<readonly string[]> {
  return database.atomically(call, async (session) => {
    const changed = await session.run(setHash, [userId, passwordHash])
    if (changed.length === 0) throw new TaskboardError('NOT_FOUND', 'no such user')
    return (await session.run(endSessions, [userId, call.now])).map(({ id }) => id)
  })
}

const setVerified = statement<object>(
  'set_email_verified',
  /* sql */ `update taskboard.account_user set email_verified = $2::boolean where id = $1::text returning id`,
)

/** `AccessStore.setEmailVerified`. */
export async function setEmailVerified(
  database: Database,
  { userId, isEmailVerified }: Parameters<AccessStore['setEmailVerified']>[0],
  call: CallContext<PgConnection>,
): Promise<void> {
  const changed = await database.write(call, setVerified, [userId, isEmailVerified])
  if (changed.length === 0) throw new TaskboardError('NOT_FOUND', 'no such user')
}

/** Logins that begin at the moment wait for the lock, and find no user. */
const lockUser = statement<object>(
  'lock_user',
  /* sql */ `select u.id from taskboard.account_user u where u.id = $1::text for update`,
)

const accountOfUser = statement<{ readonly accountId: string }>(
  'find_account_of_user',
  /* sql */ `select u.account_id as "accountId" from taskboard.account_user u where u.id = $1::text`,
)

/** Returns the sessions that hadn't ended. A separate statement, so that it sees those that the lock waited for. */
const deleteSessions = statement<{ readonly id: string; readonly isLive: boolean }>(
  'delete_sessions',
  /* sql */ `
  delete from taskboard.session s where s.user_id = $1::text
  returning s.id, s.expires_at > coalesce($2::bigint, taskboard.now_ms()) as "isLive"`,
)

const dropUser = statement<object>(
  'delete_user',
  /* sql */ `
  with deleted_limit as (delete from taskboard.rolling_limit where key = 'board:' || $1::text),
  deleted_link as (delete from taskboard.link where user_id = $1::text),
  deleted_account as (
    delete from taskboard.bot_link l where l.user_id = $1::text and l.account_id =
      (select u.account_id from taskboard.account_user u where u.id = $1::text)
  ),
  deleted_code as (
    delete from taskboard.bot_link_code c where c.user_id = $1::text and c.account_id =
      (select u.account_id from taskboard.account_user u where u.id = $1::text)
  )
  delete from taskboard.account_user where id = $1::text`,
)

/** `AccessStore.deleteUser`. */
export function deleteUser(
  database: Database,
  { userId, keepKeys, mayBeLast }: Parameters<AccessStore['deleteUser']>[0],
  call: CallContext<PgConnection>,
): ReturnType<AccessStore['deleteUser']> {
  return database.atomically(call, async (session) => {
    const [found] = await session.run(accountOfUser, [userId])
    if (found === undefined) throw new TaskboardError('NOT_FOUND', 'no such user')
    // Before the user, as changes of scopes lock them.
    if (!mayBeLast) await session.run(lockAccount, [found.accountId])
    const locked = await session.run(lockUser, [userId])
    if (locked.length === 0) throw new TaskboardError('NOT_FOUND', 'no such user')
    const dropped = await session.run(dropInvitations, [found.accountId, userId, []])
    const ended = await session.run(deleteSessions, [userId, call.now])
    const revoked = keepKeys ? [] : await session.run(revokeKeys, [call.now, userId, true, null])
    await session.run(dropUser, [userId])
    if (!mayBeLast) await requireOwner(session, found.accountId)
    const sessions = ended.filter(({ isLive }) => isLive).map(({ id }) => id)
    const invitations = dropped.map(({ id }) => id)
    return { accountId: found.accountId, sessions, keys: revoked.map(({ id }) => id), invitations }
  })
}
