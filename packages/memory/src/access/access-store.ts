import {
  type Account,
  type ApiKeyRecord,
  scopes as everyScope,
  type Instant,
  TaskboardError,
  type User,
  type Workspace,
  type Reach,
} from '@taskboard/core'
import {
  agentFields,
  keyUseMs,
  readOnlyRefusal,
  type AccessStore,
  type AccountUpdate,
  type ApiKeyRotation,
  type CallContext,
  type NewStoredUser,
  sessionOver,
  type WorkspaceUpdate,
} from '@taskboard/core/storage'
import { addAgent } from '../agents/agent-store.js'
import type { Database } from '../tables/database.js'
import { createDeletions, narrow, requireOwner } from './deletions.js'
import { createInvitationVerbs } from './invitations.js'
import { createFindPrincipal, hasEnded } from './find-principal.js'
import { createSealed } from './sealed.js'
import { byAge } from '../tables/subscriptions.js'
import type { Pruned } from '../tables/prune.js'
import type { MemoryTransaction } from '../tables/transactions.js'

type Store = AccessStore<MemoryTransaction>

type KeyVerb = 'insertApiKey' | 'listApiKeys' | 'revokeApiKey' | 'rotateApiKey'

type StoredKey = ApiKeyRecord & { readonly hash: string }

/** Finds keys by their hashes. */
function indexByHash({ tables }: Database): ReadonlyMap<string, ApiKeyRecord> {
  const byHash = new Map<string, ApiKeyRecord>()
  tables.apiKeys.onChange((before, after) => {
    if (before !== undefined) byHash.delete(before.hash)
    if (after !== undefined) byHash.set(after.hash, after)
  })
  return byHash
}

/** The part of the access store that is about API keys. */
function createKeyVerbs(database: Database, byHash: ReadonlyMap<string, ApiKeyRecord>): Pick<Store, KeyVerb> {
  const { settings, transactions, tables, idempotency } = database
  const { read, write } = transactions

  function findKey(reach: Reach, keyId: string): StoredKey | undefined {
    const key = tables.apiKeys.get(keyId)
    return key !== undefined && isWithin(reach, key) ? key : undefined
  }

  function requireKey(reach: Reach, keyId: string): StoredKey {
    const key = findKey(reach, keyId)
    if (key === undefined) throw notFound('API key')
    return key
  }

  function add(
    key: Omit<StoredKey, 'id' | 'createdAt' | 'revokedAt' | 'lastUsedAt'>,
    now: Instant,
  ): ApiKeyRecord {
    if (byHash.has(key.hash)) throw new TaskboardError('CONFLICT', 'the key already exists')
    const id = settings.current.newId('ak')
    const scopes = Object.freeze([...key.scopes])
    const stored = { ...key, scopes, id, createdAt: now, revokedAt: null, lastUsedAt: null }
    tables.apiKeys.set(id, stored)
    return toRecord(stored)
  }

  /** Adds a copy of a key with another secret. */
  function addLike(key: StoredKey, { prefix, hash }: ApiKeyRotation, now: Instant): ApiKeyRecord {
    if (hasEnded(key, now)) throw new TaskboardError('CONFLICT', 'the key is revoked or expired')
    return add({ ...key, prefix, hash }, now)
  }

  return {
    insertApiKey: ({ key, isOfUser, idempotency: claim }, call) =>
      write(call, (now) => {
        const { value, replayed } = idempotency.once(claim, now, () => {
          requireWorkspaces(tables, key)
          if (isOfUser) requireMaker(tables, key)
          if (key.expiresAt !== null && key.expiresAt <= now) throw hasPassed()
          return add(key, now)
        })
        return replayed ? refuseRepeat(value) : value
      }),
    listApiKeys: (query, call) =>
      read(call, () => {
        const { reach } = query
        if ('keyId' in query) {
          const key = findKey(reach, query.keyId)
          return key === undefined ? [] : [toRecord(key)]
        }
        const keys = [...tables.apiKeys.values()]
          .filter((key) => isWithin(reach, key))
          .sort((a, b) => byAge(b, a))
        return pageOf(keys, query).map(toRecord)
      }),
    revokeApiKey: ({ reach, keyId }, call) =>
      write(call, (now) => {
        const key = requireKey(reach, keyId)
        if (key.revokedAt !== null) return { key: toRecord(key), isNew: false }
        const revoked = { ...key, revokedAt: now }
        tables.apiKeys.set(keyId, revoked)
        return { key: toRecord(revoked), isNew: true }
      }),
    rotateApiKey: ({ reach, keyId, isOfUser, idempotency: claim, ...rotation }, call) =>
      write(call, (now) => {
        const { value, replayed } = idempotency.once(claim, now, () => {
          const key = requireKey(reach, keyId)
          if (isOfUser) requireMaker(tables, key)
          return addLike(key, rotation, now)
        })
        if (replayed) return refuseRepeat(value)
        const key = requireKey(reach, keyId)
        const expiresAt = Math.min(key.expiresAt ?? Infinity, now + rotation.overlapMs)
        tables.apiKeys.set(keyId, { ...key, expiresAt })
        return { added: value, replaced: toRecord({ ...key, expiresAt }) }
      }),
  }
}

function pageOf(
  keys: readonly StoredKey[],
  { limit, afterId }: { readonly limit: number | null; readonly afterId: string | null },
): readonly StoredKey[] {
  const start = afterId === null ? 0 : keys.findIndex(({ id }) => id === afterId) + 1
  if (afterId !== null && start === 0) return []
  return keys.slice(start, limit === null ? undefined : start + limit)
}

/** The user who makes a key has its scopes. */
function requireMaker(
  { users }: Database['tables'],
  { accountId, createdBy, scopes }: Pick<ApiKeyRecord, 'accountId' | 'createdBy' | 'scopes'>,
): void {
  const user = users.get(createdBy ?? '')?.user
  if (user?.accountId === accountId && scopes.every((scope) => user.scopes.includes(scope))) return
  throw new TaskboardError('FORBIDDEN', 'a key has no scope that its maker lacks')
}

function requireWorkspaces(
  { accounts, workspaces }: Database['tables'],
  {
    accountId,
    workspaceId,
    defaultWorkspaceId,
  }: Pick<ApiKeyRecord, 'accountId' | 'workspaceId' | 'defaultWorkspaceId'>,
): void {
  if (accounts.get(accountId) === undefined) throw notFound('account')
  for (const id of [defaultWorkspaceId, workspaceId ?? defaultWorkspaceId]) {
    if (workspaces.get(id)?.accountId !== accountId) throw notFound('workspace', 'workspaceId')
  }
}

/** A key of a workspace is in reach as its workspace is; any other key as its whole account is. */
function isWithin(reach: Reach, { accountId, workspaceId }: ApiKeyRecord): boolean {
  if (reach.accountId !== accountId) return false
  return reach.workspaceIds === 'all' || (workspaceId !== null && reach.workspaceIds.includes(workspaceId))
}

/** A key is shown only once: a retry can't return it. */
function refuseRepeat({ id }: { readonly id: string }): never {
  throw new TaskboardError(
    'CONFLICT',
    `the idempotency key was used to make ${id}, which is not shown again`,
    {
      resourceId: id,
    },
  )
}

function toRecord(stored: StoredKey): ApiKeyRecord {
  const { hash: _hash, ...key } = stored
  return key
}

function hasPassed(): TaskboardError {
  return new TaskboardError('INVALID_FIELD', 'expiresAt must be in the future', { field: 'expiresAt' })
}

function notFound(what: string, field?: string): TaskboardError {
  return new TaskboardError('NOT_FOUND', `no such ${what}`, field === undefined ? {} : { field })
}

export function createAccessStore(database: Database): Store & Pruned<'pruneInvitations'> {
  const { settings, transactions, tables } = database
  const { read, write } = transactions
  const byHash = indexByHash(database)

  function addWorkspace(
    { accountId, name, agent }: Parameters<Store['insertWorkspace']>[0],
    now: Instant,
  ): Workspace {
    const workspace = { id: settings.current.newId('ws'), accountId, name, createdAt: now }
    tables.workspaces.set(workspace.id, workspace)
    if (agent !== null) addAgent(database, { ...agentFields.empty, workspaceId: workspace.id, ...agent }, now)
    return workspace
  }

  function addUser(given: NewStoredUser & { readonly accountId: string }, now: Instant): User {
    const { accountId, email, passwordHash, scopes, isEmailVerified = false } = given
    if (database.users.byEmail(email) !== undefined) {
      throw new TaskboardError('CONFLICT', 'email is already in use', { field: 'email' })
    }
    const [first] = workspacesOf(accountId)
    if (first === undefined) throw notFound('account')
    const id = settings.current.newId('user')
    const user = { id, accountId, email, scopes: Object.freeze([...(scopes ?? everyScope)]), createdAt: now }
    const hidden = { passwordHash, isEmailVerified, defaultWorkspaceId: first.id }
    const noMfa = { mfaSecret: null, mfaPendingSecret: null, mfaStep: null, recoveryHashes: [] }
    tables.users.set(id, { user, ...hidden, ...noMfa })
    return user
  }

  function workspacesOf(accountId: string): readonly Workspace[] {
    return [...tables.workspaces.values()].filter((each) => each.accountId === accountId).sort(byAge)
  }

  return {
    ...createKeyVerbs(database, byHash),
    noteKeyUse: ({ keyId }, call) =>
      write(call, (now) => {
        const key = tables.apiKeys.get(keyId)
        if (key === undefined || (key.lastUsedAt !== null && now - key.lastUsedAt < keyUseMs)) return
        tables.apiKeys.set(keyId, { ...key, lastUsedAt: now })
      }),
    insertAccount: ({ name, tier, workspaceName, agent, owner = null }, call) =>
      write(call, (now) => {
        const id = settings.current.newId('acct')
        const account = { id, name, tier, createdAt: now, requireOtherPerson: false, readOnly: false }
        tables.accounts.set(account.id, account)
        const workspace = addWorkspace({ accountId: account.id, name: workspaceName, agent }, now)
        const user = owner === null ? null : addUser({ accountId: account.id, ...owner }, now)
        return { account, workspace, user }
      }),
    insertUser: (user, call) => write(call, (now) => addUser(user, now)),
    ...createInvitationVerbs(database, addUser),
    setUserScopes: ({ accountId, userId, scopes }, call) =>
      write(call, (now) => {
        const stored = tables.users.get(userId)
        if (stored?.user.accountId !== accountId) throw notFound('user')
        const user = { ...stored.user, scopes: Object.freeze([...(scopes ?? everyScope)]) }
        tables.users.set(userId, { ...stored, user })
        requireOwner(tables, accountId)
        return { user, ...narrow(tables, user, now) }
      }),
    setPassword: (change, call) => write(call, (now) => setPassword(tables, change, now)),
    setEmailVerified: (change, call) => write(call, () => setEmailVerified(tables, change)),
    listUsers: ({ accountId }, call) =>
      read(call, () =>
        [...tables.users.values()]
          .flatMap(({ user }) => (user.accountId === accountId ? [user] : []))
          .sort(byAge),
      ),
    ...createListVerbs(database, addWorkspace, workspacesOf),
    ...createDeletions(database, workspacesOf),
    findPrincipal: createFindPrincipal(database, byHash),
    ...createSealed(database),
  }
}

type ListVerb = 'listAccounts' | 'update' | 'insertWorkspace' | 'listWorkspaces'

/** The part of the access store that lists and changes accounts and workspaces. */
function createListVerbs(
  database: Database,
  addWorkspace: (workspace: Parameters<Store['insertWorkspace']>[0], now: Instant) => Workspace,
  workspacesOf: (accountId: string) => readonly Workspace[],
): Pick<Store, ListVerb> {
  const { tables, transactions } = database
  const { read, write } = transactions
  return {
    insertWorkspace: (workspace, call) =>
      write(call, (now) => {
        if (tables.accounts.get(workspace.accountId) === undefined) throw notFound('account')
        return addWorkspace(workspace, now)
      }),
    listWorkspaces: (which, call) =>
      read(call, () =>
        'workspaceId' in which
          ? listed(tables.workspaces.get(which.workspaceId))
          : workspacesOf(which.accountId),
      ),
    listAccounts: (which, call) =>
      read(call, () =>
        'accountId' in which
          ? listed(tables.accounts.get(which.accountId))
          : [...tables.accounts.values()].sort(byAge).slice(0, which.limit),
      ),
    update: ((update: AccountUpdate | WorkspaceUpdate, call: CallContext<MemoryTransaction>) =>
      write(call, () =>
        'accountId' in update ? updateAccount(database, update) : renameWorkspace(tables, update),
      )) as Store['update'],
  }
}

function updateAccount(
  { tables: { accounts }, readOnly }: Database,
  { accountId, change }: AccountUpdate,
): Account {
  if (change.readOnly === false) readOnly.set(accountId, false)
  const account = accounts.get(accountId)
  if (account === undefined) throw notFound('account')
  const { name, tier, requireOtherPerson } = change
  const changes = name ?? tier ?? requireOtherPerson
  if (changes !== undefined && account.readOnly) throw readOnlyRefusal()
  const changed = {
    ...account,
    name: name ?? account.name,
    tier: tier ?? account.tier,
    requireOtherPerson: requireOtherPerson ?? account.requireOtherPerson,
  }
  accounts.set(accountId, changed)
  if (change.readOnly === true) readOnly.set(accountId, true)
  return accounts.get(accountId) ?? changed
}

function renameWorkspace(
  { workspaces }: Database['tables'],
  { workspaceId, name }: WorkspaceUpdate,
): Workspace {
  const workspace = workspaces.get(workspaceId)
  if (workspace === undefined) throw notFound('workspace')
  const changed = { ...workspace, name }
  workspaces.set(workspaceId, changed)
  return changed
}

/** Replaces a user's password and revokes its sessions, whose ids it returns. */
function setEmailVerified(
  { users }: Database['tables'],
  { userId, isEmailVerified }: Parameters<Store['setEmailVerified']>[0],
): void {
  const stored = users.get(userId)
  if (stored === undefined) throw notFound('user')
  users.set(userId, { ...stored, isEmailVerified })
}

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
