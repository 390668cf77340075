import { PGlite } from '@electric-sql/pglite'
import { storageConformance } from '@taskboard/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { migrate } from '../src/migrations/migrate.js'
import { pglitePool } from '../src/pglite-pool.js'
import { emptyTables } from './empty-tables.js'
import { postgresStorage } from '../src/postgres-storage.js'

const pglite = new PGlite()
const pool = pglitePool(pglite)

beforeAll(() => migrate(pool))
afterAll(() => pglite.close())

/** It awaits a reading from outside while its transaction is open, which one connection cannot serve: see below. */
const NEEDS_A_SECOND_CONNECTION = 'transactions.unseen'

const open = async () => {
  await emptyTables(pool)
  return { storage: postgresStorage({ pool }), close: () => Promise.resolve() }
}

describe('the storage keeps the promises of every port on PGlite', () => {
  for (const { id, name, run } of storageConformance(open)) {
    it.skipIf(id === NEEDS_A_SECOND_CONNECTION)(`${id}: ${name}`, () =>
      expect(run()).resolves.toBeUndefined(),
    )
  }
})
