import { storageConformance } from '@taskboard/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { emptyTables } from '@taskboard/kit/postgres/empty-tables'
import { oneSeedEach } from '@taskboard/kit/postgres/one-seed-each'
import { postgresStorage } from '../../src/postgres-storage.js'
import { openReadReplica, type ReadReplica } from './read-replica.js'

/** So that many reads wait for the standby. */
const DELAY_MS = 20

let replica: ReadReplica

beforeAll(async () => {
  replica = await openReadReplica()
  await replica.delay(DELAY_MS)
}, 60_000)
afterAll(() => replica.close())

describe('the storage keeps the promises of every port with a standby that follows late', () => {
  const open = async () => {
    await emptyTables(replica.pool)
    const openAnother = async () => {
      const storage = postgresStorage({ pool: replica.pool, readPool: replica.readPool })
      return { storage, close: () => storage.close() }
    }
    return { ...(await openAnother()), openAnother }
  }
  for (const { id, name, run } of oneSeedEach(storageConformance(open))) {
    it(`${id}: ${name}`, () => expect(run()).resolves.toBeUndefined())
  }

  it('and the standby answered some of the reads', () => expect(replica.answers()).toBeGreaterThan(100))
})
