import fc from 'fast-check'
import { virtualClock } from '@taskboard/testing'
import { describe, it } from 'vitest'
import { checkScreen } from '@taskboard/kit/realtime/check-screen'
import { histories } from '@taskboard/kit/realtime/random-history'
import { memoryStorage } from './index.js'

const RUNS = Number(process.env['BOARD_HISTORIES'] ?? 25)

describe('a screen that only listens', () => {
  it(
    'shows what the board shows after any history, and each change was sent once',
    { timeout: 600_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(histories(80), async (steps) => {
          const clock = virtualClock(Date.UTC(2026, 0, 1))
          await checkScreen(steps, {
            storage: memoryStorage(),
            clock,
            pass: () => clock.advance({ minutes: 2 }),
            settle: () => clock.advance({ seconds: 1 }),
          })
        }),
        { numRuns: RUNS },
      )
    },
  )
})
