import type { AccessStore } from '@taskboard/core/storage'
import type { Database } from '../database.js'
import type { PgConnection } from '../pool.js'
import { createFindPrincipal } from './find-principal.js'
import { getApiKey } from './get-api-key.js'
import { insertApiKey } from './insert-api-key.js'
import { insertUser } from './insert-user.js'
import { insertAccount, insertWorkspace } from './insert-workspace.js'
import { listApiKeys } from './list-api-keys.js'
import { listUsers } from './list-users.js'
import { getAccount, getWorkspace, listAccounts, listWorkspaces } from './read-accounts.js'
import { revokeApiKey } from './revoke-api-key.js'
import { rotateApiKey } from './rotate-api-key.js'
import { setPassword } from './set-password.js'

/** Accounts, workspaces, users and keys. Nearly every verb is one statement. Concurrent calls share the hottest ones. */
export function createAccessStore(database: Database): AccessStore<PgConnection> {
  return {
    insertAccount: (account, at) => insertAccount(database, account, at),
    insertWorkspace: (workspace, at) => insertWorkspace(database, workspace, at),
    getAccount: (accountId, at) => getAccount(database, accountId, at),
    getWorkspace: (workspaceId, at) => getWorkspace(database, workspaceId, at),
    listWorkspaces: (accountId, at) => listWorkspaces(database, accountId, at),
    listAccounts: (limit, at) => listAccounts(database, limit, at),
    insertUser: (user, at) => insertUser(database, user, at),
    setPassword: (userId, passwordHash, at) => setPassword(database, userId, passwordHash, at),
    listUsers: (accountId, at) => listUsers(database, accountId, at),
    insertApiKey: (key, at, idempotency) => insertApiKey(database, key, at, idempotency),
    findPrincipalByKeyHash: createFindPrincipal(database),
    listApiKeys: (reach, page, at) => listApiKeys(database, reach, page, at),
    getApiKey: (reach, keyId, at) => getApiKey(database, reach, keyId, at),
    revokeApiKey: (reach, keyId, at) => revokeApiKey(database, reach, keyId, at),
    rotateApiKey: (reach, keyId, rotation, at, idempotency) =>
      rotateApiKey(database, [reach, keyId, rotation], at, idempotency),
  }
}
