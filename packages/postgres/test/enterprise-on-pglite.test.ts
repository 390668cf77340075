import { PGlite } from '@electric-sql/pglite'
import { enterpriseConformance } from '@taskboard/testing'
import express from 'express'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mountOn } from '../../express/test/express-host.js'
import { mountOnFastify } from '../../fastify/test/fastify-host.js'
import { migrate } from '../src/migrations/migrate.js'
import { pglitePool } from '../src/pglite-pool.js'
import { postgresStorage } from '../src/postgres-storage.js'
import { emptyTables } from './empty-tables.js'

const pglite = new PGlite()
const pool = pglitePool(pglite)

beforeAll(() => migrate(pool))
afterAll(() => pglite.close())

const open = async () => {
  await emptyTables(pool)
  return { storage: postgresStorage({ pool }), close: () => Promise.resolve() }
}

describe.each([
  ['Express 5', mountOn(express)],
  ['Fastify', mountOnFastify],
])('the enterprise API on %s with PGlite', (_, mount) => {
  for (const { id, name, run } of enterpriseConformance({ open, mount })) {
    it(`${id}: ${name}`, () => expect(run()).resolves.toBeUndefined())
  }
})
