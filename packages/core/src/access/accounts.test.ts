import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { createEnvironment, systemClock } from '../environment/index.js'
import type { ErrorCode } from '../errors/index.js'
import type { Account, AccessStore, ApiKeyRecord, Workspace } from './access-store.js'
import { createAccounts, type NewAccount } from './accounts.js'
import type { NewApiKey } from './account-keys.js'
import { hashApiKey } from './api-key.js'
import { createAuthenticator } from './authenticator.js'
import type { Principal } from './principal.js'
import { createScryptHasher } from './password-hasher.js'
import { createPasswordWork } from './password-work.js'

const NOW = 1_800_000_000_000

type Tx = { readonly name: string }
type StoredKey = ApiKeyRecord & { readonly hash: string }

/** As much of an access store as the service needs, which records the input of each verb. */
function tinyStore(newId: (prefix: 'acct' | 'ws' | 'ak') => string) {
  const accounts: Account[] = []
  const workspaces: Workspace[] = []
  const keys: StoredKey[] = []
  const transactions: (Tx | undefined)[] = []
  const agents: unknown[] = []
  const addWorkspace = (accountId: string, name: string): Workspace => {
    const workspace = { id: newId('ws'), accountId, name, createdAt: NOW }
    workspaces.push(workspace)
    return workspace
  }
  const principalOf = (key: StoredKey): Principal => ({
    id: key.id,
    kind: 'api_key',
    accountId: key.accountId,
    tier: 'professional',
    scopes: key.scopes,
    workspaceIds: key.workspaceId === null ? 'all' : [key.workspaceId],
    defaultWorkspaceId: key.defaultWorkspaceId,
  })
  const shown = (key: StoredKey): ApiKeyRecord => {
    const record: ApiKeyRecord & { hash?: string } = { ...key }
    delete record.hash
    return record
  }

  const store: AccessStore<Tx> = {
    async insertAccount({ name, tier, workspaceName, agent }, call) {
      transactions.push(call.tx)
      agents.push(agent)
      const account = {
        id: newId('acct'),
        name,
        tier,
        createdAt: NOW,
        requireOtherPerson: false,
        readOnly: false,
      }
      accounts.push(account)
      return { account, workspace: addWorkspace(account.id, workspaceName), user: null }
    },
    update: () => Promise.reject(new Error('not asked for')),
    beginDeletion: () => Promise.reject(new Error('not asked for')),
    continueDeletion: () => Promise.reject(new Error('not asked for')),
    deleteUser: () => Promise.reject(new Error('no users here')),
    insertUser: () => Promise.reject(new Error('no users here')),
    setUserScopes: () => Promise.reject(new Error('no users here')),
    insertInvitation: () => Promise.reject(new Error('no users here')),
    listInvitations: () => Promise.reject(new Error('no users here')),
    deleteInvitation: () => Promise.reject(new Error('no users here')),
    acceptInvitation: () => Promise.reject(new Error('no users here')),
    noteKeyUse: () => Promise.resolve(),
    listSealed: () => Promise.reject(new Error('not asked for')),
    replaceSealed: () => Promise.reject(new Error('not asked for')),
    setPassword: () => Promise.reject(new Error('no users here')),
    setEmailVerified: () => Promise.reject(new Error('no users here')),
    listUsers: () => Promise.resolve([]),
    rotateApiKey: () => Promise.reject(new Error('not asked for')),
    async insertWorkspace({ accountId, name, agent }, call) {
      transactions.push(call.tx)
      agents.push(agent)
      return addWorkspace(accountId, name)
    },
    async listWorkspaces(which, call) {
      transactions.push(call.tx)
      return workspaces.filter(({ id, accountId }) =>
        'workspaceId' in which ? id === which.workspaceId : accountId === which.accountId,
      )
    },
    async listAccounts(which, call) {
      transactions.push(call.tx)
      return 'limit' in which
        ? accounts.slice(0, which.limit)
        : accounts.filter(({ id }) => id === which.accountId)
    },
    async insertApiKey({ key }, call) {
      transactions.push(call.tx)
      const stored = { ...key, id: newId('ak'), createdAt: NOW, revokedAt: null, lastUsedAt: null }
      keys.unshift(stored)
      return shown(stored)
    },
    async findPrincipal(credential) {
      const key = keys.find(({ hash }) => 'keyHash' in credential && hash === credential.keyHash)
      return key === undefined || key.revokedAt !== null
        ? null
        : {
            principal: principalOf(key),
            expiresInMs: key.expiresAt === null ? null : key.expiresAt - NOW,
            provenAgoMs: null,
            isUseNoted: true,
          }
    },
    async listApiKeys({ reach: { accountId } }, call) {
      transactions.push(call.tx)
      return keys.filter((key) => key.accountId === accountId).map(shown)
    },
    async revokeApiKey({ reach: { accountId }, keyId }, call) {
      transactions.push(call.tx)
      const index = keys.findIndex((key) => key.id === keyId && key.accountId === accountId)
      const key = keys[index]
      if (key === undefined) throw new Error('no such key')
      keys[index] = { ...key, revokedAt: NOW }
      return { key: shown(keys[index]), isNew: true }
    },
  }
  return { store, keys, transactions, agents }
}

function setUp() {
  const environment = createEnvironment({ clock: { ...systemClock, now: () => NOW } })
  const inside = tinyStore(environment.newId)
  const authenticator = createAuthenticator({ environment, store: inside.store })
  const defaultAgent = { name: 'Worker', type: 'worker' }
  const passwords = createPasswordWork({
    hasher: createScryptHasher({ random: environment.random, costLog2: 1 }),
  })
  const accounts = createAccounts({
    environment,
    store: inside.store,
    authenticator,
    defaultAgent,
    passwords,
    signIns: { findSignIn: () => Promise.resolve(null) },
    resetSecondFactor: () => Promise.reject(new Error('no users here')),
    keepAudit: false,
    onDeletion: () => undefined,
  })
  return { accounts, authenticator, ...inside }
}

const refusal = (code: ErrorCode, field?: string) =>
  expect.objectContaining(field === undefined ? { code } : { code, field })

describe('accounts and workspaces', () => {
  it('creates an account with a first workspace and its agent', async () => {
    const { accounts, agents } = setUp()
    const { account, workspace } = await accounts.create({ name: '  Ada  ', tier: 'enterprise' })
    expect(account).toMatchObject({ name: 'Ada', tier: 'enterprise' })
    expect(workspace).toMatchObject({ accountId: account.id, name: 'Ada' })
    expect(agents).toEqual([{ name: 'Worker', type: 'worker' }])
    expect(await accounts.get(account.id)).toEqual(account)
    expect(await accounts.getWorkspace(workspace.id)).toEqual(workspace)
  })

  it('adds and lists workspaces and lists accounts', async () => {
    const { accounts } = setUp()
    const first = await accounts.create({ name: 'Ada', tier: 'custom', workspaceName: 'Home' })
    const second = await accounts.createWorkspace(first.account.id, { name: 'Office' })
    await accounts.create({ name: 'Bob', tier: 'custom' })
    expect(await accounts.listWorkspaces(first.account.id)).toEqual([first.workspace, second])
    expect((await accounts.list()).map(({ name }) => name)).toEqual(['Ada', 'Bob'])
    expect(await accounts.list({ limit: 1 })).toHaveLength(1)
  })

  it('refuses unknown ids with NOT_FOUND', async () => {
    const { accounts } = setUp()
    await expect(accounts.get('acct_none')).rejects.toThrow(refusal('NOT_FOUND'))
    await expect(accounts.getWorkspace('ws_none')).rejects.toThrow(refusal('NOT_FOUND'))
  })

  it.each<[string, unknown, ErrorCode]>([
    ['name', { tier: 'custom' }, 'MISSING_FIELD'],
    ['name', { name: ' \n', tier: 'custom' }, 'INVALID_FIELD'],
    ['name', { name: 'x'.repeat(101), tier: 'custom' }, 'INVALID_FIELD'],
    ['name', { name: 'a\0b', tier: 'custom' }, 'INVALID_FIELD'],
    ['name', { name: 'a\ud800', tier: 'custom' }, 'INVALID_FIELD'],
    ['name', { name: 7, tier: 'custom' }, 'INVALID_FIELD'],
    ['tier', { name: 'Ada' }, 'MISSING_FIELD'],
    ['tier', { name: 'Ada', tier: 'gold' }, 'INVALID_FIELD'],
    ['workspaceName', { name: 'Ada', tier: 'custom', workspaceName: '' }, 'INVALID_FIELD'],
  ])('names the field %s of %j', async (field, input, code) => {
    await expect(setUp().accounts.create(input as NewAccount)).rejects.toThrow(refusal(code, field))
  })

  it.each([0, 1_001, 1.5])('refuses a page of %d', async (limit) => {
    await expect(setUp().accounts.list({ limit })).rejects.toThrow(refusal('INVALID_FIELD', 'limit'))
  })

  it('names a blank workspace name', async () => {
    const { accounts } = setUp()
    await expect(accounts.createWorkspace('acct_1', { name: '' })).rejects.toThrow(
      refusal('INVALID_FIELD', 'name'),
    )
  })
})

describe('keys', () => {
  it('binds a key to its workspace', async () => {
    const { accounts, authenticator, keys } = setUp()
    const { account, workspace } = await accounts.create({ name: 'Ada', tier: 'custom' })
    const made = await accounts.createKey({
      workspaceId: workspace.id,
      name: 'laptop',
      scopes: ['tasks:read', 'tasks:read', 'tasks:write'],
      expiresAt: new Date(NOW + 1_000),
    })
    expect(Object.keys(made)).toEqual(['id', 'key'])
    expect(keys[0]).toMatchObject({ hash: hashApiKey(made.key), expiresAt: NOW + 1_000 })
    expect(await authenticator.authenticate(`Bearer ${made.key}`)).toMatchObject({
      id: made.id,
      accountId: account.id,
      workspaceIds: [workspace.id],
      defaultWorkspaceId: workspace.id,
      scopes: ['tasks:read', 'tasks:write'],
    })
  })

  it('gives an unbound key all of its account, with the first workspace as the default', async () => {
    const { accounts, authenticator, keys } = setUp()
    const { account, workspace } = await accounts.create({ name: 'Ada', tier: 'custom' })
    await accounts.createWorkspace(account.id, { name: 'Office' })
    const { key } = await accounts.createKey({ accountId: account.id, name: 'all', scopes: ['tasks:read'] })
    expect(keys[0]?.expiresAt).toBeNull()
    expect(await authenticator.authenticate(`Bearer ${key}`)).toMatchObject({
      workspaceIds: 'all',
      defaultWorkspaceId: workspace.id,
    })
  })

  it('refuses a workspace that is unknown or of another account, and an unknown account', async () => {
    const { accounts } = setUp()
    const ada = await accounts.create({ name: 'Ada', tier: 'custom' })
    const bob = await accounts.create({ name: 'Bob', tier: 'custom' })
    const key = { name: 'k', scopes: ['tasks:read' as const] }
    const tries = [
      { ...key, workspaceId: 'ws_none' },
      { ...key, workspaceId: bob.workspace.id, accountId: ada.account.id },
      { ...key, accountId: 'acct_none' },
    ]
    for (const input of tries) await expect(accounts.createKey(input)).rejects.toThrow(refusal('NOT_FOUND'))
  })

  it.each<[string, object, ErrorCode]>([
    ['workspaceId', { workspaceId: undefined }, 'MISSING_FIELD'],
    ['workspaceId', { workspaceId: 7 }, 'INVALID_FIELD'],
    ['workspaceId', { workspaceId: 'ws_\0' }, 'INVALID_FIELD'],
    ['name', { name: undefined }, 'MISSING_FIELD'],
    ['name', { name: '  ' }, 'INVALID_FIELD'],
    ['scopes', { scopes: undefined }, 'MISSING_FIELD'],
    ['scopes', { scopes: [] }, 'INVALID_FIELD'],
    ['scopes', { scopes: ['tasks:read', 'tasks:fly'] }, 'INVALID_FIELD'],
    ['expiresAt', { expiresAt: new Date(Number.NaN) }, 'INVALID_FIELD'],
    ['expiresAt', { expiresAt: 9e15 }, 'INVALID_FIELD'],
    ['expiresAt', { expiresAt: '2030-01-01' }, 'INVALID_FIELD'],
  ])('names the field %s when given %j', async (field, change, code) => {
    const { accounts, keys } = setUp()
    const { workspace } = await accounts.create({ name: 'Ada', tier: 'custom' })
    const input = { workspaceId: workspace.id, name: 'k', scopes: ['tasks:read'], ...change } as NewApiKey
    await expect(accounts.createKey(input)).rejects.toThrow(refusal(code, field))
    expect(keys).toHaveLength(0)
  })

  it('lists keys newest first and shows neither key nor hash', async () => {
    const { accounts } = setUp()
    const { account } = await accounts.create({ name: 'Ada', tier: 'custom' })
    const input = { accountId: account.id, scopes: ['tasks:read' as const] }
    const made = [
      await accounts.createKey({ ...input, name: 'one' }),
      await accounts.createKey({ ...input, name: 'two' }),
    ]
    const listed = await accounts.listKeys(account.id)
    expect(listed.map(({ name }) => name)).toEqual(['two', 'one'])
    for (const { key } of made) {
      expect(inspect(listed, { depth: 9 })).not.toContain(key)
      expect(inspect(listed, { depth: 9 })).not.toContain(hashApiKey(key))
      expect(listed.some(({ prefix }) => key.startsWith(prefix))).toBe(true)
    }
  })

  it('revokes a key at once in this process', async () => {
    const { accounts, authenticator } = setUp()
    const { account } = await accounts.create({ name: 'Ada', tier: 'custom' })
    const { id, key } = await accounts.createKey({ accountId: account.id, name: 'k', scopes: ['tasks:read'] })
    expect(await authenticator.authenticate(`Bearer ${key}`)).toMatchObject({ id })
    expect(await accounts.revokeKey(account.id, id)).toMatchObject({ id, revokedAt: NOW })
    expect(await authenticator.authenticate(`Bearer ${key}`)).toBeNull()
  })

  it('no longer accepts a key whose revocation had an unknown outcome', async () => {
    const { accounts, authenticator, store, keys } = setUp()
    const { account } = await accounts.create({ name: 'Ada', tier: 'custom' })
    const { id, key } = await accounts.createKey({ accountId: account.id, name: 'k', scopes: ['tasks:read'] })
    await authenticator.authenticate(`Bearer ${key}`)
    store.revokeApiKey = async () => {
      keys.length = 0
      throw new Error('connection lost after the commit')
    }
    await expect(accounts.revokeKey(account.id, id)).rejects.toThrow('connection lost')
    expect(await authenticator.authenticate(`Bearer ${key}`)).toBeNull()
  })
})

it('runs every verb in the transaction of the host', async () => {
  const { accounts, transactions } = setUp()
  const options = { tx: { name: 'the host’s' } }
  const { account, workspace } = await accounts.create({ name: 'Ada', tier: 'custom' }, options)
  await accounts.createWorkspace(account.id, { name: 'Office' }, options)
  await accounts.get(account.id, options)
  await accounts.getWorkspace(workspace.id, options)
  await accounts.list(options)
  await accounts.listWorkspaces(account.id, options)
  const key = { name: 'k', scopes: ['tasks:read' as const] }
  const { id } = await accounts.createKey({ ...key, workspaceId: workspace.id }, options)
  await accounts.createKey({ ...key, accountId: account.id }, options)
  await accounts.listKeys(account.id, options)
  await accounts.revokeKey(account.id, id, options)
  expect(transactions.length).toBeGreaterThanOrEqual(12)
  expect(new Set(transactions)).toEqual(new Set([options.tx]))
})
