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
  change: { email?: string; scopes?: readonly Scope[] | null; accountId?: string; most?: number } = {},
  afterMs = 0,
) {
  const wanted = { accountId, email: EMAIL, scopes: READS, most: 20, ...change }
  const made = { tokenHash, createdBy: 'user_1', ttlMs: DAY }
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
      await invite(fixture, 'a')
      const accept = (tokenHash: string, afterMs = 0) =>
        access.acceptInvitation({ tokenHash, passwordHash: 'hash' }, at(afterMs))
      const tries = await Promise.allSettled([1, 2, 3].map(() => accept('a')))
      const made = tries.flatMap((each) => (each.status === 'fulfilled' ? [each.value.user] : []))
      assert.equal(made.length, 1)
      assert.deepEqual([made[0]?.email, made[0]?.accountId, made[0]?.scopes], [EMAIL, accountId, READS])
      assert.deepEqual(await access.listUsers({ accountId }, at()), made)
      assert.equal((await sessions.findSignIn({ email: EMAIL }, at()))?.passwordHash, 'hash')
      await assertRefused(accept('a'), 'NOT_FOUND')
      await invite(fixture, 'b')
      await assertRefused(accept('b'), 'CONFLICT')
      assert.equal((await access.listInvitations({ tokenHash: 'b' }, at())).length, 1)
      await invite(fixture, 'c', { email: 'late@example.com' })
      await assertRefused(accept('c', DAY), 'NOT_FOUND')
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
      const changed = await set(eve.id, null)
      assert.deepEqual(changed, { ...eve, scopes })
      assert.deepEqual(await set(ada.id, READS), { ...ada, scopes: READS })
      assert.deepEqual(await access.listUsers({ accountId }, at()), [{ ...ada, scopes: READS }, changed])
      await assertRefused(set(unknownId('user'), READS), 'NOT_FOUND')
      await assertRefused(set(ada.id, null, unknownId('acct')), 'NOT_FOUND')
      await set(ada.id, null)
      const both = await Promise.allSettled([set(ada.id, READS), set(eve.id, READS)])
      assert.equal(both.filter(({ status }) => status === 'fulfilled').length, 1)
    },
  },
]
