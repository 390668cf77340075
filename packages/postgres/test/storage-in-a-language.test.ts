import { storageConformance } from '@taskboard/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { emptyTables } from '@taskboard/kit/postgres/empty-tables'
import { createTestDatabase, type TestDatabase } from '@taskboard/kit/postgres/test-database'
import { migrate } from '../src/migrations/migrate.js'
import { postgresStorage } from '../src/postgres-storage.js'

/** Cases that promise an order, or a place in one. */
const ORDERED = /^(search|find|lists|access)\./

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase({}, 'en-US')
  await migrate(database.pool)
})
afterAll(() => database.drop())

describe('a database with the collation of a language keeps every order', () => {
  const open = async () => {
    await emptyTables(database.pool)
    const storage = postgresStorage({ pool: database.pool })
    return { storage, close: () => storage.close() }
  }
  for (const { id, name, run } of storageConformance(open).filter((each) => ORDERED.test(each.id))) {
    it(`${id}: ${name}`, () => expect(run()).resolves.toBeUndefined())
  }
})
