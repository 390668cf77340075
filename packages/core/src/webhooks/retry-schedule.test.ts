import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRetrySchedule, defaultRetrySchedule, nextAttemptAt } from './retry-schedule.js'

const MINUTE = 60_000

describe('nextAttemptAt', () => {
  it('sends at 0:00, 0:01, 0:06, 0:36, 2:36 and 14:36 when attempts fail at once and jitter is 0', () => {
    const sends: number[] = []
    for (let at: number | null = 0; at !== null;) {
      sends.push(at / MINUTE)
      at = nextAttemptAt({ attemptCount: sends.length, endedAt: at, jitter: 0 })
    }
    expect(sends).toEqual([0, 1, 6, 36, 2 * 60 + 36, 14 * 60 + 36])
  })

  it('counts from the end of the failed attempt', () => {
    expect(nextAttemptAt({ attemptCount: 1, endedAt: 1_000_030_000, jitter: 0 })).toBe(1_000_090_000)
  })

  it('lengthens a wait by up to a tenth, never shortens it, and returns whole milliseconds', () => {
    expect(nextAttemptAt({ attemptCount: 5, endedAt: 0, jitter: 1 })).toBe(13.2 * 60 * MINUTE)
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.integer({ min: 0, max: 4e12 }),
        (attemptCount, jitter, endedAt) => {
          const waitMs = (nextAttemptAt({ attemptCount, endedAt, jitter }) as number) - endedAt
          const scheduledMs = defaultRetrySchedule.delaysMs[attemptCount - 1] as number
          expect(Number.isInteger(waitMs)).toBe(true)
          expect(waitMs).toBeGreaterThanOrEqual(scheduledMs)
          expect(waitMs).toBeLessThanOrEqual(scheduledMs * 1.1)
        },
      ),
    )
  })

  it('ends after the sixth attempt', () => {
    expect(nextAttemptAt({ attemptCount: 6, endedAt: 0, jitter: 0 })).toBeNull()
    expect(nextAttemptAt({ attemptCount: 7, endedAt: 0, jitter: 0 })).toBeNull()
  })

  it('follows another schedule', () => {
    const schedule = createRetrySchedule({ delaysMs: [10], jitterFraction: 0 })
    expect(nextAttemptAt({ attemptCount: 1, endedAt: 5, jitter: 1 }, schedule)).toBe(15)
    expect(nextAttemptAt({ attemptCount: 2, endedAt: 5, jitter: 1 }, schedule)).toBeNull()
  })

  it.each([0, -1, 1.5, NaN])('refuses the attempt count %d', (attemptCount) => {
    expect(() => nextAttemptAt({ attemptCount, endedAt: 0, jitter: 0 })).toThrow(
      expect.objectContaining({ code: 'INVALID_FIELD', field: 'attemptCount' }),
    )
  })

  it.each([-0.1, 1.1, NaN])('refuses the jitter %d', (jitter) => {
    expect(() => nextAttemptAt({ attemptCount: 1, endedAt: 0, jitter })).toThrow(
      expect.objectContaining({ code: 'INVALID_FIELD', field: 'jitter' }),
    )
  })
})

describe('createRetrySchedule', () => {
  it('fills in the contract’s values', () => {
    expect(createRetrySchedule({})).toEqual(defaultRetrySchedule)
    expect(createRetrySchedule({ delaysMs: [] }).delaysMs).toEqual([])
  })

  it.each([[[-1]], [[1.5]], [[NaN]], [[3e9]], [Array.from({ length: 51 }, () => 1)]])(
    'refuses the delays %j',
    (delaysMs) => {
      expect(() => createRetrySchedule({ delaysMs })).toThrow(
        expect.objectContaining({ code: 'INVALID_CONFIG' }),
      )
    },
  )

  it.each([-0.1, 1.1, NaN])('refuses the jitter %d', (jitterFraction) => {
    expect(() => createRetrySchedule({ jitterFraction })).toThrow(
      expect.objectContaining({ code: 'INVALID_CONFIG' }),
    )
  })
})
