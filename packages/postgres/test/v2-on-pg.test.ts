import { v2Conformance } from '@taskboard/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mountOnFastify } from '@taskboard/kit/hosts/fastify-host'
import { emptyTables } from '@taskboard/kit/postgres/empty-tables'
import { createMigratedDatabase, type TestDatabase } from '@taskboard/kit/postgres/test-database'
import { postgresStorage } from '../src/postgres-storage.js'

let database: TestDatabase

beforeAll(async () => {
  database = await createMigratedDatabase()
})
afterAll(() => database.drop())

const open = async () => {
  await emptyTables(database.pool)
  const storage = postgresStorage({ pool: database.pool })
  return { storage, close: () => Promise.resolve() }
}

// With Express, its storage is in memory: each host and each database meets the suite once.
describe('API v2 on Fastify, with a PostgreSQL server', () => {
  for (const { id, name, run } of v2Conformance({ open, mount: mountOnFastify })) {
    it(`${id}: ${name}`, () => expect(run()).resolves.toBeUndefined())
  }
})
