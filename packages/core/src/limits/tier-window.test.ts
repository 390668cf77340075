import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  emptyTierWindow,
  takeFromTierWindow,
  tierWindowIdleAt,
  type TierRates,
  type TierWindow,
} from './tier-window.js'
import { retryAfterSeconds } from './window.js'

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000
/** On the hour. */
const START = Date.UTC(2026, 0, 1)

const copy = (window: TierWindow): TierWindow => ({
  ...window,
  seconds: [...window.seconds],
  counts: [...window.counts],
})
const isTaken = (window: TierWindow, limits: TierRates, now: number): boolean =>
  takeFromTierWindow(copy(window), limits, now).allowed

const limits = fc.record({
  perHour: fc.option(fc.integer({ min: 1, max: 40 })),
  perMinute: fc.option(fc.integer({ min: 1, max: 12 })),
})
/** Mostly close together, sometimes across the end of an hour. */
const gap = fc.oneof(
  { weight: 6, arbitrary: fc.nat({ max: 3_000 }) },
  { weight: 3, arbitrary: fc.nat({ max: 70_000 }) },
  { weight: 1, arbitrary: fc.nat({ max: 2_000_000 }) },
)
const gaps = fc.array(gap, { maxLength: 150 })

describe('takeFromTierWindow', () => {
  it('counts down both limits, and returns the end of the hour', () => {
    const window = emptyTierWindow()
    const now = START + HOUR_MS / 2
    expect(takeFromTierWindow(window, { perHour: 10, perMinute: 2 }, now)).toEqual({
      allowed: true,
      hour: { limit: 10, remaining: 9, resetAt: START + HOUR_MS },
      minute: { limit: 2, remaining: 1 },
      retryAfterMs: 0,
    })
    takeFromTierWindow(window, { perHour: 10, perMinute: 2 }, now + 400)
    expect(takeFromTierWindow(window, { perHour: 10, perMinute: 2 }, now + 400)).toEqual({
      allowed: false,
      hour: { limit: 10, remaining: 8, resetAt: START + HOUR_MS },
      minute: { limit: 2, remaining: 0 },
      retryAfterMs: 60_600,
    })
  })

  it('returns null for an interval without a limit', () => {
    const window = emptyTierWindow()
    for (let count = 0; count < 1_000; count++) {
      const decision = takeFromTierWindow(window, { perHour: null, perMinute: null }, START)
      expect(decision).toEqual({ allowed: true, hour: null, minute: null, retryAfterMs: 0 })
    }
  })

  it('admits no more than the limit in any rolling minute, nor in any hour', () => {
    fc.assert(
      fc.property(limits, gaps, (wanted, steps) => {
        const window = emptyTierWindow()
        const admitted: number[] = []
        let now = START
        for (const step of steps) {
          now += step
          if (takeFromTierWindow(window, wanted, now).allowed) admitted.push(now)
        }
        for (const end of admitted) {
          const inMinute = admitted.filter((at) => at > end - MINUTE_MS && at <= end).length
          const inHour = admitted.filter(
            (at) => Math.floor(at / HOUR_MS) === Math.floor(end / HOUR_MS),
          ).length
          expect(inMinute).toBeLessThanOrEqual(wanted.perMinute ?? Infinity)
          expect(inHour).toBeLessThanOrEqual(wanted.perHour ?? Infinity)
        }
      }),
    )
  })

  it('does so for minutes that do not begin on a full second', () => {
    const nearlyAMinute = fc.oneof(fc.nat({ max: 50 }), fc.integer({ min: 59_000, max: 60_000 }))
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3 }), fc.array(nearlyAMinute), (perMinute, steps) => {
        const window = emptyTierWindow()
        const admitted: number[] = []
        let now = START
        for (const step of steps) {
          now += step
          if (!takeFromTierWindow(window, { perHour: null, perMinute }, now).allowed) continue
          admitted.push(now)
          expect(admitted.filter((at) => at > now - MINUTE_MS).length).toBeLessThanOrEqual(perMinute)
        }
      }),
    )
  })

  it('refuses no request with room, given up to a second of slack', () => {
    fc.assert(
      fc.property(limits, gaps, (wanted, steps) => {
        const window = emptyTierWindow()
        const admitted: number[] = []
        let now = START
        for (const step of steps) {
          now += step
          const near = admitted.filter((at) => at > now - MINUTE_MS - 1_000).length
          const inHour = admitted.filter(
            (at) => Math.floor(at / HOUR_MS) === Math.floor(now / HOUR_MS),
          ).length
          const hasRoom = near < (wanted.perMinute ?? Infinity) && inHour < (wanted.perHour ?? Infinity)
          const { allowed } = takeFromTierWindow(window, wanted, now)
          expect(allowed || !hasRoom).toBe(true)
          if (allowed) admitted.push(now)
        }
      }),
    )
  })

  it('consumes nothing on a refusal, and returns the exact wait, also in whole seconds', () => {
    fc.assert(
      fc.property(limits, gaps, fc.nat({ max: 100_000 }), (wanted, steps, backMs) => {
        const window = emptyTierWindow()
        let now = START
        for (const step of steps) {
          now += step
          const before = copy(window)
          const isBack = step % 5 === 0
          if (isBack) now -= backMs
          const { allowed, retryAfterMs } = takeFromTierWindow(window, wanted, now)
          if (allowed) continue
          if (!isBack) expect(window).toEqual(before)
          expect(isTaken(window, wanted, now + retryAfterMs - 1)).toBe(false)
          expect(isTaken(window, wanted, now + retryAfterMs)).toBe(true)
          expect(isTaken(window, wanted, now + retryAfterSeconds(retryAfterMs) * 1_000)).toBe(true)
        }
      }),
    )
  })

  it('admits nothing extra in any true minute when the clock steps back, and no wait is longer than its window', () => {
    const back = fc.oneof(
      { weight: 5, arbitrary: fc.constant(0) },
      { weight: 2, arbitrary: fc.nat({ max: 3_000 }) },
      { weight: 1, arbitrary: fc.nat({ max: 3 * HOUR_MS }) },
    )
    const steps = fc.array(fc.record({ gapMs: gap, backMs: back }), { maxLength: 150 })
    fc.assert(
      fc.property(limits, steps, (wanted, taken) => {
        const window = emptyTierWindow()
        const admitted: number[] = []
        let now = START
        let trueMs = 0
        for (const { gapMs, backMs } of taken) {
          now += gapMs - backMs
          trueMs += gapMs
          const { allowed, hour, retryAfterMs } = takeFromTierWindow(window, wanted, now)
          if (allowed) admitted.push(trueMs)
          const near = admitted.filter((at) => at > trueMs - MINUTE_MS).length
          expect(near).toBeLessThanOrEqual(wanted.perMinute ?? Infinity)
          expect(retryAfterMs).toBeLessThanOrEqual(hour?.remaining === 0 ? HOUR_MS : 61_000)
          if (hour !== null) expect(hour.resetAt - now).toBeLessThanOrEqual(HOUR_MS)
        }
      }),
    )
  })

  it('lets a full hour end with the hour into which the clock steps back', () => {
    const window = emptyTierWindow()
    const once = { perHour: 1, perMinute: null }
    takeFromTierWindow(window, once, START + HOUR_MS + 10)
    const refused = takeFromTierWindow(window, once, START + HOUR_MS - 500)
    expect(refused).toEqual({
      allowed: false,
      hour: { limit: 1, remaining: 0, resetAt: START + HOUR_MS },
      minute: null,
      retryAfterMs: 500,
    })
    expect(takeFromTierWindow(window, once, START + HOUR_MS).allowed).toBe(true)
  })

  it('follows limits that change', () => {
    const window = emptyTierWindow()
    for (let count = 0; count < 5; count++) takeFromTierWindow(window, { perHour: 100, perMinute: 5 }, START)
    const less = takeFromTierWindow(window, { perHour: 3, perMinute: 5 }, START)
    expect([less.allowed, less.hour?.remaining, less.retryAfterMs]).toEqual([false, 0, HOUR_MS])
    expect(takeFromTierWindow(window, { perHour: 100, perMinute: 6 }, START).allowed).toBe(true)
  })

  it('keeps only the seconds that count', () => {
    const window = emptyTierWindow()
    for (let now = START; now < START + HOUR_MS; now += 500)
      takeFromTierWindow(window, { perHour: null, perMinute: 1_000 }, now)
    expect(window.seconds).toHaveLength(61)
  })
})

describe('tierWindowIdleAt', () => {
  it('is when a window equals a new one, and no earlier', () => {
    fc.assert(
      fc.property(fc.nat({ max: 2 * HOUR_MS }), (afterMs) => {
        const window = emptyTierWindow()
        const once = { perHour: 1, perMinute: 1 }
        takeFromTierWindow(window, once, START + afterMs)
        const idleAt = tierWindowIdleAt(window)
        expect(isTaken(window, once, idleAt - 1)).toBe(false)
        expect(isTaken(window, once, idleAt)).toBe(true)
      }),
    )
  })
})
