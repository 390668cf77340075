import { TaskboardError, type Account, type User, type Workspace } from '@taskboard/core'
import type { AccessStore, At } from '@taskboard/core/storage'
import type { Database, Session } from '../database.js'
import type { PgConnection } from '../pool.js'
import { statement } from '../statement.js'
import { accountColumns, workspaceColumns } from './access-row.js'
import { addUserIn } from './insert-user.js'

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
export async function insertAccount(
  database: Database,
  account: Parameters<AccessStore['insertAccount']>[0],
  at: At<PgConnection>,
): Promise<{ account: Account; workspace: Workspace; user: User | null }> {
  const { owner = null } = account
  const { newId } = database.settings.current
  if (owner === null) {
    const session: Session = { run: (what, values) => database.write(at, what, values) }
    return { ...(await addAccountIn(session, database, account, at.now)), user: null }
  }
  const userId = newId('user')
  return database.atomically(at, async (session) => {
    const added = await addAccountIn(session, database, account, at.now)
    const user = { accountId: added.account.id, ...owner }
    return { ...added, user: await addUserIn(session, userId, user, at.now) }
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
export async function insertWorkspace(
  database: Database,
  workspace: Parameters<AccessStore['insertWorkspace']>[0],
  at: At<PgConnection>,
): Promise<Workspace> {
  const values = toValues(database, database.settings.current.newId('ws'), workspace)
  const [added] = await database.write(at, addWorkspace, [at.now, ...values, workspace.accountId])
  if (added === undefined) throw new TaskboardError('NOT_FOUND', 'no such account')
  return added
}
