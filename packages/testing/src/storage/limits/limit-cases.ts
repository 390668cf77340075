import assert from 'node:assert/strict'
import type { LimitDecision } from '@taskboard/core'
import { seededChance } from '../chance.js'
import type { StorageCheck } from '../storage-case.js'
import { HOUR, MINUTE, SECOND, START, type StorageFixture } from '../storage-fixture.js'

const take = (
  { storage, at }: StorageFixture,
  afterMs: number,
  limit = 3,
  key = 'key:a',
): Promise<LimitDecision> => storage.limits.take({ key, limit, windowMs: MINUTE }, at(afterMs))

/** Rolling limits. */
export const limitCases: readonly StorageCheck[] = [
  {
    id: 'limits.take',
    name: 'a limit admits so many, counts them down, and refuses with the exact wait',
    async check(fixture) {
      const decisions: LimitDecision[] = []
      for (const afterMs of [0, SECOND, 2 * SECOND, 3 * SECOND]) decisions.push(await take(fixture, afterMs))
      assert.deepEqual(decisions, [
        { allowed: true, remaining: 2, retryAfterMs: 0 },
        { allowed: true, remaining: 1, retryAfterMs: 0 },
        { allowed: true, remaining: 0, retryAfterMs: 0 },
        { allowed: false, remaining: 0, retryAfterMs: MINUTE - 3 * SECOND },
      ])
    },
  },
  {
    id: 'limits.wait',
    name: 'after exactly the wait the next request passes, and a millisecond earlier it does not',
    async check(fixture) {
      for (let count = 0; count < 3; count++) await take(fixture, count)
      const { retryAfterMs } = await take(fixture, 10)
      assert.equal((await take(fixture, 10 + retryAfterMs - 1)).allowed, false)
      assert.equal((await take(fixture, 10 + retryAfterMs)).allowed, true)
    },
  },
  {
    id: 'limits.refusal-free',
    name: 'a refusal consumes nothing',
    async check(fixture) {
      for (let count = 0; count < 20; count++) await take(fixture, count)
      assert.equal((await take(fixture, MINUTE)).allowed, true)
    },
  },
  {
    id: 'limits.keys',
    name: 'keys do not count for one another',
    async check(fixture) {
      assert.equal((await take(fixture, 0, 1)).allowed, true)
      assert.equal((await take(fixture, 0, 1, 'key:b')).allowed, true)
      assert.equal((await take(fixture, 0, 1)).allowed, false)
    },
  },
  {
    id: 'limits.step-back',
    name: 'a clock that steps back admits nothing extra, and the wait is the window',
    async check(fixture) {
      for (let count = 0; count < 3; count++) await take(fixture, HOUR + count)
      const early = await take(fixture, 0)
      assert.deepEqual([early.allowed, early.retryAfterMs], [false, MINUTE - 2])
      assert.equal((await take(fixture, MINUTE - 3)).allowed, false)
      assert.equal((await take(fixture, MINUTE - 2)).allowed, true)
      assert.equal((await take(fixture, MINUTE - 2)).retryAfterMs, 1)
    },
  },
  {
    id: 'limits.step-back-true-time',
    name: 'however often and far the clock steps back, no true window admits more than the limit, and no wait is longer than it',
    async check(fixture) {
      const chance = seededChance(31)
      const admitted: number[] = []
      let afterMs = 300 * HOUR
      let trueMs = 0
      for (let count = 0; count < 400; count++) {
        const byMs = chance.below(8 * SECOND)
        trueMs += byMs
        afterMs += byMs
        if (chance.below(6) === 0) afterMs -= chance.below(chance.pick([5, 2 * MINUTE, 3 * HOUR]))
        const { allowed, retryAfterMs } = await take(fixture, afterMs, 7)
        if (allowed) admitted.push(trueMs)
        assert.ok(admitted.filter((time) => time > trueMs - MINUTE).length <= 7)
        assert.ok(retryAfterMs <= MINUTE)
      }
    },
  },
  {
    id: 'limits.exact',
    name: 'at random instants no rolling window ever admits more than the limit, and none that has room refuses',
    async check(fixture) {
      const chance = seededChance(11)
      const admitted: number[] = []
      let afterMs = 0
      for (let count = 0; count < 500; count++) {
        afterMs += chance.below(8 * SECOND)
        const recent = admitted.filter((time) => time > afterMs - MINUTE).length
        const { allowed } = await take(fixture, afterMs, 7)
        assert.equal(allowed, recent < 7)
        if (allowed) admitted.push(afterMs)
      }
    },
  },
  {
    id: 'limits.at-once',
    name: 'of many requests at once exactly the limit passes',
    async check(fixture) {
      const decisions = await Promise.all(Array.from({ length: 50 }, () => take(fixture, 0, 20)))
      assert.equal(decisions.filter(({ allowed }) => allowed).length, 20)
    },
  },
  {
    id: 'limits.prune',
    name: 'pruning drops what no window reaches back to, at most the limit, and nothing else',
    async check(fixture) {
      for (const key of ['a', 'b', 'c']) await take(fixture, 0, 1, key)
      await take(fixture, 30 * SECOND, 1, 'late')
      assert.equal(await fixture.storage.prune({ rows: 'limits', limit: 10 }, { now: START + MINUTE - 1 }), 0)
      assert.equal(await fixture.storage.prune({ rows: 'limits', limit: 2 }, { now: START + MINUTE }), 2)
      assert.equal(await fixture.storage.prune({ rows: 'limits', limit: 10 }, { now: START + MINUTE }), 1)
      assert.equal((await take(fixture, MINUTE, 1, 'late')).allowed, false)
    },
  },
]
