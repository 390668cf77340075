import { v2Conformance } from '@taskboard/testing'
import express from 'express'
import { afterAll, describe, expect, it } from 'vitest'
import { mountOn } from '@taskboard/kit/hosts/express-host'
import { mountOnFastify } from '@taskboard/kit/hosts/fastify-host'
import { emptyTables } from '@taskboard/kit/postgres/empty-tables'
import { createMigratedPglite } from '@taskboard/kit/postgres/migrated-pglite'
import { pglitePool } from '../src/pglite/pglite-pool.js'
import { postgresStorage } from '../src/postgres-storage.js'

const pglite = await createMigratedPglite()
const pool = pglitePool(pglite)

afterAll(() => pglite.close())

const open = async () => {
  await emptyTables(pool)
  return { storage: postgresStorage({ pool }), close: () => Promise.resolve() }
}

describe.each([
  ['Express 5', mountOn(express)],
  ['Fastify', mountOnFastify],
])('API v2 on %s with PGlite', (_, mount) => {
  for (const { id, name, run } of v2Conformance({ open, mount })) {
    it(`${id}: ${name}`, () => expect(run()).resolves.toBeUndefined())
  }
})
