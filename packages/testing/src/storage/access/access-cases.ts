import assert from 'node:assert/strict'
import { isTaskboardError, type ApiKeyRecord, type Reach } from '@taskboard/core'
import type { CallContext } from '@taskboard/core/storage'
import { assertRefused, type StorageCheck } from '../storage-case.js'
import { addUser } from './session-cases.js'
import { HOUR, SECOND, START, unknownId, type StorageFixture } from '../storage-fixture.js'

const WHOLE = { limit: null, afterId: null }
const all = (accountId: string): Reach => ({ accountId, workspaceIds: 'all' })
const hashOf = (digit: string): string => digit.repeat(64)

function addKey(
  { storage, accountId, workspaceId, at }: StorageFixture,
  hash: string,
  {
    isOfUser = false,
    ...key
  }: Partial<Pick<ApiKeyRecord, 'workspaceId' | 'createdBy' | 'expiresAt' | 'scopes'>> & {
    readonly isOfUser?: boolean
  } = {},
  when: CallContext = at(),
): Promise<ApiKeyRecord> {
  const wanted = {
    accountId,
    workspaceId,
    defaultWorkspaceId: workspaceId,
    name: 'key',
    scopes: ['tasks:read' as const],
    prefix: 'tb_abc',
    hash,
    createdBy: null,
    expiresAt: null,
    ...key,
  }
  return storage.access.insertApiKey({ key: wanted, isOfUser, idempotency: null }, when)
}

/** Accounts, workspaces and API keys. */
export const accessCases: readonly StorageCheck[] = [
  {
    id: 'access.account',
    name: 'an account comes with its first workspace, and an agent when one is named',
    async check({ storage: { access, agents }, at }) {
      const { account, workspace } = await access.insertAccount(
        { name: 'n', tier: 'custom', workspaceName: 'w', agent: null },
        at(SECOND),
      )
      assert.deepEqual([account.name, account.tier, account.createdAt], ['n', 'custom', START + SECOND])
      assert.deepEqual([workspace.accountId, workspace.name], [account.id, 'w'])
      assert.deepEqual(await agents.listAgents({ reach: null, workspaceId: workspace.id }, at()), [])
      assert.deepEqual(await access.listAccounts({ accountId: account.id }, at()), [account])
      assert.deepEqual(await access.listWorkspaces({ workspaceId: workspace.id }, at()), [workspace])
    },
  },
  {
    id: 'access.unknown',
    name: 'an unknown account or workspace is not listed; a workspace for an unknown account is NOT_FOUND',
    async check({ storage: { access }, at }) {
      assert.deepEqual(await access.listAccounts({ accountId: unknownId('acct') }, at()), [])
      assert.deepEqual(await access.listWorkspaces({ workspaceId: unknownId('ws') }, at()), [])
      assert.deepEqual(await access.listWorkspaces({ accountId: unknownId('acct') }, at()), [])
      const workspace = { accountId: unknownId('acct'), name: 'w', agent: null }
      await assertRefused(access.insertWorkspace(workspace, at()), 'NOT_FOUND')
    },
  },
  {
    id: 'access.lists',
    name: 'accounts and an account’s workspaces are listed oldest first',
    async check({ storage: { access }, accountId, workspaceId, addWorkspace, at }) {
      const other = { name: 'b', tier: 'professional', workspaceName: 'w', agent: null } as const
      const { account } = await access.insertAccount(other, at(HOUR))
      const second = await addWorkspace(at(HOUR))
      assert.deepEqual(
        (await access.listAccounts({ limit: 10 }, at())).map(({ id }) => id),
        [accountId, account.id],
      )
      assert.equal((await access.listAccounts({ limit: 1 }, at())).length, 1)
      assert.deepEqual(
        (await access.listWorkspaces({ accountId }, at())).map(({ id }) => id),
        [workspaceId, second.workspaceId],
      )
    },
  },
  {
    id: 'access.key-principal',
    name: 'a key’s hash finds its principal, with the reach, scopes and tier that it has',
    async check(fixture) {
      const { storage, accountId, workspaceId, at } = fixture
      const bound = await addKey(fixture, hashOf('a'))
      const wide = await addKey(fixture, hashOf('b'), { workspaceId: null, expiresAt: START + HOUR })
      const found = await storage.access.findPrincipal({ keyHash: hashOf('a') }, at())
      assert.deepEqual(found, {
        principal: {
          id: bound.id,
          kind: 'api_key',
          name: bound.name,
          accountId,
          tier: 'professional',
          scopes: ['tasks:read'],
          workspaceIds: [workspaceId],
          defaultWorkspaceId: workspaceId,
          createdBy: null,
        },
        expiresInMs: null,
        provenAgoMs: null,
        isUseNoted: false,
      })
      const other = await storage.access.findPrincipal({ keyHash: hashOf('b') }, at(SECOND))
      assert.deepEqual(
        [other?.principal.id, other?.principal.workspaceIds, other?.expiresInMs],
        [wide.id, 'all', HOUR - SECOND],
      )
      assert.equal(await storage.access.findPrincipal({ keyHash: hashOf('c') }, at()), null)
    },
  },
  {
    id: 'access.key-expiry',
    name: 'an expired key is invalid from its instant on, and no key is created that has expired',
    async check(fixture) {
      const { storage, at } = fixture
      await assertRefused(addKey(fixture, hashOf('b'), { expiresAt: START }), 'INVALID_FIELD', 'expiresAt')
      await addKey(fixture, hashOf('a'), { expiresAt: START + HOUR })
      assert.notEqual(await storage.access.findPrincipal({ keyHash: hashOf('a') }, at(HOUR - 1)), null)
      assert.equal(await storage.access.findPrincipal({ keyHash: hashOf('a') }, at(HOUR)), null)
    },
  },
  {
    id: 'access.key-revoke',
    name: 'a revoked key is invalid; revoking it again changes nothing',
    async check(fixture) {
      const { storage, accountId, at } = fixture
      const key = await addKey(fixture, hashOf('a'))
      const revoked = await storage.access.revokeApiKey({ reach: all(accountId), keyId: key.id }, at(SECOND))
      assert.deepEqual(revoked, { key: { ...key, revokedAt: START + SECOND }, isNew: true })
      assert.equal(await storage.access.findPrincipal({ keyHash: hashOf('a') }, at(SECOND)), null)
      assert.deepEqual(
        await storage.access.revokeApiKey({ reach: all(accountId), keyId: key.id }, at(HOUR)),
        { ...revoked, isNew: false },
      )
    },
  },
  {
    id: 'access.key-revoke-foreign',
    name: 'a key of another account is NOT_FOUND to revoke',
    async check(fixture) {
      const { storage, at } = fixture
      const key = await addKey(fixture, hashOf('a'))
      await assertRefused(
        storage.access.revokeApiKey({ reach: all(unknownId('acct')), keyId: key.id }, at()),
        'NOT_FOUND',
      )
      await assertRefused(
        storage.access.revokeApiKey({ reach: all(fixture.accountId), keyId: unknownId('ak') }, at()),
        'NOT_FOUND',
      )
    },
  },
  {
    id: 'access.key-list',
    name: 'keys are listed newest first, revoked ones too, and never with their hash',
    async check(fixture) {
      const { storage, accountId, at } = fixture
      const first = await addKey(fixture, hashOf('a'))
      const second = await addKey(fixture, hashOf('b'), {}, at(SECOND))
      const revoked = await storage.access.revokeApiKey({ reach: all(accountId), keyId: first.id }, at(HOUR))
      const keys = await storage.access.listApiKeys({ reach: all(accountId), ...WHOLE }, at())
      assert.deepEqual(keys, [second, revoked.key])
      assert.ok(!JSON.stringify([keys, first, revoked]).includes(hashOf('a')))
      assert.deepEqual(
        await storage.access.listApiKeys({ reach: all(unknownId('acct')), ...WHOLE }, at()),
        [],
      )
    },
  },
  {
    id: 'access.key-page',
    name: 'a page of keys starts after the last key of the previous one; after an unknown key it is empty',
    async check(fixture) {
      const { storage, accountId, at } = fixture
      const keys: ApiKeyRecord[] = []
      for (const digit of ['a', 'b', 'c']) keys.unshift(await addKey(fixture, hashOf(digit)))
      const page = (limit: number | null, afterId: string | null) =>
        storage.access.listApiKeys({ reach: all(accountId), limit, afterId }, at())
      assert.deepEqual(await page(2, null), keys.slice(0, 2))
      assert.deepEqual(await page(2, keys[1]?.id ?? null), keys.slice(2))
      assert.deepEqual(await page(null, keys[0]?.id ?? null), keys.slice(1))
      assert.deepEqual(await page(null, unknownId('ak')), [])
      const ofAccount = await addKey(fixture, hashOf('d'), { workspaceId: null }, at(SECOND))
      const within = { reach: { accountId, workspaceIds: [fixture.workspaceId] }, limit: null }
      assert.deepEqual(await storage.access.listApiKeys({ ...within, afterId: null }, at()), keys)
      // Beyond reach, as unknown.
      assert.deepEqual(await storage.access.listApiKeys({ ...within, afterId: ofAccount.id }, at()), [])
    },
  },
  {
    id: 'access.key-reach',
    name: 'a caller of some workspaces sees, revokes and rotates only the keys of those',
    async check(fixture) {
      const { storage, accountId, workspaceId, at } = fixture
      const { workspaceId: other } = await fixture.addWorkspace()
      const own = await addKey(fixture, hashOf('a'))
      const wide = await addKey(fixture, hashOf('b'), { workspaceId: null })
      const beyond = await addKey(fixture, hashOf('c'), { workspaceId: other })
      const reach: Reach = { accountId, workspaceIds: [workspaceId] }
      assert.deepEqual(await storage.access.listApiKeys({ reach, ...WHOLE }, at()), [own])
      assert.deepEqual(await storage.access.listApiKeys({ reach, keyId: own.id }, at()), [own])
      assert.deepEqual(await storage.access.listApiKeys({ reach, keyId: unknownId('ak') }, at()), [])
      const made = { prefix: 'tb_new', hash: hashOf('d') }
      const rotation = { ...made, isOfUser: false, overlapMs: HOUR, idempotency: null }
      for (const { id } of [wide, beyond]) {
        assert.deepEqual(await storage.access.listApiKeys({ reach, keyId: id }, at()), [])
        await assertRefused(storage.access.revokeApiKey({ reach, keyId: id }, at()), 'NOT_FOUND')
        await assertRefused(storage.access.rotateApiKey({ reach, keyId: id, ...rotation }, at()), 'NOT_FOUND')
      }
      assert.equal((await storage.access.listApiKeys({ reach: all(accountId), ...WHOLE }, at())).length, 3)
    },
  },
  {
    id: 'access.key-rotate',
    name: 'a rotated key ends after the overlap, and an equal one replaces it; an ended one is CONFLICT',
    async check(fixture) {
      const { storage, accountId, at } = fixture
      const { access } = storage
      const key = await addKey(fixture, hashOf('a'), { expiresAt: START + 10 * HOUR, createdBy: 'user_2' })
      const made = { prefix: 'tb_new' }
      const rotation = { reach: all(accountId), ...made, isOfUser: false, overlapMs: HOUR, idempotency: null }
      const rotate = (when: CallContext, hash = hashOf('b')) =>
        access.rotateApiKey({ ...rotation, keyId: key.id, hash }, when)
      const { added, replaced } = await rotate(at(HOUR))
      assert.deepEqual(replaced, { ...key, expiresAt: START + 2 * HOUR })
      assert.deepEqual(added, { ...key, id: added.id, ...made, createdAt: START + HOUR })
      assert.equal(
        (await access.findPrincipal({ keyHash: hashOf('b') }, at(3 * HOUR)))?.principal.id,
        added.id,
      )
      assert.notEqual(await access.findPrincipal({ keyHash: hashOf('a') }, at(2 * HOUR - 1)), null)
      assert.equal(await access.findPrincipal({ keyHash: hashOf('a') }, at(2 * HOUR)), null)
      await assertRefused(rotate(at(2 * HOUR), hashOf('c')), 'CONFLICT')
      await access.revokeApiKey({ reach: all(accountId), keyId: added.id }, at(HOUR))
      await assertRefused(
        access.rotateApiKey({ ...rotation, keyId: added.id, hash: hashOf('d') }, at(HOUR)),
        'CONFLICT',
      )
      assert.equal((await access.listApiKeys({ reach: all(accountId), ...WHOLE }, at())).length, 2)
    },
  },
  {
    id: 'access.key-maker',
    name: 'a key of a user is made and rotated only while the user has its scopes; a user of the host’s login is not looked at',
    async check(fixture) {
      const { storage, accountId, at } = fixture
      const { access } = storage
      const { id: userId } = await addUser(fixture)
      await addUser(fixture, 'eve@example.com')
      const own = { createdBy: userId, isOfUser: true }
      const key = await addKey(fixture, hashOf('a'), own)
      const rotate = (hash: string, isOfUser = true) =>
        access.rotateApiKey(
          {
            reach: all(accountId),
            keyId: key.id,
            prefix: 'p',
            hash,
            isOfUser,
            overlapMs: HOUR,
            idempotency: null,
          },
          at(),
        )
      assert.equal((await rotate(hashOf('b'))).added.createdBy, userId)
      await assertRefused(addKey(fixture, hashOf('c'), { ...own, scopes: ['tasks:write'] }), 'FORBIDDEN')
      await assertRefused(addKey(fixture, hashOf('c'), { ...own, createdBy: unknownId('user') }), 'FORBIDDEN')
      await assertRefused(addKey(fixture, hashOf('c'), { ...own, createdBy: null }), 'FORBIDDEN')
      const input = { name: 'n', tier: 'custom', workspaceName: 'w', agent: null } as const
      const owner = { email: 'far@example.com', passwordHash: 'h', scopes: null }
      const { user: far } = await access.insertAccount({ ...input, owner }, at())
      await assertRefused(addKey(fixture, hashOf('c'), { ...own, createdBy: far?.id ?? null }), 'FORBIDDEN')
      const host = await addKey(fixture, hashOf('d'), { createdBy: 'host-user' })
      await access.deleteUser({ userId, keepKeys: true, mayBeLast: false }, at())
      await assertRefused(rotate(hashOf('c')), 'FORBIDDEN')
      await assertRefused(addKey(fixture, hashOf('c'), own), 'FORBIDDEN')
      assert.equal((await access.listApiKeys({ reach: all(accountId), ...WHOLE }, at())).length, 3)
      assert.equal(host.createdBy, 'host-user')
      assert.equal((await rotate(hashOf('c'), false)).replaced.id, key.id)
    },
  },
  {
    id: 'access.key-use',
    name: 'the use of a key is noted at most once an hour, and what is noted is listed',
    async check(fixture) {
      const { storage, accountId, at } = fixture
      const { access } = storage
      const key = await addKey(fixture, hashOf('a'), { createdBy: 'user_1' })
      assert.deepEqual([key.createdBy, key.lastUsedAt], ['user_1', null])
      const use = async (afterMs: number) => {
        await access.noteKeyUse({ keyId: key.id }, at(afterMs))
        const [listed] = await access.listApiKeys({ reach: all(accountId), keyId: key.id }, at(afterMs))
        return listed?.lastUsedAt
      }
      const isNoted = async (afterMs: number) =>
        (await access.findPrincipal({ keyHash: hashOf('a') }, at(afterMs)))?.isUseNoted
      assert.equal(await isNoted(0), false)
      assert.equal(await use(SECOND), START + SECOND)
      assert.equal(await isNoted(HOUR), true)
      assert.equal(await use(HOUR), START + SECOND)
      assert.equal(await isNoted(SECOND + HOUR), false)
      assert.equal(await use(SECOND + HOUR), START + SECOND + HOUR)
      await access.noteKeyUse({ keyId: unknownId('ak') }, at())
    },
  },
  {
    id: 'access.key-once',
    name: 'a repeated create or rotation under an idempotency key is CONFLICT with the id, and creates nothing',
    async check(fixture) {
      const { storage, accountId, workspaceId: defaultWorkspaceId, at } = fixture
      const { access } = storage
      const claim = { scope: 's', key: 'k', fingerprint: 'f' }
      const wanted = {
        accountId,
        workspaceId: null,
        defaultWorkspaceId,
        name: 'key',
        createdBy: null,
        expiresAt: null,
      }
      const create = (hash: string) =>
        access.insertApiKey(
          { key: { ...wanted, scopes: [], prefix: 'tb_abc', hash }, isOfUser: false, idempotency: claim },
          at(),
        )
      const made = await create(hashOf('a'))
      await assert.rejects(create(hashOf('b')), (error) => {
        assert.ok(isTaskboardError(error, 'CONFLICT'))
        assert.equal(error.resourceId, made.id)
        return true
      })
      const rotate = (hash: string) =>
        access.rotateApiKey(
          {
            reach: all(accountId),
            keyId: made.id,
            prefix: 'p',
            isOfUser: false,
            hash,
            overlapMs: HOUR,
            idempotency: { ...claim, key: 'other' },
          },
          at(),
        )
      const { added } = await rotate(hashOf('c'))
      await assert.rejects(rotate(hashOf('d')), (error) => {
        assert.ok(isTaskboardError(error, 'CONFLICT'))
        assert.equal(error.resourceId, added.id)
        return true
      })
      assert.equal((await access.listApiKeys({ reach: all(accountId), ...WHOLE }, at())).length, 2)
    },
  },
  {
    id: 'access.user',
    name: 'a user is of one account; an address serves one user on the whole board',
    async check({ storage: { access }, accountId, at }) {
      const owner = { email: 'ada@example.com', passwordHash: 'h', scopes: ['tasks:read'] as const }
      const input = { name: 'n', tier: 'custom', workspaceName: 'w', agent: null } as const
      const { account, user } = await access.insertAccount({ ...input, owner }, at())
      assert.deepEqual(user, {
        id: user?.id,
        accountId: account.id,
        email: 'ada@example.com',
        scopes: ['tasks:read'],
        createdAt: START,
      })
      const accounts = (await access.listAccounts({ limit: 10 }, at())).length
      await assertRefused(access.insertAccount({ ...input, owner }, at()), 'CONFLICT', 'email')
      assert.equal((await access.listAccounts({ limit: 10 }, at())).length, accounts)
      await assertRefused(access.insertUser({ accountId, ...owner }, at()), 'CONFLICT', 'email')
      const second = await access.insertUser({ accountId, ...owner, email: 'b@example.com' }, at(SECOND))
      assert.deepEqual(await access.listUsers({ accountId }, at()), [second])
      const nowhere = { accountId: unknownId('acct'), ...owner, email: 'c@example.com' }
      await assertRefused(access.insertUser(nowhere, at()), 'NOT_FOUND')
    },
  },
]
