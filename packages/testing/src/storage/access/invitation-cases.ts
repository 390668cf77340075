import assert from 'node:assert/strict'
import { scopes, type Scope } from '@taskboard/core'
import { assertRefused, type StorageCheck } from '../storage-case.js'
import { DAY, HOUR, SECOND, START, unknownId, type StorageFixture } from '../storage-fixture.js'
import { addUser } from './session-cases.js'

const EMAIL = 'grace@example.com'
const READS: readonly Scope[] = ['tasks:read']

async function invite(
  { storage, accountId, at }: StorageFixture,
  tokenHash: string,
  change: {
    email?: string
    scopes?: readonly Scope[] | null
    accountId?: string
    most?: number
    createdBy?: string
  } = {},
  afterMs = 0,
) {
  const wanted = { accountId, email: EMAIL, scopes: READS, most: 20, createdBy: 'user_1', ...change }
  const made = { tokenHash, ttlMs: DAY }
  const { invitation } = await storage.access.insertInvitation({ ...wanted, ...made }, at(afterMs))
  return invitation
}

/** Invitations, and what users may do. */
export const invitationCases: readonly StorageCheck[] = [
  {
    id: 'invitations.open',
    name: 'an invitation is listed, newest first, and found by its token, until it is over',
    async check(fixture) {
      const { storage, accountId, at } = fixture
      const { access } = storage
      const [account] = await access.listAccounts({ accountId }, at())
      const first = await invite(fixture, 'a')
      assert.deepEqual(first, {
        id: first.id,
        accountId,
        accountName: account?.name,
        email: EMAIL,
        scopes: READS,
        createdBy: 'user_1',
        createdAt: START,
        expiresAt: START + DAY,
      })
      const second = await invite(fixture, 'b', { email: 'eve@example.com', scopes: null }, SECOND)
      assert.deepEqual(second.scopes, scopes)
      assert.deepEqual(await access.listInvitations({ accountId }, at(HOUR)), [second, first])
      assert.deepEqual(await access.listInvitations({ accountId }, at(DAY)), [second])
      assert.deepEqual(await access.listInvitations({ tokenHash: 'a' }, at(DAY - 1)), [first])
      assert.deepEqual(await access.listInvitations({ tokenHash: 'a' }, at(DAY)), [])
      assert.deepEqual(await access.listInvitations({ tokenHash: 'c' }, at()), [])
      assert.deepEqual(await access.listInvitations({ accountId: unknownId('acct') }, at()), [])
      await assertRefused(invite(fixture, 'd', { accountId: unknownId('acct') }), 'NOT_FOUND')
    },
  },
  {
    id: 'invitations.replaced',
    name: 'a second invitation of an address takes the place of the first; only the account withdraws one, once',
    async check(fixture) {
      const { storage, accountId, at } = fixture
      const { access } = storage
      const first = await invite(fixture, 'a')
      const second = await invite(fixture, 'b')
      assert.deepEqual(await access.listInvitations({ accountId }, at()), [second])
      assert.deepEqual(await access.listInvitations({ tokenHash: 'a' }, at()), [])
      const withdraw = (of: string, invitationId: string) =>
        access.deleteInvitation({ accountId: of, invitationId }, at())
      assert.equal(await withdraw(accountId, first.id), false)
      assert.equal(await withdraw(unknownId('acct'), second.id), false)
      assert.equal(await withdraw(accountId, second.id), true)
      assert.equal(await withdraw(accountId, second.id), false)
    },
  },
  {
    id: 'invitations.most',
    name: 'at most so many are open, also of many at once; those that are over do not count',
    async check(fixture) {
      const { storage, accountId, at } = fixture
      const tries = await Promise.allSettled(
        Array.from({ length: 8 }, (_, n) => invite(fixture, `t${n}`, { email: `${n}@example.com`, most: 3 })),
      )
      assert.equal(tries.filter(({ status }) => status === 'fulfilled').length, 3)
      await assertRefused(invite(fixture, 'x', { most: 3 }), 'QUOTA_EXCEEDED')
      await invite(fixture, 'y', { most: 3 }, DAY)
      assert.equal((await storage.access.listInvitations({ accountId }, at(DAY))).length, 1)
    },
  },
  {
    id: 'invitations.accept',
    name: 'of many who accept an invitation one becomes the user; a taken address leaves it open',
    async check(fixture) {
      const { storage, accountId, at } = fixture
      const { access, sessions } = storage
      const owner = await addUser(fixture)
      const by = { createdBy: owner.id }
      await invite(fixture, 'a', by)
      const accept = (tokenHash: string, afterMs = 0) =>
        access.acceptInvitation({ tokenHash, passwordHash: 'hash' }, at(afterMs))
      const tries = await Promise.allSettled([1, 2, 3].map(() => accept('a')))
      const made = tries.flatMap((each) => (each.status === 'fulfilled' ? [each.value.user] : []))
      assert.equal(made.length, 1)
      assert.deepEqual([made[0]?.email, made[0]?.accountId, made[0]?.scopes], [EMAIL, accountId, READS])
      assert.deepEqual(await access.listUsers({ accountId }, at()), [owner, ...made])
      assert.equal((await sessions.findSignIn({ email: EMAIL }, at()))?.passwordHash, 'hash')
      await assertRefused(accept('a'), 'NOT_FOUND')
      await invite(fixture, 'b', by)
      await assertRefused(accept('b'), 'CONFLICT')
      assert.equal((await access.listInvitations({ tokenHash: 'b' }, at())).length, 1)
      await invite(fixture, 'c', { ...by, email: 'late@example.com' })
      await assertRefused(accept('c', DAY), 'NOT_FOUND')
    },
  },
  {
    id: 'invitations.maker',
    name: 'an invitation goes with the user who made it, and with the scopes that it needed, also one that was made at that moment',
    async check(fixture) {
      const { storage, accountId, at } = fixture
      const { access } = storage
      const [ada, eve, owner] = [
        await addUser(fixture),
        await addUser(fixture, 'eve@example.com'),
        await access.insertUser({ accountId, email: 'o@example.com', passwordHash: 'h', scopes: null }, at()),
      ]
      const make = async (tokenHash: string, createdBy: string, wanted: readonly Scope[] | null = READS) =>
        (await invite(fixture, tokenHash, { createdBy, scopes: wanted, email: `${tokenHash}@example.com` }))
          .id
      const accept = (tokenHash: string) => access.acceptInvitation({ tokenHash, passwordHash: 'hash' }, at())
      const openNow = async () =>
        (await access.listInvitations({ accountId }, at())).map(({ id }) => id).toSorted()
      const narrow = (userId: string, wanted: readonly Scope[]) =>
        access.setUserScopes({ accountId, userId, scopes: wanted }, at())
      const all = await make('a', owner.id, null)
      const [read, write] = [await make('b', ada.id), await make('c', ada.id, ['tasks:write'])]
      const theirs = await make('d', eve.id)
      assert.deepEqual((await narrow(ada.id, ['account:write', 'tasks:read'])).invitations, [write])
      assert.deepEqual((await narrow(ada.id, ['tasks:read'])).invitations, [read])
      const gone = await access.deleteUser({ userId: eve.id, keepKeys: true, mayBeLast: false }, at())
      assert.deepEqual(gone.invitations, [theirs])
      assert.deepEqual(await openNow(), [all])
      for (const token of ['b', 'c', 'd']) await assertRefused(accept(token), 'NOT_FOUND')
      // As requests leave them that began before.
      await make('e', ada.id)
      await make('f', eve.id)
      for (const token of ['e', 'f']) await assertRefused(accept(token), 'NOT_FOUND')
      assert.deepEqual((await accept('a')).user.scopes, scopes)
      const every = await access.insertUser(
        { accountId, email: 'every@example.com', passwordHash: 'h', scopes },
        at(),
      )
      await make('g', every.id, null)
      assert.deepEqual((await narrow(every.id, scopes)).invitations, [])
      assert.deepEqual((await accept('g')).user.scopes, scopes)
    },
  },
  {
    id: 'invitations.prune',
    name: 'pruning drops invitations that are over, at most the limit, and nothing else',
    async check(fixture) {
      const { storage, accountId, at } = fixture
      for (const name of ['a', 'b', 'c']) await invite(fixture, name, { email: `${name}@example.com` })
      await invite(fixture, 'd', { email: 'd@example.com' }, HOUR)
      const prune = (limit: number, afterMs: number) =>
        storage.prune({ rows: 'invitations', limit }, { now: START + afterMs })
      assert.equal(await prune(10, DAY - 1), 0)
      assert.equal(await prune(2, DAY), 2)
      assert.equal(await prune(10, DAY), 1)
      assert.equal((await storage.access.listInvitations({ accountId }, at(DAY))).length, 1)
    },
  },
  {
    id: 'access.user-scopes',
    name: 'a user gets other scopes, which its sessions have, and one who may change the account is left',
    async check(fixture) {
      const { storage, accountId, at } = fixture
      const { access } = storage
      const ada = await addUser(fixture)
      const set = (userId: string, wanted: readonly Scope[] | null, of = accountId) =>
        access.setUserScopes({ accountId: of, userId, scopes: wanted }, at())
      await assertRefused(set(ada.id, READS), 'CONFLICT')
      const eve = await addUser(fixture, 'eve@example.com')
      const { user: changed } = await set(eve.id, null)
      assert.deepEqual(changed, { ...eve, scopes })
      const nothing = { keys: [], invitations: [] }
      assert.deepEqual(await set(ada.id, READS), { user: { ...ada, scopes: READS }, ...nothing })
      assert.deepEqual(await access.listUsers({ accountId }, at()), [{ ...ada, scopes: READS }, changed])
      await assertRefused(set(unknownId('user'), READS), 'NOT_FOUND')
      await assertRefused(set(ada.id, null, unknownId('acct')), 'NOT_FOUND')
      await set(ada.id, null)
      const both = await Promise.allSettled([set(ada.id, READS), set(eve.id, READS)])
      assert.equal(both.filter(({ status }) => status === 'fulfilled').length, 1)
    },
  },
  {
    id: 'access.user-keys',
    name: 'the keys of a user with scopes that it loses are revoked, also one that is made or rotated at that moment, and no others',
    async check(fixture) {
      const { storage, accountId, workspaceId, at } = fixture
      const { access } = storage
      const owner = await addUser(fixture)
      const reach = { accountId, workspaceIds: 'all' } as const
      let count = 0
      const make = (createdBy: string, wanted: readonly Scope[], isOfUser = true) => {
        const hash = String(count++).padStart(64, '0')
        const place = { accountId, workspaceId: null, defaultWorkspaceId: workspaceId }
        const key = { ...place, name: 'k', prefix: 'p', scopes: wanted, hash, createdBy, expiresAt: null }
        return access.insertApiKey({ key, isOfUser, idempotency: null }, at())
      }
      const rotate = (keyId: string) => {
        const own = { prefix: 'p', hash: String(count++).padStart(64, '0'), isOfUser: true }
        return access.rotateApiKey({ reach, keyId, ...own, overlapMs: HOUR, idempotency: null }, at())
      }
      const live = async () =>
        (await access.listApiKeys({ reach, limit: null, afterId: null }, at(HOUR)))
          .filter(({ revokedAt }) => revokedAt === null)
          .map(({ id }) => id)
          .toSorted()
      const both: readonly Scope[] = ['tasks:read', 'tasks:write']
      const add = (email: string, wanted: readonly Scope[] | null) =>
        access.insertUser({ accountId, email, passwordHash: 'h', scopes: wanted }, at())
      const eve = await add('eve@example.com', both)
      const kept = [
        await make(eve.id, ['tasks:read']),
        await make(owner.id, ['tasks:read']),
        await make('host-user', both, false),
      ]
      const lost = [await make(eve.id, ['tasks:write']), await make(eve.id, both)]
      const ended = await make(eve.id, both)
      await access.revokeApiKey({ reach, keyId: ended.id }, at())
      const narrow = (userId: string, wanted: readonly Scope[] | null) =>
        access.setUserScopes({ accountId, userId, scopes: wanted }, at(SECOND))
      assert.deepEqual((await narrow(eve.id, null)).keys, [])
      const { keys } = await narrow(eve.id, READS)
      assert.deepEqual(keys.toSorted(), lost.map(({ id }) => id).toSorted())
      assert.deepEqual(await live(), kept.map(({ id }) => id).toSorted())
      const [first] = await access.listApiKeys({ reach, keyId: lost[0]?.id ?? '' }, at())
      assert.equal(first?.revokedAt, START + SECOND)
      for (let round = 0; round < 10; round++) {
        await narrow(eve.id, both)
        const old = await make(eve.id, both)
        await Promise.allSettled([
          make(eve.id, both),
          rotate(old.id),
          narrow(eve.id, READS),
          make(eve.id, both),
        ])
        assert.deepEqual(await live(), kept.map(({ id }) => id).toSorted(), `round ${round}`)
      }
    },
  },
]
