import assert from 'node:assert/strict'
import type { SignIn } from '@taskboard/core/storage'
import { addUser, newSession } from './session-cases.js'
import { assertRefused, type StorageCheck } from '../storage-case.js'
import { START, unknownId, type StorageFixture } from '../storage-fixture.js'

const mfa = { sealedSecret: 'sealed', step: 100, recoveryHashes: ['r1', 'r2'] }

async function enrolled(fixture: StorageFixture): Promise<string> {
  const { id } = await addUser(fixture)
  const { sessions } = fixture.storage
  assert.equal(
    await sessions.changeMfa(
      { userId: id, change: { kind: 'offer', sealedSecret: mfa.sealedSecret } },
      fixture.at(),
    ),
    true,
  )
  assert.equal(
    await sessions.changeMfa({ userId: id, change: { kind: 'enrol', ...mfa } }, fixture.at()),
    true,
  )
  return id
}

/** The user of `addUser` without a second factor, as `findSignIn` returns it. */
const factorless = (userId: string): Omit<SignIn, 'accountId' | 'accountName'> => ({
  userId,
  email: 'ada@example.com',
  isEmailVerified: false,
  passwordHash: 'hash',
  mfaSecret: null,
  mfaPendingSecret: null,
  asOf: START,
})

/** Without the account. */
async function signInOf(
  { storage, at }: StorageFixture,
  userId: string,
): Promise<Omit<SignIn, 'accountId' | 'accountName'> | null> {
  const found = await storage.sessions.findSignIn({ userId }, at())
  if (found === null) return null
  const { accountId: _id, accountName: _name, ...signIn } = found
  return signIn
}

/** Second factors, whose codes are each valid once. */
export const mfaCases: readonly StorageCheck[] = [
  {
    id: 'mfa.enrol',
    name: 'a user is enrolled with the secret that was offered last, and with no other',
    async check(fixture) {
      const { sessions } = fixture.storage
      const { id } = await addUser(fixture)
      assert.equal(
        await sessions.changeMfa({ userId: id, change: { kind: 'enrol', ...mfa } }, fixture.at()),
        false,
      )
      await sessions.changeMfa(
        { userId: id, change: { kind: 'offer', sealedSecret: 'earlier' } },
        fixture.at(),
      )
      await sessions.changeMfa(
        { userId: id, change: { kind: 'offer', sealedSecret: 'sealed' } },
        fixture.at(),
      )
      const waiting = { ...factorless(id), mfaPendingSecret: 'sealed' }
      assert.deepEqual(await signInOf(fixture, id), waiting)
      assert.equal((await sessions.findSignIn({ email: 'ada@example.com' }, fixture.at()))?.mfaSecret, null)
      assert.equal(
        await sessions.changeMfa(
          { userId: id, change: { kind: 'enrol', ...mfa, sealedSecret: 'earlier' } },
          fixture.at(),
        ),
        false,
      )
      const tries = await Promise.all(
        [mfa, mfa, mfa].map((each) =>
          sessions.changeMfa({ userId: id, change: { kind: 'enrol', ...each } }, fixture.at()),
        ),
      )
      assert.equal(tries.filter(Boolean).length, 1)
      assert.deepEqual(await signInOf(fixture, id), {
        ...waiting,
        mfaSecret: 'sealed',
        mfaPendingSecret: null,
      })
      assert.equal(
        (await sessions.findSignIn({ email: 'ada@example.com' }, fixture.at()))?.mfaSecret,
        'sealed',
      )
      assert.equal(
        await sessions.changeMfa(
          { userId: id, change: { kind: 'offer', sealedSecret: 'another' } },
          fixture.at(),
        ),
        false,
      )
    },
  },
  {
    id: 'mfa.step',
    name: 'a time step is used up by one of many, with all before it; the one that enrolled is used up',
    async check(fixture) {
      const { sessions } = fixture.storage
      const id = await enrolled(fixture)
      assert.equal(await sessions.redeemMfa({ userId: id, step: 100 }, fixture.at()), false)
      const twenty = Array.from({ length: 20 }, () =>
        sessions.redeemMfa({ userId: id, step: 101 }, fixture.at()),
      )
      assert.equal((await Promise.all(twenty)).filter(Boolean).length, 1)
      assert.equal(await sessions.redeemMfa({ userId: id, step: 99 }, fixture.at()), false)
      assert.equal(await sessions.redeemMfa({ userId: id, step: 102 }, fixture.at()), true)
    },
  },
  {
    id: 'mfa.recovery',
    name: 'a recovery code is used up by one of many, and the others stay',
    async check(fixture) {
      const { sessions } = fixture.storage
      const id = await enrolled(fixture)
      const ten = Array.from({ length: 10 }, () =>
        sessions.redeemMfa({ userId: id, recoveryHash: 'r1' }, fixture.at()),
      )
      assert.equal((await Promise.all(ten)).filter(Boolean).length, 1)
      assert.equal(await sessions.redeemMfa({ userId: id, recoveryHash: 'r3' }, fixture.at()), false)
      assert.equal(await sessions.redeemMfa({ userId: id, recoveryHash: 'r2' }, fixture.at()), true)
    },
  },
  {
    id: 'mfa.remove',
    name: 'a second factor that was removed takes no codes, and another may be offered',
    async check(fixture) {
      const { sessions } = fixture.storage
      const id = await enrolled(fixture)
      await sessions.changeMfa({ userId: id, change: { kind: 'remove' } }, fixture.at())
      assert.equal(await sessions.redeemMfa({ userId: id, step: 200 }, fixture.at()), false)
      assert.equal(await sessions.redeemMfa({ userId: id, recoveryHash: 'r1' }, fixture.at()), false)
      assert.deepEqual(await signInOf(fixture, id), factorless(id))
      assert.equal(
        await sessions.changeMfa(
          { userId: id, change: { kind: 'offer', sealedSecret: 'another' } },
          fixture.at(),
        ),
        true,
      )
    },
  },
  {
    id: 'mfa.unknown',
    name: 'an unknown user has no second factor and gets none',
    async check({ storage: { sessions }, at }) {
      const id = unknownId('user')
      assert.equal(await sessions.findSignIn({ userId: id }, at()), null)
      assert.equal(
        await sessions.changeMfa({ userId: id, change: { kind: 'offer', sealedSecret: 'sealed' } }, at()),
        false,
      )
      assert.equal(await sessions.redeemMfa({ userId: id, step: 1 }, at()), false)
    },
  },
  {
    id: 'sessions.new-factor',
    name: 'a login that was judged by an earlier second factor, or by none, begins no session',
    async check(fixture) {
      const { storage, at } = fixture
      const { sessions } = storage
      const { id: userId } = await addUser(fixture)
      let count = 0
      const begin = (mfaSecret?: string | null) =>
        sessions.insertSession(
          { ...newSession(userId, `f${count++}`), passwordHash: 'hash', mfaSecret },
          at(),
        )
      const change = (step: Parameters<typeof sessions.changeMfa>[0]['change']) =>
        sessions.changeMfa({ userId, change: step }, at())
      assert.equal((await begin(null)).userId, userId)
      await assertRefused(begin('sealed'), 'NOT_FOUND')
      await change({ kind: 'offer', sealedSecret: 'sealed' })
      assert.equal((await begin(null)).userId, userId)
      await change({ kind: 'enrol', sealedSecret: 'sealed', step: 1, recoveryHashes: [] })
      await assertRefused(begin(null), 'NOT_FOUND')
      await assertRefused(begin('another'), 'NOT_FOUND')
      assert.equal((await begin('sealed')).userId, userId)
      assert.equal((await begin()).userId, userId)
      await change({ kind: 'remove' })
      await assertRefused(begin('sealed'), 'NOT_FOUND')
      assert.equal((await begin(null)).userId, userId)
      assert.equal((await sessions.listSessions({ userId }, at())).length, 5)
    },
  },
]
