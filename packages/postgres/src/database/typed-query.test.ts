import { createTaskboard } from '@taskboard/core'
import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { expect, it } from 'vitest'
import { createMigratedPglite } from '@taskboard/kit/postgres/migrated-pglite'
import { createMigratedDatabase } from '@taskboard/kit/postgres/test-database'
import { pglitePool } from '../pglite/pglite-pool.js'
import type { PgConnection, PgPool } from '../connection/pool.js'
import { postgresStorage } from '../postgres-storage.js'

const secrets = { encryptionKey: randomBytes(32) }
/** A client of a host's own pool can be a `tx`. */
export const ofHost = (client: pg.PoolClient): PgConnection => client

async function openPglite() {
  const pglite = await createMigratedPglite()
  const pool = pglitePool(pglite)
  return { pool, close: () => pglite.close() }
}

async function openServer() {
  const { pool, drop } = await createMigratedDatabase()
  return { pool: pool as PgPool, close: drop }
}

it.each([
  ['pg', openServer],
  ['PGlite', openPglite],
])(
  'the tx of a transaction on %s takes a text with its values, and types the rows',
  { timeout: 60_000 },
  async (_, open) => {
    const { pool, close } = await open()
    const taskboard = createTaskboard({ storage: postgresStorage({ pool }), logger: false, secrets })
    let over: PgConnection | undefined
    const total: number = await taskboard.transaction(async (tx) => {
      over = tx
      await tx.query('create table orders (item text, price integer)')
      await tx.query('insert into orders values ($1, $2), ($3, $4)', ['a lamp', 20, 'a chair', 30])
      await tx.query({ text: 'insert into orders values ($1, $2)', values: ['a table', 50] })
      const { rows } = await tx.query<{ readonly price: number }>('select price from orders')
      return rows.reduce((sum, { price }) => sum + price, 0)
    })
    expect(total).toBe(100)
    await expect(over?.query('select 1')).rejects.toThrow('the transaction is no longer open')
    await taskboard.close()
    await close()
  },
)
