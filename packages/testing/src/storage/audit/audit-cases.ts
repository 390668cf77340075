import assert from 'node:assert/strict'
import type { AuditAction } from '@taskboard/core'
import type { AuditOwner, AuditQuery, CallContext, NewAuditRecord } from '@taskboard/core/storage'
import { addUser } from '../access/session-cases.js'
import type { StorageCheck } from '../storage-case.js'
import { DAY, MINUTE, SECOND, START, unknownId, type StorageFixture } from '../storage-fixture.js'

const record = (of: AuditOwner, action: AuditAction = 'key.created'): NewAuditRecord => ({
  of,
  action,
  count: 1,
  target: {
    kind: 'api_key',
    id: 'ak_1',
  },
  details: {
    scopes: ['tasks:read'],
    workspace_id: null,
    expires_at: null,
  },
})

const append = (
  { storage, at }: StorageFixture,
  records: readonly NewAuditRecord[],
  afterMs = 0,
  by?: CallContext['by'],
) => storage.audit.appendAudit(records, { ...at(afterMs), by })

const list = ({ storage, accountId, at }: StorageFixture, query: Partial<AuditQuery> = {}) =>
  storage.audit.listAudit(
    { accountId, actions: null, actorId: null, from: null, to: null, after: null, limit: 100, ...query },
    at(DAY),
  )

/** Who did what. */
export const auditCases: readonly StorageCheck[] = [
  {
    id: 'audit.record',
    name: 'a record is kept as it was appended, with its time and its actor',
    async check(fixture) {
      const { accountId } = fixture
      const by = {
        kind: 'user' as const,
        id: 'user_1',
        name: 'Ada',
        sessionId: 'ses_1',
        clientAddress: '203.0.113.7',
        requestId: 'req_1',
      }
      const [first] = await append(fixture, [record({ accountId })], SECOND, by)
      const { of: _, ...given } = record({ accountId })
      assert.deepEqual(first, { id: first?.id, accountId, at: START + SECOND, by, ...given })
      assert.match(first.id, /^aud_[0-9a-z]{26}$/)
      const host = {
        kind: 'host',
        id: null,
        name: null,
        sessionId: null,
        clientAddress: null,
        requestId: null,
      }
      const [second] = await append(
        fixture,
        [{ ...record({ accountId }), target: null, details: {}, count: 7 }],
        2 * SECOND,
      )
      assert.deepEqual([second?.by, second?.target, second?.details, second?.count], [host, null, {}, 7])
      assert.deepEqual(await list(fixture), [second, first])
    },
  },
  {
    id: 'audit.owners',
    name: 'a record belongs to the account, or to that of a user, a workspace or a key; of unknown ones to none',
    async check(fixture) {
      const { storage, accountId, workspaceId, at } = fixture
      const { id: userId } = await addUser(fixture)
      const reach = { accountId, workspaceId: null, defaultWorkspaceId: workspaceId }
      const key = {
        ...reach,
        name: 'k',
        scopes: [],
        prefix: 'tb_',
        hash: 'hash',
        createdBy: null,
        expiresAt: null,
      }
      const { id: keyId } = await storage.access.insertApiKey(
        { key, isOfUser: false, idempotency: null },
        at(),
      )
      const owners = [{ accountId }, { userId }, { workspaceId }, { keyId }]
      const own = await append(
        fixture,
        owners.map((of) => record(of)),
      )
      assert.deepEqual(
        own.map((each) => each.accountId),
        owners.map(() => accountId),
      )
      assert.equal((await list(fixture)).length, owners.length)
      const unknown = [
        { accountId: null },
        { userId: unknownId('user') },
        { workspaceId: unknownId('ws') },
        { keyId: unknownId('ak') },
      ]
      const others = await append(
        fixture,
        unknown.map((of) => record(of)),
      )
      assert.deepEqual(
        others.map((each) => each.accountId),
        [null, null, null, null],
      )
      assert.equal((await list(fixture, { accountId: null })).length, unknown.length)
      assert.deepEqual(await list(fixture, { accountId: unknownId('acct') }), [])
    },
  },
  {
    id: 'audit.pages',
    name: 'records are listed newest first, by action, actor and time, in pages that miss and repeat none',
    async check(fixture) {
      const { accountId } = fixture
      const actions = ['key.created', 'key.revoked', 'key.created'] as const
      const ids: string[] = []
      for (const [place, action] of actions.entries()) {
        const by = { kind: 'user', id: `user_${place}` } as const
        for (const { id } of await append(
          fixture,
          [record({ accountId }, action), record({ accountId }, action)],
          place * SECOND,
          by,
        ))
          ids.push(id)
      }
      const found = await list(fixture)
      assert.deepEqual(
        found.map(({ at }) => (at - START) / SECOND),
        [2, 2, 1, 1, 0, 0],
      )
      const paged = []
      for (let after: AuditQuery['after'] = null; ;) {
        const [next] = await list(fixture, { limit: 1, after })
        if (next === undefined) break
        paged.push(next)
        after = { at: next.at, id: next.id }
      }
      assert.deepEqual(paged, found)
      assert.deepEqual(new Set(found.map(({ id }) => id)), new Set(ids))
      const counted = async (query: Partial<AuditQuery>) => (await list(fixture, query)).length
      assert.equal(await counted({ actions: ['key.created'] }), 4)
      assert.equal(await counted({ actions: [] }), 0)
      assert.equal(await counted({ actorId: 'user_1' }), 2)
      assert.equal(await counted({ from: START + SECOND }), 4)
      assert.equal(await counted({ to: START + SECOND }), 2)
      assert.equal(
        await counted({ from: START + SECOND, to: START + 2 * SECOND, actions: ['key.revoked'] }),
        2,
      )
    },
  },
  {
    id: 'audit.commit',
    name: 'a record is part of the commit, and of the rollback, of what it tells of',
    async check(fixture) {
      const { storage, accountId, at } = fixture
      const change = { name: 'Another name' }
      const write = (work: () => void) =>
        storage.inOneCommit(at(), async (own) => {
          await storage.access.update({ accountId, change }, own)
          await storage.audit.appendAudit([record({ accountId })], own)
          work()
        })
      await assert.rejects(
        write(() => {
          throw new Error('at the end')
        }),
        /at the end/,
      )
      assert.deepEqual(await list(fixture), [])
      assert.notEqual((await storage.access.listAccounts({ accountId }, at()))[0]?.name, change.name)
      await write(() => undefined)
      assert.equal((await list(fixture)).length, 1)
      assert.equal((await storage.access.listAccounts({ accountId }, at()))[0]?.name, change.name)
    },
  },
  {
    id: 'audit.transaction',
    name: 'work in one commit takes part in an open transaction, and goes with it',
    async check(fixture) {
      const { storage, accountId, at } = fixture
      const within = storage.transaction(async (tx) => {
        await storage.inOneCommit(at(0, tx), (own) => {
          assert.equal(own.tx, tx)
          return storage.audit.appendAudit([record({ accountId })], own)
        })
        throw new Error('the host fails')
      })
      await assert.rejects(within, /the host fails/)
      assert.deepEqual(await list(fixture), [])
    },
  },
  {
    id: 'audit.prune',
    name: 'old records of accounts, and of none, are deleted each for itself, the oldest first',
    async check(fixture) {
      const { storage, accountId, at } = fixture
      for (const minute of [0, 1, 2])
        await append(fixture, [record({ accountId }), record({ accountId: null })], minute * MINUTE)
      const prune = (ofAccounts: boolean, limit: number) =>
        storage.prune({ rows: 'audit', ofAccounts, olderThanMs: MINUTE, limit }, at(3 * MINUTE))
      assert.equal(await prune(true, 1), 1)
      assert.deepEqual(
        (await list(fixture)).map((each) => each.at - START),
        [2 * MINUTE, MINUTE],
      )
      assert.equal(await prune(true, 10), 1)
      assert.equal(await prune(true, 10), 0)
      assert.equal((await list(fixture, { accountId: null })).length, 3)
      assert.equal(await prune(false, 10), 2)
      assert.equal((await list(fixture, { accountId: null })).length, 1)
    },
  },
  {
    id: 'audit.deletion',
    name: 'the audit of an account goes with it, or stays when that is wanted; what belongs to none stays',
    async check(fixture) {
      const { storage, at } = fixture
      for (const keepAudit of [true, false]) {
        const made = { name: 'Gone', tier: 'custom', workspaceName: 'Gone', agent: null } as const
        const { account } = await storage.access.insertAccount(made, at())
        await append(fixture, [record({ accountId: account.id }), record({ accountId: null })])
        assert.deepEqual(await storage.access.beginDeletion({ accountId: account.id }, at()), {
          accountId: account.id,
        })
        for (let isOver = false; !isOver;)
          ({ isOver } = await storage.access.continueDeletion(
            { of: account.id, limit: 100, keepAudit },
            at(),
          ))
        const left = await list(fixture, { accountId: account.id })
        assert.equal(left.length, keepAudit ? 1 : 0)
      }
      assert.equal((await list(fixture, { accountId: null })).length, 2)
    },
  },
]
