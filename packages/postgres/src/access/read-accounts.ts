import type { Account, Workspace } from '@taskboard/core'
import type { AccessStore, At } from '@taskboard/core/storage'
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

/** `AccessStore.listAccounts`. */
export function listAccounts(
  database: Database,
  which: Parameters<AccessStore['listAccounts']>[0],
  at: At<PgConnection>,
): Promise<readonly Account[]> {
  return 'accountId' in which
    ? database.read(at, accountById, [which.accountId])
    : database.read(at, allAccounts, [which.limit])
}

/** `AccessStore.listWorkspaces`. */
export function listWorkspaces(
  database: Database,
  which: Parameters<AccessStore['listWorkspaces']>[0],
  at: At<PgConnection>,
): Promise<readonly Workspace[]> {
  return 'workspaceId' in which
    ? database.read(at, workspaceById, [which.workspaceId])
    : database.read(at, workspacesOfAccount, [which.accountId])
}
