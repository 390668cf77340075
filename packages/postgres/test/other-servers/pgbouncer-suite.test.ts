import { storageConformance } from '@taskboard/testing'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { emptyTables } from '@taskboard/kit/postgres/empty-tables'
import {
  createMigratedDatabase,
  createTestPool,
  type TestDatabase,
} from '@taskboard/kit/postgres/test-database'
import { postgresStorage, type PostgresStorageOptions } from '../../src/postgres-storage.js'
import { pgbouncerProgram, pgbouncerVersion, startPgbouncer } from './pgbouncer.js'

/** Takes minutes, and what it proves changes seldom: `npm run test:pgbouncer` sets it. */
const isAsked = process.env['TASKBOARD_TEST_PGBOUNCER'] === 'on'
const program = pgbouncerProgram()
const version = isAsked && program !== null ? pgbouncerVersion(program) : 0
const CASE_MS = 60_000

interface Mode {
  readonly name: string
  /** The version from which on it exists: that times 100, and its second number. */
  readonly since: number
  readonly settings: Readonly<Record<string, string | number>>
  /** `direct` leads to the server itself. */
  readonly options: (direct: pg.Pool) => Omit<PostgresStorageOptions, 'pool'>
}

const modes: readonly Mode[] = [
  {
    name: 'session mode',
    since: 0,
    settings: { pool_mode: 'session', default_pool_size: 60 },
    options: () => ({}),
  },
  {
    name: 'transaction mode without prepared statements',
    since: 0,
    settings: { pool_mode: 'transaction', default_pool_size: 3 },
    options: (listen) => ({ preparedStatements: false, listen }),
  },
  {
    name: 'transaction mode with max_prepared_statements (from 1.21)',
    since: 121,
    settings: { pool_mode: 'transaction', default_pool_size: 3, max_prepared_statements: 200 },
    options: (listen) => ({ listen }),
  },
]

describe.each(modes)('the suite behind PgBouncer (npm run test:pgbouncer): $name', (mode) => {
  describe.skipIf(program === null || !isAsked || version < mode.since)('where it is installed', () => {
    let database: TestDatabase
    let pooler: Awaited<ReturnType<typeof startPgbouncer>>
    let pool: pg.Pool

    beforeAll(async () => {
      database = await createMigratedDatabase()
      pooler = await startPgbouncer(program ?? '', database.url, mode.settings)
      pool = createTestPool({ connectionString: pooler.url, max: 10 })
    })
    afterAll(async () => {
      await pool.end()
      await pooler.stop()
      await database.drop()
    })

    const open = async () => {
      await emptyTables(database.pool)
      const openAnother = async () => {
        const storage = postgresStorage({ pool, ...mode.options(database.pool) })
        return { storage, close: () => storage.close() }
      }
      return { ...(await openAnother()), openAnother }
    }
    for (const { id, name, run } of storageConformance(open)) {
      it(`${id}: ${name}`, () => expect(run()).resolves.toBeUndefined(), CASE_MS)
    }
  })
})
