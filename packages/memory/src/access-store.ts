import {
  scopes as everyScope,
  TaskboardError,
  type Instant,
  type User,
  type Workspace,
} from '@taskboard/core'
import { sessionOver, type AccessStore, type NewStoredUser } from '@taskboard/core/storage'
import { addAgent } from './agent-store.js'
import { createKeyVerbs, indexByHash } from './api-keys.js'
import type { Database } from './database.js'
import { createFindPrincipal } from './find-principal.js'
import { byAge } from './subscriptions.js'
import type { MemoryTransaction } from './transactions.js'

type Store = AccessStore<MemoryTransaction>

export function createAccessStore(database: Database): Store {
  const { settings, transactions, tables } = database
  const { read, write } = transactions
  const byHash = indexByHash(database)

  function addWorkspace(
    { accountId, name, agent }: Parameters<Store['insertWorkspace']>[0],
    now: Instant,
  ): Workspace {
    const workspace = { id: settings.current.newId('ws'), accountId, name, createdAt: now }
    tables.workspaces.set(workspace.id, workspace)
    if (agent !== null) addAgent(database, { workspaceId: workspace.id, ...agent }, now)
    return workspace
  }

  function addUser(
    { accountId, email, passwordHash, scopes }: NewStoredUser & { readonly accountId: string },
    now: Instant,
  ): User {
    if (database.users.byEmail(email) !== undefined) {
      throw new TaskboardError('CONFLICT', 'email is already in use', { field: 'email' })
    }
    const [first] = workspacesOf(accountId)
    if (first === undefined) throw notFound('account')
    const id = settings.current.newId('user')
    const user = { id, accountId, email, scopes: Object.freeze([...(scopes ?? everyScope)]), createdAt: now }
    const hidden = { passwordHash, defaultWorkspaceId: first.id }
    const noMfa = { mfaSecret: null, mfaPendingSecret: null, mfaStep: null, recoveryHashes: [] }
    tables.users.set(id, { user, ...hidden, ...noMfa })
    return user
  }

  function workspacesOf(accountId: string): readonly Workspace[] {
    return [...tables.workspaces.values()].filter((each) => each.accountId === accountId).sort(byAge)
  }

  return {
    ...createKeyVerbs(database, byHash),
    insertAccount: ({ name, tier, workspaceName, agent, owner = null }, at) =>
      write(at, (now) => {
        const account = { id: settings.current.newId('acct'), name, tier, createdAt: now }
        tables.accounts.set(account.id, account)
        const workspace = addWorkspace({ accountId: account.id, name: workspaceName, agent }, now)
        const user = owner === null ? null : addUser({ accountId: account.id, ...owner }, now)
        return { account, workspace, user }
      }),
    insertUser: (user, at) => write(at, (now) => addUser(user, now)),
    setPassword: (change, at) => write(at, (now) => setPassword(tables, change, now)),
    listUsers: ({ accountId }, at) =>
      read(at, () =>
        [...tables.users.values()]
          .flatMap(({ user }) => (user.accountId === accountId ? [user] : []))
          .sort(byAge),
      ),
    insertWorkspace: (workspace, at) =>
      write(at, (now) => {
        if (tables.accounts.get(workspace.accountId) === undefined) throw notFound('account')
        return addWorkspace(workspace, now)
      }),
    listWorkspaces: (which, at) =>
      read(at, () =>
        'workspaceId' in which
          ? listed(tables.workspaces.get(which.workspaceId))
          : workspacesOf(which.accountId),
      ),
    listAccounts: (which, at) =>
      read(at, () =>
        'accountId' in which
          ? listed(tables.accounts.get(which.accountId))
          : [...tables.accounts.values()].sort(byAge).slice(0, which.limit),
      ),
    findPrincipal: createFindPrincipal(database, byHash),
  }
}

/** Replaces a user's password and ends its sessions, whose ids it returns. */
function setPassword(
  { users, sessions }: Database['tables'],
  { userId, passwordHash }: Parameters<Store['setPassword']>[0],
  now: Instant,
): readonly string[] {
  const user = users.get(userId)
  if (user === undefined) throw notFound('user')
  users.set(userId, { ...user, passwordHash })
  const ended = [...sessions.values()].filter(
    ({ session, family }) => session.userId === userId && family.expiresAt > now,
  )
  for (const each of ended) {
    sessions.set(each.session.id, { ...each, family: { ...each.family, expiresAt: sessionOver } })
  }
  return ended.map(({ session }) => session.id)
}

function listed<T>(found: T | undefined): readonly T[] {
  return found === undefined ? [] : [found]
}

function notFound(what: string): TaskboardError {
  return new TaskboardError('NOT_FOUND', `no such ${what}`)
}
