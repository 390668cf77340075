import { postgresStorage } from '@taskboard/postgres'
import { afterAll, expect, it } from 'vitest'
import { pglitePool } from '@taskboard/postgres'
import { emptyTables } from '@taskboard/kit/postgres/empty-tables'
import { createMigratedPglite } from '@taskboard/kit/postgres/migrated-pglite'
import { runHistory } from './run-history.js'
import { drawHistory } from './steps.js'

const pglite = await createMigratedPglite()
const pool = pglitePool(pglite)
afterAll(() => pglite.close())

const HISTORIES = 3

it(`keeps every promise in ${HISTORIES} histories on PostgreSQL`, { timeout: 120_000 }, async () => {
  for (let seed = 1; seed <= HISTORIES; seed++) {
    await emptyTables(pool)
    const storage = postgresStorage({ pool })
    const { violation } = await runHistory(drawHistory(seed), { storage })
    await storage.close()
    expect([seed, violation?.message]).toEqual([seed, undefined])
  }
})
