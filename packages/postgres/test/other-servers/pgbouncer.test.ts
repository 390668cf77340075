import { createTaskboard, silentLogger, type Logger } from '@taskboard/core'
import { virtualClock } from '@taskboard/testing'
import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  createMigratedDatabase,
  createTestPool,
  type TestDatabase,
} from '@taskboard/kit/postgres/test-database'
import { postgresStorage, type PostgresStorageOptions } from '../../src/postgres-storage.js'
import { pgbouncerProgram, startPgbouncer } from './pgbouncer.js'

const program = pgbouncerProgram()
const encryptionKey = randomBytes(32)

/** A logger that keeps its warnings. */
function warningsOf(): { readonly logger: Logger; readonly warnings: string[] } {
  const warnings: string[] = []
  return { warnings, logger: { ...silentLogger, warn: (_, message) => void warnings.push(message) } }
}

describe.skipIf(program === null)('PgBouncer in transaction mode (where it is installed)', () => {
  let database: TestDatabase
  let pooler: Awaited<ReturnType<typeof startPgbouncer>>

  beforeAll(async () => {
    database = await createMigratedDatabase()
    const settings = { pool_mode: 'transaction', default_pool_size: 1 }
    pooler = await startPgbouncer(program ?? '', database.url, settings)
  })
  afterAll(async () => {
    await pooler.stop()
    await database.drop()
  })

  const pooled = (max: number): pg.Pool => createTestPool({ connectionString: pooler.url, max })

  async function boardOn(pool: pg.Pool, options: Omit<PostgresStorageOptions, 'pool'>) {
    const { logger, warnings } = warningsOf()
    const clock = virtualClock(0)
    const storage = postgresStorage({ pool, ...options })
    const taskboard = createTaskboard({ storage, clock, logger, secrets: { encryptionKey } })
    await taskboard.start()
    return { taskboard, clock, warnings }
  }

  it('names preparedStatements when another connection has prepared a statement, or the prepared one is gone', async () => {
    const pools = [pooled(1), pooled(1)]
    const [first, second] = pools.map((pool) => {
      const { access } = postgresStorage({ pool, listen: false })
      return () => access.listAccounts({ limit: 1 }, { now: 0 })
    })
    const fault = { code: 'INVALID_CONFIG', field: 'preparedStatements' }
    await first?.()
    await expect(second?.()).rejects.toMatchObject({ ...fault, cause: { code: '42P05' } })
    await database.pool.query(
      `select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
    )
    // Until PgBouncer has noticed, its answer is that the connection is lost.
    const codeOfCause = async () =>
      first?.().then(String, ({ cause }: { cause?: { code?: string } }) => cause?.code)
    await expect.poll(codeOfCause).toBe('26000')
    await expect(first?.()).rejects.toMatchObject(fault)
    await Promise.all(pools.map((pool) => pool.end()))
  })

  it('is noticed by a board that listens through it, and not by one that listens directly', async () => {
    const pool = pooled(2)
    const deaf = await boardOn(pool, { preparedStatements: false })
    await expect
      .poll(() => deaf.clock.advance({ ms: 1_000 }).then(() => deaf.warnings))
      .toEqual([expect.stringContaining('set listen of postgresStorage to false')])
    await deaf.taskboard.close({ drainTimeoutMs: 0 })

    const direct = createTestPool({ connectionString: database.url, max: 1 })
    const hearing = await boardOn(pool, { preparedStatements: false, listen: direct })
    const { workspace } = await hearing.taskboard.accounts.create({ name: 'Acme', tier: 'enterprise' })
    await hearing.taskboard.board(workspace.id).add({ title: 'through the pooler' })
    await hearing.clock.advance({ ms: 5_000 })
    expect(hearing.warnings).toEqual([])
    await hearing.taskboard.close({ drainTimeoutMs: 0 })
    await Promise.all([pool.end(), direct.end()])
  })
})
