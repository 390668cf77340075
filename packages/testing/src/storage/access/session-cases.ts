import assert from 'node:assert/strict'
import { scopes, type User } from '@taskboard/core'
import type { RefreshOutcome } from '@taskboard/core/storage'
import { assertRefused, type StorageCheck } from '../storage-case.js'
import { DAY, HOUR, MINUTE, SECOND, START, unknownId, type StorageFixture } from '../storage-fixture.js'

const GRACE = 10 * SECOND

/** A user of the fixture's account. */
export function addUser(
  { storage, accountId, at }: StorageFixture,
  email = 'ada@example.com',
): Promise<User> {
  return storage.access.insertUser(
    { accountId, email, passwordHash: 'hash', scopes: ['tasks:read', 'account:write'] },
    at(),
  )
}

const FIRST = { clientAddress: '192.0.2.1', userAgent: 'curl/8' }
const LATER = { clientAddress: '2001:db8::7', userAgent: null }

/** A session to begin. Its first refresh token is valid for `ttlMs`. */
export const newSession = (userId: string, familyHash: string, ttlMs = DAY) => ({
  userId,
  familyHash,
  tokenHash: 't0',
  ttlMs,
  longestMs: 90 * DAY,
  origin: FIRST,
})

async function beginSession(fixture: StorageFixture, tokenHash = 't0', ttlMs = 30 * DAY) {
  const { id: userId } = await addUser(fixture)
  const begun = { ...newSession(userId, 'family', ttlMs), tokenHash }
  return fixture.storage.sessions.insertSession(begun, fixture.at())
}

function refresh({ storage, at }: StorageFixture, tokenHash: string, next: string, afterMs: number) {
  const request = {
    familyHash: 'family',
    tokenHash,
    nextTokenHash: next,
    ttlMs: 30 * DAY,
    reuseGraceMs: GRACE,
    origin: LATER,
  }
  return storage.sessions.consumeRefreshToken(request, at(afterMs))
}

const outcomes = (results: readonly (RefreshOutcome | null)[]) => results.map((each) => each?.outcome ?? null)

/** Sessions with their refresh tokens, and the counting of guesses. */
export const sessionCases: readonly StorageCheck[] = [
  {
    id: 'sessions.sign-in',
    name: 'a user is found by the address and by the id, and not by another',
    async check(fixture) {
      const { sessions } = fixture.storage
      const { id: userId } = await addUser(fixture)
      const { accountId } = fixture
      const [account] = await fixture.storage.access.listAccounts({ accountId }, fixture.at())
      const found = await sessions.findSignIn({ email: 'ada@example.com' }, fixture.at())
      const noMfa = { mfaSecret: null, mfaPendingSecret: null }
      assert.deepEqual(found, {
        userId,
        email: 'ada@example.com',
        isEmailVerified: false,
        accountId,
        accountName: account?.name,
        passwordHash: 'hash',
        ...noMfa,
        asOf: START,
      })
      assert.deepEqual(await sessions.findSignIn({ userId }, fixture.at()), found)
      assert.equal(await sessions.findSignIn({ email: 'eve@example.com' }, fixture.at()), null)
    },
  },
  {
    id: 'sessions.all-scopes',
    name: 'a user without a list of scopes has all that there are',
    async check({ storage, accountId, at }) {
      const added = await storage.access.insertUser(
        { accountId, email: 'ada@example.com', passwordHash: 'hash', scopes: null },
        at(),
      )
      assert.deepEqual(added.scopes, scopes)
      assert.deepEqual(await storage.access.listUsers({ accountId }, at()), [added])
      const owner = { email: 'eve@example.com', passwordHash: 'hash', scopes: null }
      const account = { name: 'x', tier: 'professional', workspaceName: 'x', agent: null, owner } as const
      const { user } = await storage.access.insertAccount(account, at())
      assert.deepEqual(user?.scopes, scopes)
      const session = await storage.sessions.insertSession(newSession(added.id, 'family'), at())
      const found = await storage.access.findPrincipal({ sessionId: session.id }, at())
      assert.deepEqual(found?.principal.scopes, scopes)
    },
  },
  {
    id: 'sessions.principal',
    name: 'a session stands for its user until its end; one for an unknown user is NOT_FOUND',
    async check(fixture) {
      const { storage, accountId, workspaceId, at } = fixture
      await fixture.addWorkspace()
      const session = await beginSession(fixture, 't0', DAY)
      assert.deepEqual(await storage.access.findPrincipal({ sessionId: session.id }, at(DAY - 1)), {
        principal: {
          id: session.userId,
          kind: 'user',
          name: 'ada@example.com',
          accountId,
          tier: 'professional',
          scopes: ['tasks:read', 'account:write'],
          workspaceIds: 'all',
          defaultWorkspaceId: workspaceId,
          sessionId: session.id,
        },
        expiresInMs: 1,
        provenAgoMs: DAY - 1,
        isUseNoted: true,
      })
      assert.equal(await storage.access.findPrincipal({ sessionId: session.id }, at(DAY)), null)
      assert.equal(await storage.access.findPrincipal({ sessionId: unknownId('ses') }, at()), null)
      const nobody = newSession(unknownId('user'), 'f')
      await assertRefused(storage.sessions.insertSession(nobody, at()), 'NOT_FOUND')
    },
  },
  {
    id: 'sessions.rotate',
    name: 'each refresh token is valid once, and extends the session',
    async check(fixture) {
      const session = await beginSession(fixture)
      assert.equal(session.expiresInMs, 30 * DAY)
      const rotated = await refresh(fixture, 't0', 't1', DAY)
      assert.deepEqual(rotated, { outcome: 'rotated', session })
      assert.equal((await refresh(fixture, 't1', 't2', 2 * DAY))?.outcome, 'rotated')
      const found = await fixture.storage.access.findPrincipal(
        { sessionId: session.id },
        fixture.at(31 * DAY),
      )
      assert.equal(found?.expiresInMs, DAY)
      assert.equal(await refresh(fixture, 't2', 't3', 32 * DAY), null)
    },
  },
  {
    id: 'sessions.longest',
    name: 'however often it is refreshed, a session ends after its longest time',
    async check(fixture) {
      const session = await beginSession(fixture)
      for (const [count, day] of [29, 58].entries()) {
        await refresh(fixture, `t${count}`, `t${count + 1}`, day * DAY)
      }
      const last = await refresh(fixture, 't2', 't3', 87 * DAY)
      assert.deepEqual(last, { outcome: 'rotated', session: { ...session, expiresInMs: 3 * DAY } })
      assert.equal(await refresh(fixture, 't3', 't4', 90 * DAY), null)
      const { sessions } = fixture.storage
      const short = { ...newSession(session.userId, 'short', DAY), longestMs: HOUR }
      assert.equal((await sessions.insertSession(short, fixture.at())).expiresInMs, HOUR)
    },
  },
  {
    id: 'sessions.list',
    name: 'a user sees the sessions that last, newest first, with their last use, and ends one of them or all but one',
    async check(fixture) {
      const { storage, at } = fixture
      const { sessions, access } = storage
      const { id, userId } = await beginSession(fixture)
      const ada = { userId }
      const eve = { userId: (await addUser(fixture, 'eve@example.com')).id }
      const other = await sessions.insertSession(newSession(eve.userId, 'eve'), at())
      const second = await sessions.insertSession(newSession(userId, 'second'), at(SECOND))
      const third = await sessions.insertSession(newSession(userId, 'third', HOUR), at(2 * SECOND))
      await refresh(fixture, 't0', 't1', MINUTE)
      const times = { createdAt: START, lastUsedAt: START + MINUTE, expiresAt: START + MINUTE + 30 * DAY }
      const begun = START + SECOND
      assert.deepEqual(await sessions.listSessions(ada, at(HOUR + 2 * SECOND)), [
        {
          id: second.id,
          userId,
          createdAt: begun,
          lastUsedAt: begun,
          expiresAt: begun + DAY,
          ...FIRST,
        },
        { id, userId, ...times, ...LATER },
      ])
      assert.deepEqual(await sessions.endSessions({ ...ada, id: other.id }, at(MINUTE)), [])
      assert.deepEqual(await sessions.endSessions({ ...ada, id: third.id }, at(MINUTE)), [third.id])
      assert.deepEqual(await sessions.endSessions({ ...ada, id: third.id }, at(MINUTE)), [])
      assert.deepEqual(await sessions.endSessions({ ...ada, exceptId: second.id }, at(MINUTE)), [id])
      const left = await sessions.listSessions(ada, at(MINUTE))
      assert.deepEqual(
        left.map((each) => each.id),
        [second.id],
      )
      assert.equal(await access.findPrincipal({ sessionId: id }, at(MINUTE)), null)
      assert.deepEqual(await sessions.endSessions({ ...ada, exceptId: null }, at(MINUTE)), [second.id])
      assert.deepEqual(await sessions.listSessions(ada, at(MINUTE)), [])
      assert.equal((await sessions.listSessions(eve, at(MINUTE))).length, 1)
      assert.deepEqual(await sessions.listSessions({ userId: unknownId('user') }, at()), [])
    },
  },
  {
    id: 'sessions.prove',
    name: 'a session is proven when it begins and when its user shows it, and not when it is refreshed',
    async check(fixture) {
      const { storage, at } = fixture
      const { sessions, access } = storage
      const { id, userId } = await beginSession(fixture)
      const provenAgoMs = async (afterMs: number) =>
        (await access.findPrincipal({ sessionId: id }, at(afterMs)))?.provenAgoMs
      await refresh(fixture, 't0', 't1', MINUTE)
      assert.equal(await provenAgoMs(HOUR), HOUR)
      assert.equal(await sessions.proveSession({ id, userId }, at(HOUR)), true)
      assert.equal(await provenAgoMs(HOUR + 1), 1)
      const { id: stranger } = await addUser(fixture, 'eve@example.com')
      assert.equal(await sessions.proveSession({ id, userId: stranger }, at(2 * HOUR)), false)
      assert.equal(await sessions.proveSession({ id: unknownId('ses'), userId }, at(2 * HOUR)), false)
      await sessions.endSession({ id }, at(2 * HOUR))
      assert.equal(await sessions.proveSession({ id, userId }, at(2 * HOUR)), false)
    },
  },
  {
    id: 'sessions.unknown-family',
    name: 'a token without a session, or of an ended one, is invalid',
    async check(fixture) {
      assert.equal(await refresh(fixture, 't0', 't1', 0), null)
      const session = await beginSession(fixture)
      const { sessions } = fixture.storage
      const { id, userId } = session
      const ended = await sessions.endSession({ familyHash: 'family' }, fixture.at(SECOND))
      assert.deepEqual(ended, { id, userId })
      assert.equal(await sessions.endSession({ id: session.id }, fixture.at(SECOND)), null)
      assert.equal(await refresh(fixture, 't0', 't1', SECOND), null)
      assert.equal(
        await fixture.storage.access.findPrincipal({ sessionId: session.id }, fixture.at(SECOND)),
        null,
      )
      assert.equal(await sessions.endSession({ familyHash: 'other' }, fixture.at()), null)
    },
  },
  {
    id: 'sessions.reuse-soon',
    name: 'a token that was replaced within ten seconds fails and harms nothing, however many came after it',
    async check(fixture) {
      await beginSession(fixture)
      await refresh(fixture, 't0', 't1', 0)
      await refresh(fixture, 't1', 't2', SECOND)
      assert.equal((await refresh(fixture, 't0', 'x', GRACE - 1))?.outcome, 'reused')
      assert.equal((await refresh(fixture, 't1', 'x', GRACE))?.outcome, 'reused')
      assert.equal((await refresh(fixture, 't2', 't3', GRACE))?.outcome, 'rotated')
    },
  },
  {
    id: 'sessions.reuse-late',
    name: 'a token that was replaced earlier ends the session, also when a later one was replaced just now',
    async check(fixture) {
      const session = await beginSession(fixture)
      await refresh(fixture, 't0', 't1', 0)
      await refresh(fixture, 't1', 't2', GRACE - 1)
      const late = await refresh(fixture, 't0', 'x', GRACE)
      assert.deepEqual([late?.outcome, late?.session.id], ['ended', session.id])
      assert.equal(await refresh(fixture, 't2', 't3', GRACE), null)
      assert.equal(
        await fixture.storage.access.findPrincipal({ sessionId: session.id }, fixture.at(GRACE)),
        null,
      )
    },
  },
  {
    id: 'sessions.over-for-good',
    name: 'a session that was ended stays so for a clock that is behind, and after a reuse too',
    async check(fixture) {
      const { sessions } = fixture.storage
      const session = await beginSession(fixture)
      await sessions.endSession({ id: session.id }, fixture.at(SECOND))
      assert.equal(await refresh(fixture, 't0', 't1', 0), null)
      assert.equal(await fixture.storage.access.findPrincipal({ sessionId: session.id }, fixture.at()), null)
      const other = await sessions.insertSession(newSession(session.userId, 'other'), fixture.at())
      const shown = {
        familyHash: 'other',
        nextTokenHash: 't1',
        ttlMs: DAY,
        reuseGraceMs: GRACE,
        origin: LATER,
      }
      assert.equal(
        (await sessions.consumeRefreshToken({ ...shown, tokenHash: 'stolen' }, fixture.at(SECOND)))?.outcome,
        'ended',
      )
      assert.equal(await sessions.consumeRefreshToken({ ...shown, tokenHash: 't0' }, fixture.at()), null)
      assert.equal(await fixture.storage.access.findPrincipal({ sessionId: other.id }, fixture.at()), null)
    },
  },
  {
    id: 'sessions.refresh-loop',
    name: 'of many tokens that were replaced within ten seconds the newest twenty are known, and the others end the session',
    async check(fixture) {
      await beginSession(fixture)
      for (let count = 0; count < 30; count++) await refresh(fixture, `t${count}`, `t${count + 1}`, count)
      assert.equal((await refresh(fixture, 't29', 'x', SECOND))?.outcome, 'reused')
      assert.equal((await refresh(fixture, 't10', 'x', SECOND))?.outcome, 'reused')
      assert.equal((await refresh(fixture, 't9', 'x', SECOND))?.outcome, 'ended')
    },
  },
  {
    id: 'sessions.new-password',
    name: 'a new password ends the sessions of its user alone, and logins that were judged by the old one',
    async check(fixture) {
      const { storage, at } = fixture
      const { sessions, access } = storage
      const session = await beginSession(fixture)
      const other = await addUser(fixture, 'eve@example.com')
      const kept = await sessions.insertSession(newSession(other.id, 'kept'), at())
      const { id: also } = await sessions.insertSession(newSession(session.userId, 'second'), at())
      const ended = await access.setPassword({ userId: session.userId, passwordHash: 'another' }, at(SECOND))
      assert.deepEqual(ended.toSorted(), [session.id, also].toSorted())
      assert.equal(await refresh(fixture, 't0', 't1', SECOND), null)
      assert.equal(await fixture.storage.access.findPrincipal({ sessionId: also }, at(SECOND)), null)
      assert.notEqual(await fixture.storage.access.findPrincipal({ sessionId: kept.id }, at(SECOND)), null)
      assert.equal((await sessions.findSignIn({ email: 'ada@example.com' }, at()))?.passwordHash, 'another')
      const login = newSession(session.userId, 'login')
      await assertRefused(sessions.insertSession({ ...login, passwordHash: 'hash' }, at()), 'NOT_FOUND')
      assert.equal(
        (await sessions.insertSession({ ...login, passwordHash: 'another' }, at())).userId,
        session.userId,
      )
      await assertRefused(
        access.setPassword({ userId: unknownId('user'), passwordHash: 'another' }, at()),
        'NOT_FOUND',
      )
      assert.deepEqual(await access.setPassword({ userId: other.id, passwordHash: 'h' }, at(DAY)), [])
    },
  },
  {
    id: 'sessions.renewed-hash',
    name: 'another hash of the same password ends no session, and replaces only the hash that it was made for',
    async check(fixture) {
      const { storage, at } = fixture
      const { sessions, access } = storage
      const { id, userId } = await beginSession(fixture)
      const change = { userId, passwordHash: 'hash', next: 'stronger' }
      assert.equal(await sessions.renewPasswordHash(change, at()), true)
      assert.equal((await sessions.findSignIn({ userId }, at()))?.passwordHash, 'stronger')
      assert.notEqual(await access.findPrincipal({ sessionId: id }, at()), null)
      assert.equal(await sessions.renewPasswordHash(change, at()), false)
      assert.equal(await sessions.renewPasswordHash({ ...change, userId: unknownId('user') }, at()), false)
    },
  },
  {
    id: 'sessions.at-once',
    name: 'of many who show one token at the same time one gets the next, and the session lives',
    async check(fixture) {
      await beginSession(fixture)
      const names = Array.from({ length: 10 }, (_, index) => `n${index}`)
      const shown = await Promise.all(names.map((name) => refresh(fixture, 't0', name, SECOND)))
      const which = outcomes(shown)
      assert.equal(which.filter((outcome) => outcome === 'reused').length, 9)
      const winner = names[which.indexOf('rotated')] ?? ''
      assert.equal((await refresh(fixture, winner, 'after', 2 * SECOND))?.outcome, 'rotated')
    },
  },
  {
    id: 'sessions.prune',
    name: 'pruning drops sessions that are over, at most the limit, and nothing else',
    async check(fixture) {
      const { sessions } = fixture.storage
      const { userId } = await beginSession(fixture)
      for (const family of ['a', 'b', 'c']) {
        await sessions.insertSession(newSession(userId, family), fixture.at())
      }
      assert.equal(await fixture.storage.prune({ rows: 'sessions', limit: 10 }, { now: START + DAY - 1 }), 0)
      assert.equal(await fixture.storage.prune({ rows: 'sessions', limit: 2 }, { now: START + DAY }), 2)
      assert.equal(await fixture.storage.prune({ rows: 'sessions', limit: 10 }, { now: START + DAY }), 1)
      assert.equal((await refresh(fixture, 't0', 't1', DAY))?.outcome, 'rotated')
    },
  },
]
