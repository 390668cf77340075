import { storageConformance } from '@taskboard/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { migrate } from '../src/migrations/migrate.js'
import { emptyTables } from './empty-tables.js'
import { postgresStorage } from '../src/postgres-storage.js'
import { createTestDatabase, type TestDatabase } from './test-database.js'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
  await migrate(database.pool)
})
afterAll(() => database.drop())

describe('the storage keeps the promises of every port on a PostgreSQL server', () => {
  const open = async () => {
    await emptyTables(database.pool)
    const openAnother = async () => {
      const storage = postgresStorage({ pool: database.pool })
      return { storage, close: () => storage.close() }
    }
    return { ...(await openAnother()), openAnother }
  }
  for (const { id, name, run } of storageConformance(open)) {
    it(`${id}: ${name}`, () => expect(run()).resolves.toBeUndefined())
  }
})
