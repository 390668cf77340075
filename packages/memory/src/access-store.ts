import {
  TaskboardError,
  type AccessStore,
  type ApiKeyRecord,
  type Instant,
  type Principal,
  type Workspace,
} from '@taskboard/core'
import { addAgent } from './agent-store.js'
import type { Database } from './database.js'
import { byAge } from './subscriptions.js'
import type { MemoryTransaction } from './transactions.js'

type Store = AccessStore<MemoryTransaction>
type KeyVerb = 'insertApiKey' | 'findPrincipalByKeyHash' | 'listApiKeys' | 'revokeApiKey'

export function createAccessStore(database: Database): Store {
  const { settings, transactions, tables } = database
  const { read, write } = transactions

  function addWorkspace(
    { accountId, name, agent }: Parameters<Store['insertWorkspace']>[0],
    now: Instant,
  ): Workspace {
    const workspace = { id: settings.current.newId('ws'), accountId, name, createdAt: now }
    tables.workspaces.set(workspace.id, workspace)
    if (agent !== null) addAgent(database, { workspaceId: workspace.id, ...agent }, now)
    return workspace
  }

  return {
    ...createKeyVerbs(database),
    insertAccount: ({ name, tier, workspaceName, agent }, at) =>
      write(at, (now) => {
        const account = { id: settings.current.newId('acct'), name, tier, createdAt: now }
        tables.accounts.set(account.id, account)
        const workspace = addWorkspace({ accountId: account.id, name: workspaceName, agent }, now)
        return { account, workspace }
      }),
    insertWorkspace: (workspace, at) =>
      write(at, (now) => {
        if (tables.accounts.get(workspace.accountId) === undefined) throw notFound('account')
        return addWorkspace(workspace, now)
      }),
    getAccount: (accountId, at) => read(at, () => tables.accounts.get(accountId) ?? null),
    getWorkspace: (workspaceId, at) => read(at, () => tables.workspaces.get(workspaceId) ?? null),
    listWorkspaces: (accountId, at) =>
      read(at, () =>
        [...tables.workspaces.values()].filter((each) => each.accountId === accountId).sort(byAge),
      ),
    listAccounts: (limit, at) => read(at, () => [...tables.accounts.values()].sort(byAge).slice(0, limit)),
  }
}

function createKeyVerbs({ settings, transactions, tables }: Database): Pick<Store, KeyVerb> {
  const { read, write } = transactions
  const byHash = new Map<string, ApiKeyRecord>()
  tables.apiKeys.onChange((before, after) => {
    if (before !== undefined) byHash.delete(before.hash)
    if (after !== undefined) byHash.set(after.hash, after)
  })

  function requireReach(accountId: string, workspaceId: string): void {
    if (tables.accounts.get(accountId) === undefined) throw notFound('account')
    if (tables.workspaces.get(workspaceId)?.accountId !== accountId) throw notFound('workspace')
  }

  return {
    insertApiKey: ({ hash, ...key }, at) =>
      write(at, (now) => {
        requireReach(key.accountId, key.defaultWorkspaceId)
        requireReach(key.accountId, key.workspaceId ?? key.defaultWorkspaceId)
        if (byHash.has(hash)) throw new TaskboardError('CONFLICT', 'the key exists already')
        const id = settings.current.newId('ak')
        const scopes = Object.freeze([...key.scopes])
        const stored = { ...key, scopes, id, createdAt: now, revokedAt: null }
        tables.apiKeys.set(id, { ...stored, hash })
        return stored
      }),
    findPrincipalByKeyHash: (hash, at) =>
      read(at, (now) => {
        const key = byHash.get(hash)
        if (key === undefined || key.revokedAt !== null) return null
        if (key.expiresAt !== null && key.expiresAt <= now) return null
        const account = tables.accounts.get(key.accountId)
        return account === undefined
          ? null
          : { principal: toPrincipal(key, account.tier), expiresAt: key.expiresAt }
      }),
    listApiKeys: (accountId, at) =>
      read(at, () =>
        [...tables.apiKeys.values()]
          .filter((key) => key.accountId === accountId)
          .sort((a, b) => byAge(b, a))
          .map(toRecord),
      ),
    revokeApiKey: (accountId, keyId, at) =>
      write(at, (now) => {
        const key = tables.apiKeys.get(keyId)
        if (key?.accountId !== accountId) throw notFound('API key')
        const revoked = key.revokedAt === null ? { ...key, revokedAt: now } : key
        if (revoked !== key) tables.apiKeys.set(keyId, revoked)
        return toRecord(revoked)
      }),
  }
}

function toRecord(stored: ApiKeyRecord & { readonly hash: string }): ApiKeyRecord {
  const { hash: _hash, ...key } = stored
  return key
}

function toPrincipal(key: ApiKeyRecord, tier: Principal['tier']): Principal {
  return {
    id: key.id,
    kind: 'api_key',
    accountId: key.accountId,
    tier,
    scopes: key.scopes,
    workspaceIds: key.workspaceId === null ? 'all' : [key.workspaceId],
    defaultWorkspaceId: key.defaultWorkspaceId,
  }
}

function notFound(what: string): TaskboardError {
  return new TaskboardError('NOT_FOUND', `no such ${what}`)
}
