import { storageConformance } from '@taskboard/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { emptyTables } from './empty-tables.js'
import { postgresStorage } from '../src/postgres-storage.js'
import { createMigratedDatabase, type TestDatabase } from './test-database.js'

let database: TestDatabase

beforeAll(async () => {
  database = await createMigratedDatabase()
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
