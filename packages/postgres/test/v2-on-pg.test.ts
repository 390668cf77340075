import { v2Conformance } from '@taskboard/testing'
import express from 'express'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mountOn } from '@taskboard/kit/hosts/express-host'
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

describe.each([
  ['Express 5', mountOn(express)],
  ['Fastify', mountOnFastify],
])('API v2 on %s with a PostgreSQL server', (_, mount) => {
  for (const { id, name, run } of v2Conformance({ open, mount })) {
    it(`${id}: ${name}`, () => expect(run()).resolves.toBeUndefined())
  }
})
