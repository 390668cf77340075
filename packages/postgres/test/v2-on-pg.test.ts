import { v2Conformance } from '@taskboard/testing'
import express from 'express'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mountOn } from '@taskboard/kit/hosts/express-host'
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

// What hosts do differently is tested with the storage in memory, and what databases do differently by the storage's own suite.
describe('API v2 with a PostgreSQL server', () => {
  for (const { id, name, run } of v2Conformance({ open, mount: mountOn(express) })) {
    it(`${id}: ${name}`, () => expect(run()).resolves.toBeUndefined())
  }
})
