import type { AccessStore } from '@taskboard/core'
import type { Database } from '../database.js'
import type { PgConnection } from '../pool.js'
import { createFindPrincipal } from './find-principal.js'
import { insertApiKey } from './insert-api-key.js'
import { insertAccount, insertWorkspace } from './insert-workspace.js'
import { listApiKeys } from './list-api-keys.js'
import { getAccount, getWorkspace, listAccounts, listWorkspaces } from './read-accounts.js'
import { revokeApiKey } from './revoke-api-key.js'

/** Accounts, workspaces and keys. Each verb is one statement, which callers of the hottest share. */
export function createAccessStore(database: Database): AccessStore<PgConnection> {
  return {
    insertAccount: (account, at) => insertAccount(database, account, at),
    insertWorkspace: (workspace, at) => insertWorkspace(database, workspace, at),
    getAccount: (accountId, at) => getAccount(database, accountId, at),
    getWorkspace: (workspaceId, at) => getWorkspace(database, workspaceId, at),
    listWorkspaces: (accountId, at) => listWorkspaces(database, accountId, at),
    listAccounts: (limit, at) => listAccounts(database, limit, at),
    insertApiKey: (key, at) => insertApiKey(database, key, at),
    findPrincipalByKeyHash: createFindPrincipal(database),
    listApiKeys: (accountId, at) => listApiKeys(database, accountId, at),
    revokeApiKey: (accountId, keyId, at) => revokeApiKey(database, accountId, keyId, at),
  }
}
