import assert from 'node:assert/strict'
import {
  emptyTierWindow,
  takeFromTierWindow,
  type TierDecision,
  type TierRates,
  type TierWindow,
} from '@taskboard/core/storage'
import { seededChance } from '../chance.js'
import type { StorageCheck } from '../storage-case.js'
import { HOUR, MINUTE, SECOND, START, type StorageFixture } from '../storage-fixture.js'

const RATES = { perHour: 5, perMinute: 3 }
const KEY = 'account:a'

/** START is on the hour. */
const take = (
  { storage, at }: StorageFixture,
  afterMs: number,
  rates: TierRates = RATES,
  key = KEY,
): Promise<TierDecision> => storage.limits.take({ key, ...rates }, at(afterMs))

/** Limits of an hour and a minute at the same time. */
export const tierLimitCases: readonly StorageCheck[] = [
  {
    id: 'tiers.take',
    name: 'a request counts in the hour and the minute, and both are returned',
    async check(fixture) {
      assert.deepEqual(await take(fixture, 90 * SECOND), {
        allowed: true,
        hour: { limit: 5, remaining: 4, resetAt: START + HOUR },
        minute: { limit: 3, remaining: 2 },
        retryAfterMs: 0,
      })
    },
  },
  {
    id: 'tiers.minute',
    name: 'a full minute refuses, consumes nothing of the hour, and names the exact wait',
    async check(fixture) {
      for (let count = 0; count < 3; count++) await take(fixture, 0)
      for (let count = 0; count < 9; count++) {
        assert.deepEqual(await take(fixture, 500), {
          allowed: false,
          hour: { limit: 5, remaining: 2, resetAt: START + HOUR },
          minute: { limit: 3, remaining: 0 },
          retryAfterMs: 60_500,
        })
      }
      assert.equal((await take(fixture, 60_999)).allowed, false)
      const next = await take(fixture, 61_000)
      assert.deepEqual([next.allowed, next.hour?.remaining, next.minute?.remaining], [true, 1, 2])
    },
  },
  {
    id: 'tiers.hour',
    name: 'a full hour refuses until its end, and consumes nothing of the minute',
    async check(fixture) {
      for (const afterMs of [0, 2 * MINUTE, 4 * MINUTE, 6 * MINUTE, 57 * MINUTE])
        assert.equal((await take(fixture, afterMs)).allowed, true)
      for (let count = 0; count < 9; count++) {
        const { allowed, minute, retryAfterMs } = await take(fixture, 59 * MINUTE)
        assert.deepEqual([allowed, minute?.remaining, retryAfterMs], [false, 3, MINUTE])
      }
      assert.equal((await take(fixture, HOUR - 1)).allowed, false)
      const next = await take(fixture, HOUR)
      assert.deepEqual(
        [next.allowed, next.hour, next.minute?.remaining],
        [true, { limit: 5, remaining: 4, resetAt: START + 2 * HOUR }, 2],
      )
    },
  },
  {
    id: 'tiers.unlimited',
    name: 'an hour or a minute without a limit refuses nothing and is not returned',
    async check(fixture) {
      for (let count = 0; count < 3; count++) await take(fixture, 0, { perHour: null, perMinute: 3 })
      const minute = await take(fixture, 0, { perHour: null, perMinute: 3 })
      assert.deepEqual([minute.allowed, minute.hour, minute.retryAfterMs], [false, null, 61_000])
      for (let count = 0; count < 5; count++) await take(fixture, 0, { perHour: 5, perMinute: null }, 'b')
      const hour = await take(fixture, 0, { perHour: 5, perMinute: null }, 'b')
      assert.deepEqual([hour.allowed, hour.minute, hour.retryAfterMs], [false, null, HOUR])
    },
  },
  {
    id: 'tiers.apart',
    name: 'accounts do not count for one another, nor for a rolling limit of the same key',
    async check(fixture) {
      const once = { perHour: 1, perMinute: 1 }
      assert.equal((await take(fixture, 0, once)).allowed, true)
      assert.equal((await take(fixture, 0, once, 'account:b')).allowed, true)
      const rolling = await fixture.storage.limits.take(
        { key: KEY, limit: 1, windowMs: MINUTE },
        fixture.at(),
      )
      assert.equal(rolling.allowed, true)
      assert.equal((await take(fixture, 0, once)).allowed, false)
    },
  },
  {
    id: 'tiers.step-back',
    name: 'a clock that steps back admits nothing extra, and no wait is longer than its window',
    async check(fixture) {
      const minutely = { perHour: null, perMinute: 3 }
      for (let count = 0; count < 3; count++) await take(fixture, 3 * HOUR, minutely)
      const { allowed, retryAfterMs } = await take(fixture, 0, minutely)
      assert.deepEqual([allowed, retryAfterMs], [false, 61_000])
      assert.equal((await take(fixture, 60_999, minutely)).allowed, false)
      assert.equal((await take(fixture, 61_000, minutely)).allowed, true)
      const hourly = { perHour: 3, perMinute: null }
      for (let count = 0; count < 3; count++) await take(fixture, 3 * HOUR, hourly, 'b')
      assert.deepEqual(await take(fixture, MINUTE, hourly, 'b'), {
        allowed: false,
        hour: { limit: 3, remaining: 0, resetAt: START + HOUR },
        minute: null,
        retryAfterMs: HOUR - MINUTE,
      })
      assert.equal((await take(fixture, HOUR - 1, hourly, 'b')).allowed, false)
      assert.equal((await take(fixture, HOUR, hourly, 'b')).allowed, true)
    },
  },
  {
    id: 'tiers.model',
    name: 'at random instants, with limits that change and a clock that steps back, all is as the windows define it',
    async check(fixture) {
      const chance = seededChance(23)
      const windows = new Map<string, TierWindow>()
      let afterMs = 0
      for (let count = 0; count < 400; count++) {
        afterMs = Math.max(0, afterMs + chance.below(chance.pick([2, 900, 20_000, 900_000])) - 300)
        if (chance.below(40) === 0) afterMs = Math.max(0, afterMs - 2 * HOUR)
        const rates = chance.below(9) === 0 ? { perHour: 12, perMinute: null } : { perHour: 25, perMinute: 4 }
        const key = chance.pick(['account:a', 'account:b'])
        const window = windows.get(key) ?? emptyTierWindow()
        windows.set(key, window)
        const expected = takeFromTierWindow(window, rates, START + afterMs)
        assert.deepEqual(await take(fixture, afterMs, rates, key), expected)
      }
    },
  },
  {
    id: 'tiers.at-once',
    name: 'of many requests at once exactly as many pass as the limit allows, each with its own count',
    async check(fixture) {
      await take(fixture, 0, { perHour: 30, perMinute: 20 })
      const asked = Array.from({ length: 50 }, () => take(fixture, 0, { perHour: 30, perMinute: 20 }))
      const decisions = await Promise.all(asked)
      const admitted = decisions.filter(({ allowed }) => allowed)
      assert.equal(admitted.length, 19)
      const left = (of: 'hour' | 'minute') => admitted.map((each) => each[of]?.remaining).toSorted(ascending)
      assert.deepEqual(
        left('minute'),
        Array.from({ length: 19 }, (_, index) => index),
      )
      assert.deepEqual(
        left('hour'),
        Array.from({ length: 19 }, (_, index) => index + 10),
      )
    },
  },
  {
    id: 'tiers.prune',
    name: 'pruning drops accounts of which nothing counts any more, and nothing else',
    async check(fixture) {
      for (const key of ['a', 'b']) await take(fixture, 0, RATES, key)
      await take(fixture, HOUR - SECOND, { perHour: 1, perMinute: 1 }, 'late')
      assert.equal(await fixture.storage.prune({ rows: 'limits', limit: 10 }, { now: START + HOUR - 1 }), 0)
      assert.equal(await fixture.storage.prune({ rows: 'limits', limit: 1 }, { now: START + HOUR }), 1)
      assert.equal(await fixture.storage.prune({ rows: 'limits', limit: 10 }, { now: START + HOUR }), 1)
      assert.equal(
        await fixture.storage.prune({ rows: 'limits', limit: 10 }, { now: START + HOUR + 59_999 }),
        0,
      )
      assert.equal((await take(fixture, HOUR + 59_999, { perHour: 1, perMinute: 1 }, 'late')).allowed, false)
      assert.equal(
        await fixture.storage.prune({ rows: 'limits', limit: 10 }, { now: START + HOUR + 60_000 }),
        1,
      )
    },
  },
]

const ascending = (a: number | undefined, b: number | undefined): number => (a ?? 0) - (b ?? 0)
