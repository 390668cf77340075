import { createStorageSettings } from '@taskboard/core/storage'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createMigratedPglite } from '@taskboard/kit/postgres/migrated-pglite'
import { createTestDatabase, type TestDatabase } from '@taskboard/kit/postgres/test-database'
import { createDatabase, type Database } from './database.js'
import { pglitePool } from '../pglite/pglite-pool.js'
import type { PgPool } from '../connection/pool.js'
import { statement } from '../connection/statement.js'

const one = statement<{ readonly n: number }>('one', 'select $1::integer as n')
const REFUSED = { code: 'MISSING_FIELD', field: 'tx' }

let server: TestDatabase
const pglite = await createMigratedPglite()
const pools: Record<string, PgPool> = {}
beforeAll(async () => {
  server = await createTestDatabase({ max: 1 })
  Object.assign(pools, { PGlite: pglitePool(pglite), 'a pool of one': server.pool })
})
afterAll(async () => {
  await pglite.close()
  await server.drop()
})

describe.each(['PGlite', 'a pool of one'])('the only connection of %s', (name) => {
  const databaseOn = (pool: PgPool | undefined): Database => {
    if (pool === undefined) throw new Error('no pool')
    return createDatabase({ pool, settings: createStorageSettings(), preparedStatements: true })
  }
  const open = () => databaseOn(pools[name])

  it('is refused inside the transaction that holds it, for every kind of call and every storage on the pool', async () => {
    const [database, other] = [open(), open()]
    await database.transaction(async (tx) => {
      for (const each of [database, other]) {
        await expect(each.read(null, one, [1])).rejects.toMatchObject(REFUSED)
        await expect(each.write(null, one, [1])).rejects.toMatchObject(REFUSED)
        await expect(each.atomically(null, (session) => session.run(one, [1]))).rejects.toMatchObject(REFUSED)
        await expect(each.transaction(() => Promise.resolve())).rejects.toMatchObject(REFUSED)
      }
      expect(await database.read({ now: null, tx }, one, [2])).toEqual([{ n: 2 }])
      expect(await other.write({ now: null, tx }, one, [3])).toEqual([{ n: 3 }])
    })
    expect(await database.read(null, one, [4])).toEqual([{ n: 4 }])
  })

  it('is refused to a call inside that would join a batch of calls outside, and available to those', async () => {
    const database = open()
    const join = database.join<number, number>(
      async (inputs) => (await database.read(null, one, [inputs.length])).map(({ n }) => n),
      { most: 10, groupOf: () => null },
    )
    let begin = (): void => undefined
    const begun = new Promise<void>((resolve) => (begin = resolve))
    const outside = begun.then(() => join(1))
    await database.transaction(async () => {
      begin()
      await begun
      await expect(join(1)).rejects.toMatchObject(REFUSED)
    })
    expect(await outside).toBe(1)
  })

  it('is available again to work that began inside and continues after the end', async () => {
    const database = open()
    let end = (): void => undefined
    const ended = new Promise<void>((resolve) => (end = resolve))
    let later: Promise<unknown> | undefined
    await database
      .transaction(async () => {
        later = ended.then(() => database.read(null, one, [5]))
        throw new Error('no')
      })
      .catch(() => undefined)
    end()
    expect(await later).toEqual([{ n: 5 }])
  })
})

it('a pool of several connections provides another one inside a transaction', async () => {
  const database = await createTestDatabase({ max: 2 })
  const pool = createDatabase({
    pool: database.pool,
    settings: createStorageSettings(),
    preparedStatements: true,
  })
  expect(await pool.transaction(() => pool.read(null, one, [6]))).toEqual([{ n: 6 }])
  await database.drop()
})
