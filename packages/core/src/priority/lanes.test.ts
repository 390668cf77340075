import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { laneSlope, placeTask } from './lanes.js'
import type { Scorable } from './factors.js'
import { explainScore, scoreUnits } from './score.js'
import { createScoring, forFactors } from './scoring.js'

const DAY_MS = 86_400_000
const ORIGIN = Date.UTC(2026, 0, 1)
const instant = fc.integer({ min: ORIGIN - 60 * DAY_MS, max: ORIGIN + 60 * DAY_MS })
const dueDate = fc.integer({ min: ORIGIN - 60 * DAY_MS, max: ORIGIN + 300 * DAY_MS })
const scorable: fc.Arbitrary<Required<Scorable>> = fc.record({
  priority: fc.constantFrom('urgent', 'high', 'medium', 'low'),
  createdAt: instant,
  dueDate: fc.option(dueDate, { nil: null }),
  openDependencies: fc.nat(2),
})
const scoring = fc.constantFrom(
  createScoring(),
  createScoring({
    weights: { flag: 10, due: 50, age: 40, free: 0 },
    dueHorizonMs: 3 * DAY_MS,
    ageHorizonMs: 7 * DAY_MS,
  }),
  createScoring({ weights: { due: 0 } }),
  createScoring({ weights: forFactors(() => 1) }),
  createScoring({ dueHorizonMs: 3_600_000 }),
  createScoring({ dueHorizonMs: 40 * DAY_MS, dueFarHorizonMs: 40 * DAY_MS }),
)

describe('placeTask', () => {
  it('is exact until laneUntil, for any task, time and weights', () => {
    fc.assert(
      fc.property(
        scorable,
        instant,
        fc.double({ min: 0, max: 1, noNaN: true }),
        scoring,
        (task, now, part, weights) => {
          const { key, lane, laneUntil } = placeTask(task, now, weights)
          const last = Math.min(laneUntil - 1, now + 200 * DAY_MS)
          const later = now + Math.floor((last - now) * part)
          for (const at of [now, later, last])
            expect(key + laneSlope(lane, weights) * at).toBe(scoreUnits(task, at, weights))
        },
      ),
      { numRuns: 500 },
    )
  })

  it('gives the sum of what explainScore says of each factor', () => {
    fc.assert(
      fc.property(scorable, instant, scoring, (task, now, weights) => {
        const { parts } = explainScore(task, now, weights)
        const sum = Object.values(parts).reduce((total, part) => total + part)
        expect(sum).toBeCloseTo(scoreUnits(task, now, weights) / weights.unit, 9)
      }),
    )
  })

  it('changes lane at laneUntil, at most five times per task', () => {
    fc.assert(
      fc.property(scorable, scoring, (task, weights) => {
        let at = ORIGIN - 300 * DAY_MS
        let changes = 0
        for (;;) {
          const { laneUntil } = placeTask(task, at, weights)
          if (laneUntil === Infinity) break
          expect(laneUntil).toBeGreaterThan(at)
          at = laneUntil
          changes++
        }
        expect(changes).toBeLessThanOrEqual(5)
      }),
    )
  })

  it('never changes the order within a lane', () => {
    fc.assert(
      fc.property(scorable, scorable, instant, (a, b, now) => {
        const [placeA, placeB] = [placeTask(a, now), placeTask(b, now)]
        fc.pre(placeA.lane === placeB.lane)
        const last = Math.min(placeA.laneUntil, placeB.laneUntil, now + 100 * DAY_MS) - 1
        const byKey = Math.sign(placeA.key - placeB.key)
        expect(Math.sign(scoreUnits(a, now) - scoreUnits(b, now))).toBe(byKey)
        expect(Math.sign(scoreUnits(a, last) - scoreUnits(b, last))).toBe(byKey)
      }),
    )
  })
})
