import { v2Conformance } from '@taskboard/testing'
import express from 'express'
import { afterAll, describe, expect, it } from 'vitest'
import { mountOn } from '../../express/test/express-host.js'
import { mountOnFastify } from '../../fastify/test/fastify-host.js'
import { pglitePool } from '../src/pglite/pglite-pool.js'
import { postgresStorage } from '../src/postgres-storage.js'
import { emptyTables } from './empty-tables.js'
import { createMigratedPglite } from './migrated-pglite.js'

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
