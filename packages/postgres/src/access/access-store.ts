import type { AccessStore } from '@taskboard/core/storage'
import type { Database } from '../database.js'
import type { PgConnection } from '../pool.js'
import { createFindPrincipal } from './find-principal.js'
import { insertApiKey } from './insert-api-key.js'
import { insertUser } from './insert-user.js'
import { insertAccount, insertWorkspace } from './insert-workspace.js'
import { listApiKeys } from './list-api-keys.js'
import { listUsers } from './list-users.js'
import { listAccounts, listWorkspaces } from './read-accounts.js'
import { revokeApiKey } from './revoke-api-key.js'
import { rotateApiKey } from './rotate-api-key.js'
import { setPassword } from './set-password.js'

/** Accounts, workspaces, users and keys. Nearly every verb is one statement. Concurrent calls share the hottest ones. */
export function createAccessStore(database: Database): AccessStore<PgConnection> {
  return {
    insertAccount: (account, at) => insertAccount(database, account, at),
    insertWorkspace: (workspace, at) => insertWorkspace(database, workspace, at),
    listWorkspaces: (which, at) => listWorkspaces(database, which, at),
    listAccounts: (which, at) => listAccounts(database, which, at),
    insertUser: (user, at) => insertUser(database, user, at),
    setPassword: (change, at) => setPassword(database, change, at),
    listUsers: (of, at) => listUsers(database, of, at),
    insertApiKey: (insertion, at) => insertApiKey(database, insertion, at),
    findPrincipal: createFindPrincipal(database),
    listApiKeys: (query, at) => listApiKeys(database, query, at),
    revokeApiKey: (named, at) => revokeApiKey(database, named, at),
    rotateApiKey: (rotation, at) => rotateApiKey(database, rotation, at),
  }
}
