import { type Account, TaskboardError, type User, type Workspace } from '@taskboard/core'
import {
  type AccessStore,
  type AccountUpdate,
  type CallContext,
  type WorkspaceUpdate,
  type KeyCheck,
} from '@taskboard/core/storage'
import type { Database, Session } from '../database/database.js'
import type { PgConnection } from '../connection/pool.js'
import { statement } from '../connection/statement.js'
import { beginDeletion, continueDeletion } from './deletions.js'
import { acceptInvitation, deleteInvitation, insertInvitation, listInvitations } from './invitations.js'
import { createSealed } from './sealed.js'
import { deleteUser, listUsers, setEmailVerified, setPassword, setUserScopes } from './users.js'
import {
  accountColumns,
  createFindPrincipal,
  insertApiKey,
  noteKeyUse,
  listApiKeys,
  revokeApiKey,
  rotateApiKey,
  toUser,
  userColumns,
  type UserRow,
  workspaceColumns,
} from './api-keys.js'

type Added = { readonly [Member in keyof UserRow]: UserRow[Member] | null }

interface AddedRow extends Added {
  readonly hasAccount: boolean
}

/** The row gives the rejection: no such account, or an email that is in use (then no user is returned). */
const addUser = statement<AddedRow>(
  'insert_user',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now),
  first_workspace as materialized (
    select w.id from taskboard.workspace w where w.account_id = $3::text order by w.created_at, w.id limit 1
  ),
  added_user as (
    insert into taskboard.account_user
      (id, account_id, default_workspace_id, email, password_hash, scopes, email_verified, created_at)
    select $2::text, $3::text, f.id, $4::text, $5::text, $6::text[], $7::boolean, p.now from p, first_workspace f
    on conflict (email) do nothing
    returning *
  )
  select exists (select from first_workspace) as "hasAccount", ${userColumns('u')} from p left join added_user u on true`,
)

/** Adds a user within a session and sees its earlier writes. @throws as `AccessStore.insertUser`. */
async function addUserIn(
  session: Session,
  id: string,
  user: Parameters<AccessStore['insertUser']>[0],
  now: number | null,
): Promise<User> {
  const { accountId, email, passwordHash, scopes, isEmailVerified = false } = user
  const values = [now, id, accountId, email, passwordHash, scopes, isEmailVerified]
  const [row] = await session.run(addUser, values)
  if (row?.hasAccount !== true) throw new TaskboardError('NOT_FOUND', 'no such account')
  if (row.id === null) {
    throw new TaskboardError('CONFLICT', 'email is already in use', { field: 'email' })
  }
  const { hasAccount: _, ...added } = row
  return toUser(added as UserRow)
}

/** `AccessStore.insertUser`. */
function insertUser(
  database: Database,
  user: Parameters<AccessStore['insertUser']>[0],
  call: CallContext<PgConnection>,
): Promise<User> {
  const id = database.settings.current.newId('user')
  const session: Session = { run: (what, values) => database.write(call, what, values) }
  return addUserIn(session, id, user, call.now)
}

/** Common table expressions that add a workspace to each account of `owner`, with its log and, if one is named, its agent. */
const ADD_WORKSPACE = /* sql */ `
  added as (
    insert into taskboard.workspace (id, account_id, name, created_at)
    select $2::text, o.id, $3::text, p.now from owner o, p
    returning *
  ),
  log as (
    insert into taskboard.workspace_log (workspace_id) select id from added
  ),
  worker as (
    insert into taskboard.agent (id, workspace_id, name, type, status, created_at)
    select $4::text, a.id, $5::text, $6::text, 'offline', a.created_at from added a where $4::text is not null
  )`

const addWorkspace = statement<Workspace>(
  'insert_workspace',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now),
  owner as (select id from taskboard.account where id = $7::text),
  ${ADD_WORKSPACE}
  select ${workspaceColumns('a')} from added a`,
)

const addAccount = statement<Account>(
  'insert_account',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now),
  owner as (
    insert into taskboard.account (id, name, tier, created_at)
    select $7::text, $8::text, $9::text, p.now from p
    returning *
  ),
  ${ADD_WORKSPACE}
  select ${accountColumns('o')} from owner o`,
)

interface WorkspaceInput {
  readonly name: string
  readonly agent: { readonly name: string; readonly type: string } | null
}

function toValues({ settings }: Database, id: string, { name, agent }: WorkspaceInput): readonly unknown[] {
  const agentId = agent === null ? null : settings.current.newId('agent')
  return [id, name, agentId, agent?.name ?? null, agent?.type ?? null]
}

/** `AccessStore.insertAccount`. */
async function insertAccount(
  database: Database,
  account: Parameters<AccessStore['insertAccount']>[0],
  call: CallContext<PgConnection>,
): Promise<{ account: Account; workspace: Workspace; user: User | null }> {
  const { owner = null } = account
  const { newId } = database.settings.current
  if (owner === null) {
    const session: Session = { run: (what, values) => database.write(call, what, values) }
    return { ...(await addAccountIn(session, database, account, call.now)), user: null }
  }
  const userId = newId('user')
  return database.atomically(call, async (session) => {
    const added = await addAccountIn(session, database, account, call.now)
    const user = { accountId: added.account.id, ...owner }
    return { ...added, user: await addUserIn(session, userId, user, call.now) }
  })
}

async function addAccountIn(
  session: Session,
  database: Database,
  { name, tier, workspaceName, agent }: Parameters<AccessStore['insertAccount']>[0],
  now: number | null,
): Promise<{ account: Account; workspace: Workspace }> {
  const { newId } = database.settings.current
  const accountId = newId('acct')
  const workspaceId = newId('ws')
  const values = toValues(database, workspaceId, { name: workspaceName, agent })
  const [account] = await session.run(addAccount, [now, ...values, accountId, name, tier])
  if (account === undefined) throw new Error('an account was not added')
  const workspace = { id: workspaceId, accountId, name: workspaceName, createdAt: account.createdAt }
  return { account, workspace }
}

/** `AccessStore.insertWorkspace`. */
async function insertWorkspace(
  database: Database,
  workspace: Parameters<AccessStore['insertWorkspace']>[0],
  call: CallContext<PgConnection>,
): Promise<Workspace> {
  const values = toValues(database, database.settings.current.newId('ws'), workspace)
  const [added] = await database.write(call, addWorkspace, [call.now, ...values, workspace.accountId])
  if (added === undefined) throw new TaskboardError('NOT_FOUND', 'no such account')
  return added
}

const accountById = statement<Account>(
  'get_account',
  /* sql */ `select ${accountColumns('a')} from taskboard.account a where a.id = $1::text`,
)

const workspaceById = statement<Workspace>(
  'get_workspace',
  /* sql */ `select ${workspaceColumns('w')} from taskboard.workspace w where w.id = $1::text`,
)

const workspacesOfAccount = statement<Workspace>(
  'list_workspaces',
  /* sql */ `
  select ${workspaceColumns('w')} from taskboard.workspace w where w.account_id = $1::text
  order by w.created_at, w.id`,
)

const allAccounts = statement<Account>(
  'list_accounts',
  /* sql */ `
  select ${accountColumns('a')} from taskboard.account a order by a.created_at, a.id limit $1::integer`,
)

/** `AccessStore.listAccounts`. */
function listAccounts(
  database: Database,
  which: Parameters<AccessStore['listAccounts']>[0],
  call: CallContext<PgConnection>,
): Promise<readonly Account[]> {
  return 'accountId' in which
    ? database.read(call, accountById, [which.accountId])
    : database.read(call, allAccounts, [which.limit])
}

/** `AccessStore.listWorkspaces`. */
function listWorkspaces(
  database: Database,
  which: Parameters<AccessStore['listWorkspaces']>[0],
  call: CallContext<PgConnection>,
): Promise<readonly Workspace[]> {
  return 'workspaceId' in which
    ? database.read(call, workspaceById, [which.workspaceId])
    : database.read(call, workspacesOfAccount, [which.accountId])
}

const changeAccount = statement<Account>(
  'update_account',
  /* sql */ `
  update taskboard.account a set name = coalesce($2::text, a.name), tier = coalesce($3::text, a.tier),
    require_other_person = coalesce($4::boolean, a.require_other_person)
  where a.id = $1::text returning ${accountColumns('a')}`,
)

/** Account, whether it takes no writes. */
const setReadOnly = statement<never>(
  'set_read_only',
  /* sql */ `select taskboard.set_read_only($1::text, $2::boolean)`,
)

/** `AccessStore.update` of an account. */
async function updateAccount(
  database: Database,
  { accountId, change }: AccountUpdate,
  call: CallContext<PgConnection>,
): Promise<Account> {
  const { name = null, tier = null, requireOtherPerson = null, readOnly } = change
  const values = [accountId, name, tier, requireOtherPerson]
  const changed =
    readOnly === undefined
      ? database.write(call, changeAccount, values)
      : database.atomically(call, async (session) => {
          if (!readOnly) await session.run(setReadOnly, [accountId, false])
          const [account] = await session.run(changeAccount, values)
          if (readOnly) await session.run(setReadOnly, [accountId, true])
          return account === undefined ? [] : [{ ...account, readOnly }]
        })
  const [account] = await changed
  if (account === undefined) throw new TaskboardError('NOT_FOUND', 'no such account')
  return account
}

const renameWorkspace = statement<Workspace>(
  'update_workspace',
  /* sql */ `
  update taskboard.workspace w set name = $2::text where w.id = $1::text returning ${workspaceColumns('w')}`,
)

/** `AccessStore.update` of a workspace. */
async function updateWorkspace(
  database: Database,
  { workspaceId, name }: WorkspaceUpdate,
  call: CallContext<PgConnection>,
): Promise<Workspace> {
  const [workspace] = await database.write(call, renameWorkspace, [workspaceId, name])
  if (workspace === undefined) throw new TaskboardError('NOT_FOUND', 'no such workspace')
  return workspace
}

/** Accounts, workspaces, users and keys. Nearly every verb is one statement. Concurrent calls share the hottest ones. */
export function createAccessStore(database: Database): AccessStore<PgConnection> {
  return {
    insertAccount: (account, call) => insertAccount(database, account, call),
    insertWorkspace: (workspace, call) => insertWorkspace(database, workspace, call),
    listWorkspaces: (which, call) => listWorkspaces(database, which, call),
    listAccounts: (which, call) => listAccounts(database, which, call),
    update: ((update: AccountUpdate | WorkspaceUpdate, call: CallContext<PgConnection>) =>
      'accountId' in update
        ? updateAccount(database, update, call)
        : updateWorkspace(database, update, call)) as AccessStore<PgConnection>['update'],
    beginDeletion: (target, call) => beginDeletion(database, target, call),
    continueDeletion: (request, call) => continueDeletion(database, request, call),
    deleteUser: (named, call) => deleteUser(database, named, call),
    noteKeyUse: (named, call) => noteKeyUse(database, named, call),
    insertUser: (user, call) => insertUser(database, user, call),
    setPassword: (change, call) => setPassword(database, change, call),
    setEmailVerified: (change, call) => setEmailVerified(database, change, call),
    setUserScopes: (change, call) => setUserScopes(database, change, call),
    insertInvitation: (invitation, call) => insertInvitation(database, invitation, call),
    listInvitations: (which, call) => listInvitations(database, which, call),
    deleteInvitation: (named, call) => deleteInvitation(database, named, call),
    acceptInvitation: (acceptance, call) =>
      acceptInvitation(database, acceptance, call, (session, user) =>
        addUserIn(session, database.settings.current.newId('user'), user, call.now),
      ),
    listUsers: (of, call) => listUsers(database, of, call),
    insertApiKey: (insertion, call) => insertApiKey(database, insertion, call),
    findPrincipal: createFindPrincipal(database),
    ...createSealed(database),
    listApiKeys: (query, call) => listApiKeys(database, query, call),
    revokeApiKey: (named, call) => revokeApiKey(database, named, call),
    rotateApiKey: (rotation, call) => rotateApiKey(database, rotation, call),
  }
}

/** It writes the row in any case, which waits for others that do, and returns what they have left. */
const keep = statement<{ readonly sealed: string }>(
  'keep_key_check',
  /* sql */ `
  insert into taskboard.key_check as k (sealed) values ($1::text)
  on conflict (only_row) do update
  set sealed = case when k.sealed = $2::text then excluded.sealed else k.sealed end
  returning sealed`,
)

/** `Storage.keepKeyCheck`. */
export async function keepKeyCheck(
  database: Database,
  { sealed, replaces }: KeyCheck,
  call: CallContext<PgConnection>,
): Promise<string> {
  const [row] = await database.write(call, keep, [sealed, replaces])
  return row?.sealed ?? sealed
}
