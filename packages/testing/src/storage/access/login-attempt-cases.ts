import assert from 'node:assert/strict'
import type { AttemptKind } from '@taskboard/core/storage'
import type { StorageCheck } from '../storage-case.js'
import { HOUR, MINUTE, SECOND, START, type StorageFixture } from '../storage-fixture.js'

const LOCK = 15 * MINUTE

function guess({ storage, at }: StorageFixture, kind: AttemptKind, afterMs = 0, key = 'key') {
  return storage.sessions.takeLoginAttempt({ key, kind }, at(afterMs))
}

/** Guesses of passwords and codes, which lock those who make too many. */
export const loginAttemptCases: readonly StorageCheck[] = [
  {
    id: 'sessions.lock-passwords',
    name: 'ten passwords may be guessed; then the key is locked for 15 minutes, which no guess makes longer',
    async check(fixture) {
      for (let count = 0; count < 10; count++) {
        assert.deepEqual(await guess(fixture, 'password', count * SECOND), { allowed: true, retryAfterMs: 0 })
      }
      const until = 9 * SECOND + LOCK
      for (const afterMs of [9 * SECOND, MINUTE, until - 1]) {
        const refused = await guess(fixture, 'password', afterMs)
        assert.deepEqual(refused, { allowed: false, retryAfterMs: until - afterMs })
      }
      assert.equal((await guess(fixture, 'password', MINUTE, 'other')).allowed, true)
      for (let count = 0; count < 10; count++) {
        assert.equal((await guess(fixture, 'password', until)).allowed, true)
      }
      assert.equal((await guess(fixture, 'password', until)).allowed, false)
    },
  },
  {
    id: 'sessions.lock-codes',
    name: 'five codes may be guessed, also in the login of the tenth password; then passwords are locked too',
    async check(fixture) {
      for (let count = 0; count < 10; count++) await guess(fixture, 'password')
      for (let count = 0; count < 5; count++) assert.equal((await guess(fixture, 'code')).allowed, true)
      assert.equal((await guess(fixture, 'code')).allowed, false)
      for (let count = 0; count < 5; count++) await guess(fixture, 'code', 0, 'other')
      const refused = await guess(fixture, 'password', SECOND, 'other')
      assert.deepEqual(refused, { allowed: false, retryAfterMs: LOCK - SECOND })
    },
  },
  {
    id: 'sessions.lock-step-back',
    name: 'a lock that began before the clock stepped back ends 15 minutes after the first guess since, and no later',
    async check(fixture) {
      for (let count = 0; count < 10; count++) await guess(fixture, 'password', HOUR)
      assert.deepEqual(await guess(fixture, 'password', 0), { allowed: false, retryAfterMs: LOCK })
      assert.deepEqual(await guess(fixture, 'password', MINUTE), {
        allowed: false,
        retryAfterMs: LOCK - MINUTE,
      })
      assert.equal((await guess(fixture, 'password', LOCK - 1)).allowed, false)
      assert.equal((await guess(fixture, 'password', LOCK)).allowed, true)
    },
  },
  {
    id: 'sessions.guesses-step-back',
    name: 'guesses from before the clock stepped back count until 15 minutes after the last',
    async check(fixture) {
      for (let count = 0; count < 8; count++) await guess(fixture, 'password', HOUR)
      assert.equal((await guess(fixture, 'password', 0)).allowed, true)
      assert.equal((await guess(fixture, 'password', LOCK - 1)).allowed, true)
      assert.deepEqual(await guess(fixture, 'password', LOCK), {
        allowed: false,
        retryAfterMs: LOCK - 1,
      })
      assert.equal((await guess(fixture, 'password', 2 * LOCK - 1)).allowed, true)
    },
  },
  {
    id: 'sessions.lock-forgotten',
    name: 'guesses are forgotten by a right one, and 15 minutes after the last',
    async check(fixture) {
      for (let count = 0; count < 10; count++) await guess(fixture, 'password')
      await fixture.storage.sessions.clearLoginAttempts({ key: 'key' }, fixture.at())
      for (let count = 0; count < 9; count++) await guess(fixture, 'password')
      assert.equal((await guess(fixture, 'password', LOCK)).allowed, true)
      for (let count = 0; count < 9; count++) {
        assert.equal((await guess(fixture, 'password', LOCK)).allowed, true)
      }
      assert.equal((await guess(fixture, 'password', LOCK)).allowed, false)
    },
  },
  {
    id: 'sessions.lock-given-back',
    name: 'a guess that could not be checked is given back, and no other one',
    async check(fixture) {
      const { sessions } = fixture.storage
      for (let count = 0; count < 10; count++) await guess(fixture, 'password')
      await sessions.clearLoginAttempts({ key: 'key', one: 'password' }, fixture.at())
      assert.equal((await guess(fixture, 'password')).allowed, true)
      assert.equal((await guess(fixture, 'password')).allowed, false)
      await sessions.clearLoginAttempts({ key: 'key', one: 'code' }, fixture.at())
      assert.equal((await guess(fixture, 'password')).allowed, false)
      await sessions.clearLoginAttempts({ key: 'none', one: 'password' }, fixture.at())
    },
  },
  {
    id: 'sessions.lock-at-once',
    name: 'of many guesses at once exactly ten are allowed',
    async check(fixture) {
      const decisions = await Promise.all(Array.from({ length: 40 }, () => guess(fixture, 'password')))
      assert.equal(decisions.filter(({ allowed }) => allowed).length, 10)
      for (const { allowed, retryAfterMs } of decisions) assert.equal(retryAfterMs, allowed ? 0 : LOCK)
    },
  },
  {
    id: 'sessions.lock-prune',
    name: 'pruning drops guesses that count no more, at most the limit, and nothing else',
    async check(fixture) {
      for (const key of ['a', 'b', 'c']) await guess(fixture, 'password', 0, key)
      for (let count = 0; count < 10; count++) await guess(fixture, 'password', SECOND)
      assert.equal(
        await fixture.storage.prune({ rows: 'login_attempts', limit: 10 }, { now: START + LOCK - 1 }),
        0,
      )
      assert.equal(
        await fixture.storage.prune({ rows: 'login_attempts', limit: 2 }, { now: START + LOCK }),
        2,
      )
      assert.equal(
        await fixture.storage.prune({ rows: 'login_attempts', limit: 10 }, { now: START + LOCK }),
        1,
      )
      assert.equal((await guess(fixture, 'password', LOCK)).allowed, false)
    },
  },
]
