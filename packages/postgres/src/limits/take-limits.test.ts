import type { LimitDecision } from '@taskboard/core'
import {
  createStorageSettings,
  emptyWindow,
  remainingInWindow,
  takeFromWindow,
  type LimitRequest,
  type RollingWindow,
} from '@taskboard/core/storage'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createMigratedDatabase, type TestDatabase } from '@taskboard/kit/postgres/test-database'
import { createDatabase, type Database } from '../database/database.js'
import { createLimitStore, takeLimits } from './limit-store.js'

const START = Date.UTC(2026, 0, 1)
const WINDOW_MS = 60_000

function model(): (request: LimitRequest, now: number) => LimitDecision {
  const windows = new Map<string, RollingWindow>()
  return ({ key, limit, windowMs }, now) => {
    const window = windows.get(key) ?? emptyWindow()
    windows.set(key, window)
    const retryAfterMs = takeFromWindow(window, limit, windowMs, now)
    const allowed = retryAfterMs === 0
    return { allowed, remaining: allowed ? remainingInWindow(window, limit) : 0, retryAfterMs }
  }
}

const request = fc.record({
  key: fc.constantFrom('a', 'b', 'c'),
  limit: fc.constantFrom(1, 3, 3, 3, 5),
  windowMs: fc.constant(WINDOW_MS),
})
const batches = fc.array(
  fc.record({
    stepMs: fc.integer({ min: -20_000, max: 50_000 }),
    requests: fc.array(request, { minLength: 1, maxLength: 8 }),
  }),
  { minLength: 1, maxLength: 12 },
)

describe('decisions in batches', () => {
  let test: TestDatabase
  const databases: Database[] = []
  beforeAll(async () => {
    test = await createMigratedDatabase()
    for (let process = 0; process < 4; process++) {
      const settings = createStorageSettings()
      databases.push(createDatabase({ pool: test.pool, settings, preparedStatements: true }))
    }
  })
  afterAll(() => test.drop())

  it('equal decisions made one by one, whatever the clock does', async () => {
    const [database] = databases as [Database]
    await fc.assert(
      fc.asyncProperty(batches, async (steps) => {
        await test.pool.query('truncate taskboard.rolling_limit')
        const decide = model()
        let now = START
        for (const { stepMs, requests } of steps) {
          now += stepMs
          const expected = requests.map((each) => decide(each, now))
          expect(await takeLimits(database, requests, now)).toEqual(expected)
        }
      }),
      { numRuns: 60 },
    )
  })

  it('are exact across concurrent processes by the database’s clock', async () => {
    const stores = databases.map(createLimitStore)
    const limits = [60, 7]
    const asked = stores.flatMap((store) =>
      Array.from({ length: 100 }, (_, index) => {
        const which = index % limits.length
        return store.take(
          { key: `at-once-${which}`, limit: limits[which] ?? 0, windowMs: 600_000 },
          { now: null },
        )
      }),
    )
    const decisions = await Promise.all(asked)
    const admitted = limits.map((_, which) =>
      decisions.filter(({ allowed }, index) => allowed && index % limits.length === which),
    )
    expect(admitted.map(({ length }) => length)).toEqual(limits)
    expect(admitted[1]?.map(({ remaining }) => remaining).toSorted()).toEqual([0, 1, 2, 3, 4, 5, 6])
  })
})
