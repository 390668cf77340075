import type { Account, Workspace } from '@taskboard/core'
import type { At } from '@taskboard/core/storage'
import type { Database } from '../database.js'
import type { PgConnection } from '../pool.js'
import { statement } from '../statement.js'
import { accountColumns, workspaceColumns } from './access-row.js'

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

/** `AccessStore.getAccount`. */
export async function getAccount(
  database: Database,
  accountId: string,
  at: At<PgConnection>,
): Promise<Account | null> {
  const [account] = await database.read(at, accountById, [accountId])
  return account ?? null
}

/** `AccessStore.getWorkspace`. */
export async function getWorkspace(
  database: Database,
  workspaceId: string,
  at: At<PgConnection>,
): Promise<Workspace | null> {
  const [workspace] = await database.read(at, workspaceById, [workspaceId])
  return workspace ?? null
}

/** `AccessStore.listWorkspaces`. */
export function listWorkspaces(
  database: Database,
  accountId: string,
  at: At<PgConnection>,
): Promise<readonly Workspace[]> {
  return database.read(at, workspacesOfAccount, [accountId])
}

/** `AccessStore.listAccounts`. */
export function listAccounts(
  database: Database,
  limit: number,
  at: At<PgConnection>,
): Promise<readonly Account[]> {
  return database.read(at, allAccounts, [limit])
}
