import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '@taskboard/kit/postgres/test-database'
import { failoverPool } from './failover-pool.js'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

it('switches JIT off on each connection, whatever the server has by default', async () => {
  await database.pool.query(
    `do $$ begin execute format('alter database %I set jit = on', current_database()); end $$`,
  )
  const pool = failoverPool(pg, { connectionString: database.url, max: 2 })
  pool.on('error', () => undefined)
  const clients = await Promise.all([pool.connect(), pool.connect()])
  for (const client of clients) {
    const settings = await client.query(`select current_setting('jit') as jit`)
    expect(settings.rows).toEqual([{ jit: 'off' }])
    client.release()
  }
  await pool.end()
})
