import { createStorageSettings, type LimitRequest, type TierRequest } from '@taskboard/core/storage'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '@taskboard/kit/processes/until'
import { createMigratedDatabase, type TestDatabase } from '@taskboard/kit/postgres/test-database'
import { createDatabase, type Database } from '../database/database.js'
import { takeLimits } from './limit-store.js'
import { takeTiers } from './tier-limits.js'

const MINUTE_MS = 60_000
/** A second counts until its end has left the minute. */
const SECOND_COUNTS_MS = 61_000

let test: TestDatabase
let database: Database
let other: pg.PoolClient
beforeAll(async () => {
  test = await createMigratedDatabase()
  other = await test.pool.connect()
  database = createDatabase({ pool: test.pool, settings: createStorageSettings(), preparedStatements: true })
})
afterAll(async () => {
  other.release()
  await test.drop()
})

/**
 * Decides while another transaction holds the key's row. That transaction admits one more before it commits, later than the
 * present of the statement that waits for it. Resolves to the decision and to the earliest instant at which it was made.
 */
async function decideLate<D>(decide: () => Promise<readonly D[]>, admitOne: string) {
  await other.query('begin')
  await other.query(admitOne)
  const deciding = decide()
  await until(waiting, (count) => count > 0)
  const { rows } = await other.query<{ at: number }>('select taskboard.now_ms()::float8 as at')
  await other.query(admitOne)
  await other.query('commit')
  const [decision] = await deciding
  return { decision, at: rows[0]?.at ?? Number.NaN }
}

async function waiting(): Promise<number> {
  const { rows } = await test.pool.query<{
    count: number
  }>(`select count(*)::integer as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`)
  return rows[0]?.count ?? 0
}

/** The instant of the newest admission. */
async function newest(column: string, table: string): Promise<number> {
  const { rows } = await test.pool.query<{ at: number }>(
    `select ${column}::float8 as at from taskboard.${table}`,
  )
  return rows[0]?.at ?? Number.NaN
}

describe('a decision that waited for its row', () => {
  it('refuses with a wait that counts from the decision: never more than the window', async () => {
    const request: LimitRequest = { key: 'late', limit: 1, windowMs: MINUTE_MS }
    await takeLimits(database, [request], null)
    const { decision, at } = await decideLate(
      () => takeLimits(database, [request], null),
      'update taskboard.rolling_limit set times = array[taskboard.now_ms()], newest = taskboard.now_ms()',
    )
    const freeAt = (await newest('times[1]', 'rolling_limit')) + MINUTE_MS
    expect(decision?.allowed).toBe(false)
    expect(decision?.retryAfterMs).toBeGreaterThan(0)
    expect(decision?.retryAfterMs).toBeLessThanOrEqual(freeAt - at)
  })

  it('does the same with the limits of a tier', async () => {
    const request: TierRequest = { key: 'late', perHour: null, perMinute: 1 }
    await takeTiers(database, [request], null)
    const { decision, at } = await decideLate(
      () => takeTiers(database, [request], null),
      'update taskboard.tier_limit set seconds = array[taskboard.now_ms() / 1000]',
    )
    const freeAt = (await newest('seconds[1]', 'tier_limit')) * 1_000 + SECOND_COUNTS_MS
    expect(decision?.allowed).toBe(false)
    expect(decision?.retryAfterMs).toBeGreaterThan(0)
    expect(decision?.retryAfterMs).toBeLessThanOrEqual(freeAt - at)
  })

  it('uses the instant at which it has its row, not a window that ended while it waited', async () => {
    const request: LimitRequest = { key: 'brief', limit: 1, windowMs: 1 }
    const { decision } = await decideLate(
      () => takeLimits(database, [request], null),
      `insert into taskboard.rolling_limit (key, window_ms, times, newest, most, admitted)
        values ('brief', 1, array[taskboard.now_ms() - 1], taskboard.now_ms() - 1, 1, 1)
        on conflict (key) do update set times = excluded.times, newest = excluded.newest`,
    )
    expect(decision).toEqual({ allowed: true, remaining: 0, retryAfterMs: 0 })
  })
})
