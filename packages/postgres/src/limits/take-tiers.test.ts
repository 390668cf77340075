import {
  createStorageSettings,
  emptyTierWindow,
  takeFromTierWindow,
  type TierDecision,
  type TierRequest,
  type TierWindow,
} from '@taskboard/core/storage'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createMigratedDatabase, type TestDatabase } from '@taskboard/kit/postgres/test-database'
import { createDatabase, type Database } from '../database/database.js'
import { createLimitStore } from './limit-store.js'
import { createQuotaStore } from './quota-store.js'
import { takeTiers } from './tier-limits.js'

const START = Date.UTC(2026, 0, 1)
const PROCESSES = 4

function model(): (request: TierRequest, now: number) => TierDecision {
  const windows = new Map<string, TierWindow>()
  return (request, now) => {
    const window = windows.get(request.key) ?? emptyTierWindow()
    windows.set(request.key, window)
    return takeFromTierWindow(window, request, now)
  }
}

const request = fc.record({
  key: fc.constantFrom('a', 'b', 'c'),
  perHour: fc.constantFrom(9, 9, 9, 4, null),
  perMinute: fc.constantFrom(3, 3, 3, 5, null),
})
const stepMs = fc.oneof(
  fc.integer({ min: -3_000, max: 5_000 }),
  fc.integer({ min: -70_000, max: 70_000 }),
  fc.integer({ min: -4_000_000, max: 4_000_000 }),
)
const batches = fc.array(
  fc.record({ stepMs, requests: fc.array(request, { minLength: 1, maxLength: 10 }) }),
  { minLength: 1, maxLength: 12 },
)

describe('decisions in batches', () => {
  let test: TestDatabase
  const databases: Database[] = []
  beforeAll(async () => {
    test = await createMigratedDatabase()
    for (let process = 0; process < PROCESSES; process++) {
      const settings = createStorageSettings()
      databases.push(createDatabase({ pool: test.pool, settings, preparedStatements: true }))
    }
  })
  afterAll(() => test.drop())

  it('equal decisions made one by one, whatever the clock and the limits do', async () => {
    const [database] = databases as [Database]
    await fc.assert(
      fc.asyncProperty(batches, async (steps) => {
        await test.pool.query('truncate taskboard.tier_limit')
        const decide = model()
        let now = START
        for (const { stepMs: byMs, requests } of steps) {
          now += byMs
          const expected = requests.map((each) => decide(each, now))
          expect(await takeTiers(database, requests, now)).toEqual(expected)
        }
      }),
      { numRuns: 100 },
    )
  })

  it('are exact across concurrent processes by the database’s clock', async () => {
    const stores = databases.map(createLimitStore)
    const rates = [
      { key: 'at-once-0', perHour: 1_000, perMinute: 60 },
      { key: 'at-once-1', perHour: 7, perMinute: 60 },
    ]
    const asked = stores.flatMap((store) =>
      Array.from({ length: 100 }, (_, index) => store.take(rates[index % 2] as TierRequest, { now: null })),
    )
    const decisions = await Promise.all(asked)
    const admitted = rates.map((_, which) =>
      decisions.filter(({ allowed }, index) => allowed && index % 2 === which),
    )
    expect(admitted.map(({ length }) => length)).toEqual([60, 7])
    const left = admitted[1]?.map(({ hour }) => hour?.remaining).toSorted()
    expect(left).toEqual([0, 1, 2, 3, 4, 5, 6])
  })

  it('keep tasks of a month exact across processes', async () => {
    const stores = databases.map(createQuotaStore)
    const asked = stores.flatMap((store) =>
      Array.from({ length: 50 }, () => store.takeTask({ accountId: 'acc_shared', limit: 70 }, { now: null })),
    )
    const taken = await Promise.all(asked)
    expect(taken.filter((each) => each.taken)).toHaveLength(70)
  })

  it('do not wait for the disk, and leave the sessions of the pool as they were', async () => {
    const client = await test.pool.connect()
    try {
      const settings = createStorageSettings()
      const lent = { query: client.query.bind(client), release: () => undefined }
      const pool = { ...lent, connect: () => Promise.resolve(lent) }
      const database = createDatabase({ pool, settings, preparedStatements: true })
      await client.query('begin')
      await takeTiers(database, [{ key: 'd', perHour: 1, perMinute: 1 }], null)
      const within = await client.query<{ synchronous_commit: string }>('show synchronous_commit')
      await client.query('commit')
      const after = await client.query<{ synchronous_commit: string }>('show synchronous_commit')
      expect([within.rows[0]?.synchronous_commit, after.rows[0]?.synchronous_commit]).toEqual(['off', 'on'])
    } finally {
      client.release()
    }
  })
})
