import assert from 'node:assert/strict'
import type { ApiKeyRecord, At, Reach } from '@taskboard/core'
import { assertRefused, type StorageCheck } from './storage-case.js'
import { HOUR, SECOND, START, unknownId, type World } from './world.js'

const WHOLE = { limit: null, afterId: null }
const all = (accountId: string): Reach => ({ accountId, workspaceIds: 'all' })
const hashOf = (digit: string): string => digit.repeat(64)

function addKey(
  { storage, accountId, workspaceId, at }: World,
  hash: string,
  key: { workspaceId?: string | null; expiresAt?: number | null } = {},
  when: At = at(),
): Promise<ApiKeyRecord> {
  return storage.access.insertApiKey(
    {
      accountId,
      workspaceId,
      defaultWorkspaceId: workspaceId,
      name: 'key',
      scopes: ['tasks:read'],
      prefix: 'tb_abc',
      hash,
      expiresAt: null,
      ...key,
    },
    when,
  )
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
      assert.deepEqual(await agents.listAgents(workspace.id, at()), [])
      assert.deepEqual(await access.getAccount(account.id, at()), account)
      assert.deepEqual(await access.getWorkspace(workspace.id, at()), workspace)
    },
  },
  {
    id: 'access.unknown',
    name: 'an unknown account or workspace reads as null; a workspace for an unknown account is NOT_FOUND',
    async check({ storage: { access }, at }) {
      assert.equal(await access.getAccount(unknownId('acct'), at()), null)
      assert.equal(await access.getWorkspace(unknownId('ws'), at()), null)
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
        (await access.listAccounts(10, at())).map(({ id }) => id),
        [accountId, account.id],
      )
      assert.equal((await access.listAccounts(1, at())).length, 1)
      assert.deepEqual(
        (await access.listWorkspaces(accountId, at())).map(({ id }) => id),
        [workspaceId, second.workspaceId],
      )
    },
  },
  {
    id: 'access.key-principal',
    name: 'a key’s hash finds its principal, with the reach, scopes and tier that it has',
    async check(world) {
      const { storage, accountId, workspaceId, at } = world
      const bound = await addKey(world, hashOf('a'))
      const wide = await addKey(world, hashOf('b'), { workspaceId: null, expiresAt: START + HOUR })
      const found = await storage.access.findPrincipalByKeyHash(hashOf('a'), at())
      assert.deepEqual(found, {
        principal: {
          id: bound.id,
          kind: 'api_key',
          accountId,
          tier: 'professional',
          scopes: ['tasks:read'],
          workspaceIds: [workspaceId],
          defaultWorkspaceId: workspaceId,
        },
        expiresAt: null,
      })
      const other = await storage.access.findPrincipalByKeyHash(hashOf('b'), at())
      assert.deepEqual(
        [other?.principal.id, other?.principal.workspaceIds, other?.expiresAt],
        [wide.id, 'all', START + HOUR],
      )
      assert.equal(await storage.access.findPrincipalByKeyHash(hashOf('c'), at()), null)
    },
  },
  {
    id: 'access.key-expiry',
    name: 'an expired key stands for nobody from its instant on',
    async check(world) {
      const { storage, at } = world
      await addKey(world, hashOf('a'), { expiresAt: START + HOUR })
      assert.notEqual(await storage.access.findPrincipalByKeyHash(hashOf('a'), at(HOUR - 1)), null)
      assert.equal(await storage.access.findPrincipalByKeyHash(hashOf('a'), at(HOUR)), null)
    },
  },
  {
    id: 'access.key-revoke',
    name: 'a revoked key stands for nobody; revoking again changes nothing',
    async check(world) {
      const { storage, accountId, at } = world
      const key = await addKey(world, hashOf('a'))
      const revoked = await storage.access.revokeApiKey(all(accountId), key.id, at(SECOND))
      assert.deepEqual(revoked, { ...key, revokedAt: START + SECOND })
      assert.equal(await storage.access.findPrincipalByKeyHash(hashOf('a'), at(SECOND)), null)
      assert.deepEqual(await storage.access.revokeApiKey(all(accountId), key.id, at(HOUR)), revoked)
    },
  },
  {
    id: 'access.key-revoke-foreign',
    name: 'a key of another account is NOT_FOUND to revoke',
    async check(world) {
      const { storage, at } = world
      const key = await addKey(world, hashOf('a'))
      await assertRefused(storage.access.revokeApiKey(all(unknownId('acct')), key.id, at()), 'NOT_FOUND')
      await assertRefused(
        storage.access.revokeApiKey(all(world.accountId), unknownId('ak'), at()),
        'NOT_FOUND',
      )
    },
  },
  {
    id: 'access.key-list',
    name: 'keys are listed newest first, revoked ones too, and never with their hash',
    async check(world) {
      const { storage, accountId, at } = world
      const first = await addKey(world, hashOf('a'))
      const second = await addKey(world, hashOf('b'), {}, at(SECOND))
      const revoked = await storage.access.revokeApiKey(all(accountId), first.id, at(HOUR))
      const keys = await storage.access.listApiKeys(all(accountId), WHOLE, at())
      assert.deepEqual(keys, [second, revoked])
      assert.ok(!JSON.stringify([keys, first, revoked]).includes(hashOf('a')))
      assert.deepEqual(await storage.access.listApiKeys(all(unknownId('acct')), WHOLE, at()), [])
    },
  },
]
