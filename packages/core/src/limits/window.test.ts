import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  emptyWindow,
  newestAdmission,
  remainingInWindow,
  retryAfterSeconds,
  takeFromWindow,
  type RollingWindow,
} from './window.js'

const copy = (window: RollingWindow): RollingWindow => ({ ...window, times: [...window.times] })

/** The definition itself, over all admissions. */
function admittedWithin(admissions: readonly number[], windowMs: number, now: number): number {
  return admissions.filter((time) => time > now - windowMs && time <= now).length
}

/** The wait is enough, also in whole seconds, and nothing less is. */
function expectExactWait(
  window: RollingWindow,
  limit: number,
  windowMs: number,
  now: number,
  waitMs: number,
): void {
  const roundedMs = retryAfterSeconds(waitMs) * 1_000
  expect(takeFromWindow(copy(window), limit, windowMs, now + waitMs - 1)).toBe(1)
  expect(takeFromWindow(copy(window), limit, windowMs, now + waitMs)).toBe(0)
  expect(takeFromWindow(copy(window), limit, windowMs, now + roundedMs)).toBe(0)
  expect(roundedMs - waitMs).toBeLessThan(1_000)
}

const steps = fc.array(fc.nat({ max: 400 }), { maxLength: 200 })
const shape = { limit: fc.integer({ min: 1, max: 12 }), windowMs: fc.integer({ min: 1, max: 1_000 }) }

describe('takeFromWindow', () => {
  it('admits up to the limit, then again when the oldest is exactly a window old', () => {
    const window = emptyWindow()
    expect([0, 10, 20].map((now) => takeFromWindow(window, 2, 1_000, now))).toEqual([0, 0, 980])
    expect(takeFromWindow(window, 2, 1_000, 999)).toBe(1)
    expect(takeFromWindow(window, 2, 1_000, 1_000)).toBe(0)
    expect(takeFromWindow(window, 2, 1_000, 1_000)).toBe(10)
  })

  it('frees all places of requests that are a window old or older', () => {
    const window = emptyWindow()
    for (const now of [0, 10]) takeFromWindow(window, 2, 1_000, now)
    expect(takeFromWindow(window, 2, 1_000, 1_010)).toBe(0)
    expect(remainingInWindow(window, 2)).toBe(1)
  })

  it('follows the definition at every instant and never over-admits a window', () => {
    fc.assert(
      fc.property(fc.record({ ...shape, steps }), ({ limit, windowMs, steps: gaps }) => {
        const window = emptyWindow()
        const admissions: number[] = []
        let now = 1_000_000
        for (const gapMs of gaps) {
          now += gapMs
          const free = limit - admittedWithin(admissions, windowMs, now)
          const waitMs = takeFromWindow(window, limit, windowMs, now)
          expect(waitMs === 0).toBe(free > 0)
          if (waitMs === 0) admissions.push(now)
          expect(remainingInWindow(window, limit)).toBe(Math.max(0, free - 1))
        }
        for (const end of admissions)
          expect(admittedWithin(admissions, windowMs, end)).toBeLessThanOrEqual(limit)
      }),
    )
  })

  it('returns the exact wait: it is enough, also in rounded seconds, and a millisecond less is not', () => {
    fc.assert(
      fc.property(fc.record({ ...shape, steps }), ({ limit, windowMs, steps: gaps }) => {
        const window = emptyWindow()
        let now = 0
        for (const gapMs of gaps) {
          now += gapMs
          const waitMs = takeFromWindow(window, limit, windowMs, now)
          if (waitMs > 0) expectExactWait(window, limit, windowMs, now, waitMs)
        }
      }),
    )
  })

  it('admits nothing extra in true time when the clock steps back, and returns the exact wait, at most the window', () => {
    const jump = fc.oneof(fc.integer({ min: -500, max: 500 }), fc.integer({ min: -4_000_000, max: 500 }))
    const jumps = fc.array(jump, { maxLength: 200 })
    fc.assert(
      fc.property(fc.record({ ...shape, jumps }), ({ limit, windowMs, jumps: gaps }) => {
        const window = emptyWindow()
        const admissions: number[] = []
        let now = 1_000_000
        let trueMs = 0
        for (const gapMs of gaps) {
          now += gapMs
          trueMs += Math.max(0, gapMs)
          const waitMs = takeFromWindow(window, limit, windowMs, now)
          expect(waitMs).toBeLessThanOrEqual(windowMs)
          if (waitMs === 0) admissions.push(trueMs)
          else expectExactWait(window, limit, windowMs, now, waitMs)
        }
        for (const end of admissions)
          expect(admittedWithin(admissions, windowMs, end)).toBeLessThanOrEqual(limit)
      }),
    )
  })

  it('follows a limit that changes between calls', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ gapMs: fc.nat({ max: 60 }), limit: fc.integer({ min: 1, max: 20 }) }), {
          maxLength: 200,
        }),
        (calls) => {
          const window = emptyWindow()
          const admissions: number[] = []
          let now = 0
          for (const { gapMs, limit } of calls) {
            now += gapMs
            const before = admittedWithin(admissions, 300, now)
            const waitMs = takeFromWindow(window, limit, 300, now)
            expect(waitMs === 0).toBe(before < limit)
            if (waitMs === 0) admissions.push(now)
            else expectExactWait(window, limit, 300, now, waitMs)
          }
        },
      ),
    )
  })

  it('keeps no more places than the limit, and few for a key with few requests', () => {
    const busy = emptyWindow()
    const seldom = emptyWindow()
    for (let now = 0; now < 10_000; now++) {
      takeFromWindow(busy, 60, 1_000, now)
      takeFromWindow(seldom, 60, 1_000, now * 1_000)
    }
    expect(busy.times).toHaveLength(60)
    expect(seldom.times.length).toBeLessThanOrEqual(4)
  })
})

describe('newestAdmission', () => {
  it('is -Infinity without admissions, and not changed by a refusal', () => {
    const window = emptyWindow()
    expect(newestAdmission(window)).toBe(-Infinity)
    takeFromWindow(window, 1, 100, 7)
    takeFromWindow(window, 1, 100, 50)
    expect(newestAdmission(window)).toBe(7)
  })
})

describe('retryAfterSeconds', () => {
  it('rounds up to whole seconds', () => {
    expect([1, 999, 1_000, 1_001, 60_000].map(retryAfterSeconds)).toEqual([1, 1, 1, 2, 60])
  })
})
