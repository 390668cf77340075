import assert from 'node:assert/strict'
import { assertRefused, type StorageCheck } from '../storage-case.js'
import { DAY, unknownId } from '../storage-fixture.js'
import { addUser, newSession } from './session-cases.js'

/** Users as such, without a session. */
export const userCases: readonly StorageCheck[] = [
  {
    id: 'users.verified-address',
    name: 'an address is known to be the user’s when it is said, or was shown by an invitation in the mail',
    async check({ storage: { access, sessions }, accountId, at }) {
      const isVerified = async (email: string) =>
        (await sessions.findSignIn({ email }, at()))?.isEmailVerified ?? null
      const email = 'bea@example.com'
      const user = { accountId, email, passwordHash: 'hash', scopes: null, isEmailVerified: true }
      const { id: userId } = await access.insertUser(user, at())
      assert.equal(await isVerified(email), true)
      await access.setEmailVerified({ userId, isEmailVerified: false }, at())
      assert.equal(await isVerified(email), false)
      const unknown = { userId: unknownId('user'), isEmailVerified: true }
      await assertRefused(access.setEmailVerified(unknown, at()), 'NOT_FOUND')
      for (const isMailed of [true, false]) {
        const invited = `invited-${isMailed}@example.com`
        const invitation = {
          accountId,
          email: invited,
          scopes: null,
          createdBy: userId,
          ttlMs: DAY,
          most: 20,
        }
        const tokenHash = `hash of ${invited}`
        await access.insertInvitation({ ...invitation, tokenHash, isMailed }, at())
        await access.acceptInvitation({ tokenHash, passwordHash: 'hash' }, at())
        assert.equal(await isVerified(invited), isMailed)
      }
    },
  },
  {
    id: 'users.principal',
    name: 'a user has the same principal with and without a session, while the account exists',
    async check(fixture) {
      const { storage, accountId, at } = fixture
      const { id: userId } = await addUser(fixture)
      const session = await storage.sessions.insertSession(newSession(userId, 'family'), at())
      const found = await storage.access.findPrincipal({ userId }, at())
      const inSession = await storage.access.findPrincipal({ sessionId: session.id }, at())
      const { sessionId: _, ...principal } = inSession?.principal ?? {}
      assert.deepEqual(found, { principal, expiresInMs: null, provenAgoMs: null, isUseNoted: true })
      assert.equal(await storage.access.findPrincipal({ userId: unknownId('user') }, at()), null)
      await storage.access.beginDeletion({ accountId }, at())
      assert.equal(await storage.access.findPrincipal({ userId }, at()), null)
    },
  },
]
