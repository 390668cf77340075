import { runAuditHistory } from '@taskboard/kit/access/audit-history'
import { createMigratedDatabase } from '@taskboard/kit/postgres/test-database'
import { seededNumbers } from '@taskboard/kit/random/seeded-numbers'
import { expect, it } from 'vitest'
import { postgresStorage } from '../src/postgres-storage.js'

const HISTORIES = 10

it('explains every difference of who may do what on PostgreSQL, in random histories of two processes', async () => {
  const database = await createMigratedDatabase()
  try {
    for (let seed = 1; seed <= HISTORIES; seed++) {
      const storage = postgresStorage({ pool: database.pool })
      expect((await runAuditHistory(seededNumbers(seed), storage)).size, `seed ${seed}`).toBeGreaterThan(5)
      await database.pool.query('update taskboard.account_user set email = id')
    }
  } finally {
    await database.drop()
  }
}, 120_000)
