import { storageConformance } from '@taskboard/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { emptyTables } from '@taskboard/kit/postgres/empty-tables'
import { oneSeedEach } from '@taskboard/kit/postgres/one-seed-each'
import { boardSchema } from '../../src/connection/board-schema.js'
import { migrate } from '../../src/migrations/migrate.js'
import { postgresStorage } from '../../src/postgres-storage.js'
import { openReadReplica, type ReadReplica } from './read-replica.js'

/** So that many reads wait for the standby. */
const DELAY_MS = 20
/** Its name needs quotes. The board of the default schema is beside it. */
const SCHEMA = 'Board of täsks-2'

let replica: ReadReplica

beforeAll(async () => {
  replica = await openReadReplica(SCHEMA)
  // Its rows and its functions would be found by a statement that names them.
  await migrate(replica.pool)
  await replica.delay(DELAY_MS)
}, 60_000)
afterAll(() => replica.close())

describe('the storage keeps the promises of every port in a schema of its own, with a standby that follows late', () => {
  const open = async () => {
    await emptyTables(boardSchema(SCHEMA).on(replica.pool))
    const openAnother = async () => {
      const storage = postgresStorage({ pool: replica.pool, readPool: replica.readPool, schema: SCHEMA })
      return { storage, close: () => storage.close() }
    }
    return { ...(await openAnother()), openAnother }
  }
  for (const { id, name, run } of oneSeedEach(storageConformance(open))) {
    it(`${id}: ${name}`, () => expect(run()).resolves.toBeUndefined())
  }

  it('and the board of the default schema has nothing of it', async () => {
    const { rows } = await replica.pool.query(`select from taskboard.every_account`)
    expect(rows).toEqual([])
  })

  it('and the standby answered some of the reads', () => expect(replica.answers()).toBeGreaterThan(100))
})
