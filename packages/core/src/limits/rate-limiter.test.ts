import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Clock } from '../environment/index.js'
import { isTaskboardError } from '../errors/index.js'
import { createRateLimiter, type RateLimiter } from './rate-limiter.js'
import { retryAfterSeconds } from './window.js'

interface HandClock extends Clock {
  time: number
}

function handClock(time = 1_000_000): HandClock {
  const clock: HandClock = {
    time,
    now: () => clock.time,
    setTimer: () => {
      throw new Error('a limiter sets no timer')
    },
  }
  return clock
}

/** Tries what is allowed after a pause on a copy of the history, so that the limiter under test is not changed. */
function replay(
  history: readonly { at: number; key: string }[],
  options: { limit: number; windowMs: number },
) {
  const clock = handClock()
  const limiter = createRateLimiter({ ...options, clock })
  for (const { at, key } of history) {
    clock.time = at
    limiter.take(key)
  }
  return (key: string, at: number): boolean => {
    clock.time = at
    return limiter.take(key).allowed
  }
}

/** Mostly zero; else from a moment to hours. */
const stepBackMs = fc.oneof(
  { weight: 6, arbitrary: fc.constant(0) },
  { weight: 2, arbitrary: fc.nat({ max: 1_500 }) },
  { weight: 1, arbitrary: fc.nat({ max: 10_000_000 }) },
)

const scenario = fc.record({
  limit: fc.integer({ min: 1, max: 8 }),
  windowMs: fc.integer({ min: 1, max: 3_000 }),
  calls: fc.array(fc.record({ gapMs: fc.nat({ max: 900 }), key: fc.constantFrom('a', 'b', 'c') }), {
    maxLength: 60,
  }),
})

describe('createRateLimiter', () => {
  it('allows 60 in any rolling minute, never 61, and returns what remains', () => {
    const clock = handClock()
    const limiter = createRateLimiter({ limit: 60, windowMs: 60_000, clock })
    for (let left = 59; left >= 0; left--) {
      expect(limiter.take('k')).toEqual({ allowed: true, remaining: left, retryAfterMs: 0 })
      clock.time += 100
    }
    expect(limiter.take('k')).toEqual({ allowed: false, remaining: 0, retryAfterMs: 54_000 })
    expect(limiter.take('other').allowed).toBe(true)
    clock.time += 53_999
    expect(limiter.take('k').retryAfterMs).toBe(1)
    clock.time += 1
    expect(limiter.take('k').allowed).toBe(true)
    expect(limiter.take('k').retryAfterMs).toBe(100)
  })

  it('admits exactly what the definition admits, for any times and keys', () => {
    fc.assert(
      fc.property(scenario, ({ limit, windowMs, calls }) => {
        const clock = handClock()
        const limiter = createRateLimiter({ limit, windowMs, clock })
        const admitted: { at: number; key: string }[] = []
        const within = (key: string, end: number): number =>
          admitted.filter((one) => one.key === key && one.at > end - windowMs && one.at <= end).length
        for (const { gapMs, key } of calls) {
          clock.time += gapMs
          const free = limit - within(key, clock.time)
          expect(limiter.remaining(key)).toBe(Math.max(0, free))
          const decision = limiter.take(key)
          expect(decision.allowed).toBe(free > 0)
          expect(decision.remaining).toBe(Math.max(0, free - 1))
          if (decision.allowed) admitted.push({ at: clock.time, key })
        }
        for (const { at, key } of admitted) expect(within(key, at)).toBeLessThanOrEqual(limit)
      }),
    )
  })

  it('returns the exact wait, in milliseconds and in whole seconds', () => {
    fc.assert(
      fc.property(scenario, ({ limit, windowMs, calls }) => {
        const clock = handClock()
        const limiter = createRateLimiter({ limit, windowMs, clock })
        const history: { at: number; key: string }[] = []
        const outcomes: boolean[] = []
        for (const { gapMs, key } of calls) {
          clock.time += gapMs
          const { allowed, retryAfterMs } = limiter.take(key)
          history.push({ at: clock.time, key })
          if (allowed) continue
          const secondsMs = retryAfterSeconds(retryAfterMs) * 1_000
          const after = (waitMs: number): boolean =>
            replay(history, { limit, windowMs })(key, clock.time + waitMs)
          outcomes.push(!after(retryAfterMs - 1), after(retryAfterMs), after(secondsMs))
        }
        expect(outcomes).not.toContain(false)
      }),
      { numRuns: 60 },
    )
  })

  it('never waits longer than a window when the clock steps back', () => {
    const clock = handClock()
    const limiter = createRateLimiter({ limit: 1, windowMs: 1_000, clock })
    limiter.take('a')
    clock.time -= 3_600_000
    expect(limiter.take('a')).toEqual({ allowed: false, remaining: 0, retryAfterMs: 1_000 })
    expect(limiter.take('b').allowed).toBe(true)
    clock.time += 999
    expect([limiter.take('a').allowed, limiter.take('b').allowed]).toEqual([false, false])
    clock.time += 1
    expect([limiter.take('a').allowed, limiter.take('b').allowed]).toEqual([true, true])
  })

  it('stays exact in true time, however often and far the clock steps back', () => {
    fc.assert(
      fc.property(
        fc.record({
          limit: fc.integer({ min: 1, max: 6 }),
          calls: fc.array(
            fc.record({
              gapMs: fc.nat({ max: 900 }),
              backMs: stepBackMs,
              key: fc.constantFrom('a', 'b', 'c'),
            }),
            { maxLength: 80 },
          ),
        }),
        ({ limit, calls }) => {
          const windowMs = 1_000
          const clock = handClock(1e12)
          const limiter = createRateLimiter({ limit, windowMs, clock })
          const admitted: { at: number; key: string }[] = []
          const promised = new Map<string, number>()
          let trueMs = 0
          for (const { gapMs, backMs, key } of calls) {
            trueMs += gapMs
            clock.time += gapMs - backMs
            if (backMs > 0) promised.clear()
            const { allowed, retryAfterMs } = limiter.take(key)
            if (allowed) {
              admitted.push({ at: trueMs, key })
              const recent = admitted.filter((one) => one.key === key && one.at > trueMs - windowMs)
              expect(recent.length).toBeLessThanOrEqual(limit)
              promised.delete(key)
            } else {
              expect(retryAfterMs).toBeLessThanOrEqual(windowMs)
              expect(trueMs).toBeLessThan(promised.get(key) ?? Infinity)
              promised.set(key, trueMs + retryAfterMs)
            }
          }
        },
      ),
    )
  })

  it('runs on the process clock when none is given', () => {
    const limiter = createRateLimiter({ limit: 2, windowMs: 3_600_000 })
    expect([1, 2, 3].map(() => limiter.take('k').allowed)).toEqual([true, true, false])
  })
})

describe('memory', () => {
  it('forgets idle keys within two windows, without a timer and without losing a live one', () => {
    const clock = handClock()
    const limiter = createRateLimiter({ limit: 2, windowMs: 1_000, clock })
    for (let i = 0; i < 500; i++) limiter.take(`idle-${i}`)
    for (let i = 0; i < 30; i++) {
      clock.time += 100
      limiter.take('live')
    }
    expect(limiter.size).toBe(1)
    expect(limiter.take('live').allowed).toBe(false)
    clock.time += 2_000
    expect(limiter.size).toBe(0)
  })

  it('keeps only the keys of two windows while new ones keep coming', () => {
    const clock = handClock()
    const limiter = createRateLimiter({ limit: 2, windowMs: 1_000, clock })
    let largest = 0
    for (let i = 0; i < 20_000; i++) {
      clock.time += 1
      limiter.take(`address-${i}`)
      largest = Math.max(largest, limiter.size)
    }
    expect(largest).toBeLessThanOrEqual(2_000)
    expect(largest).toBeGreaterThan(900)
  })
})

describe('maxKeys', () => {
  const fill = (limiter: RateLimiter, names: readonly string[]): boolean[] =>
    names.map((name) => limiter.take(name).allowed)

  it('refuses a new key while all places are taken, and limits the known ones exactly', () => {
    const clock = handClock()
    const limiter = createRateLimiter({ limit: 2, windowMs: 1_000, clock, maxKeys: 2 })
    expect(fill(limiter, ['a', 'b', 'c', 'a', 'a'])).toEqual([true, true, false, true, false])
    expect(limiter.size).toBe(2)
  })

  it('returns the exact wait for a place to a refused key', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 1_500 }), { minLength: 2, maxLength: 12 }), (gaps) => {
        const clock = handClock()
        const limiter = createRateLimiter({ limit: 5, windowMs: 1_000, clock, maxKeys: 2 })
        for (const [index, gapMs] of gaps.entries()) {
          clock.time += gapMs
          limiter.take(`k${index % 2}`)
        }
        const refused = limiter.take('new')
        clock.time += Math.max(0, refused.retryAfterMs - 1)
        expect(limiter.take('new').allowed).toBe(refused.allowed)
        clock.time += 1
        expect(limiter.take('new').allowed).toBe(true)
        expect(limiter.size).toBeLessThanOrEqual(2)
      }),
    )
  })
})

describe('options', () => {
  it.each([
    ['limit', { limit: 0, windowMs: 1 }],
    ['limit', { limit: 100_001, windowMs: 1 }],
    ['limit', { limit: 1.5, windowMs: 1 }],
    ['windowMs', { limit: 1, windowMs: Number.NaN }],
    ['windowMs', { limit: 1, windowMs: -1 }],
    ['maxKeys', { limit: 1, windowMs: 1, maxKeys: 0 }],
  ])('refuses an unusable %s', (field, options) => {
    expect(() => createRateLimiter(options)).toThrow(
      expect.toSatisfy(
        (error: unknown) => isTaskboardError(error, 'INVALID_CONFIG') && error.field === field,
      ),
    )
  })
})
