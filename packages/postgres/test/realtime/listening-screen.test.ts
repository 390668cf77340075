import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, it } from 'vitest'
import { checkScreen } from '@taskboard/kit/realtime/check-screen'
import { histories } from '@taskboard/kit/realtime/random-history'
import { createMigratedDatabase } from '@taskboard/kit/postgres/test-database'
import { postgresStorage } from '../../src/postgres-storage.js'

const RUNS = Number(process.env['BOARD_HISTORIES'] ?? 3)

describe('a screen that only listens to a board on PostgreSQL', () => {
  it(
    'shows what the board shows after any history, and each change was sent once',
    { timeout: 600_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(histories(60), async (steps) => {
          const database = await createMigratedDatabase({ max: 6 })
          const wait = () => sleep(5)
          try {
            await checkScreen(steps, {
              storage: postgresStorage({ pool: database.pool }),
              pass: wait,
              settle: wait,
            })
          } finally {
            await database.drop()
          }
        }),
        { numRuns: RUNS },
      )
    },
  )
})
