import { describe, expect, it } from 'vitest'
import { explainScore, scoreTask, scoreUnits, type Scorable } from './score.js'
import { createScoring, defaultScoring, sameScoring } from './scoring.js'

const DAY_MS = 86_400_000
const NOW = Date.UTC(2026, 0, 15)
const base: Scorable = { priority: 'low', createdAt: NOW, dueDate: null, openDependencies: 1 }

describe('scoreTask', () => {
  it.each([
    ['urgent', 0.4],
    ['high', 0.2667],
    ['medium', 0.1333],
    ['low', 0],
  ] as const)('gives the flag %s its share', (priority, expected) => {
    expect(scoreTask({ ...base, priority }, NOW)).toBe(expected)
  })

  it.each([
    [15 * DAY_MS, 0],
    [14 * DAY_MS, 0],
    [7 * DAY_MS, 0.15],
    [0, 0.3],
    [-400 * DAY_MS, 0.3],
  ])('lets the due factor rise over fourteen days (%d ms ahead)', (aheadMs, expected) => {
    expect(scoreTask({ ...base, dueDate: NOW + aheadMs }, NOW)).toBe(expected)
  })

  it.each([
    [-DAY_MS, 0],
    [0, 0],
    [15 * DAY_MS, 0.075],
    [30 * DAY_MS, 0.15],
    [300 * DAY_MS, 0.15],
  ])('lets the age factor rise over thirty days (%d ms old)', (ageMs, expected) => {
    expect(scoreTask({ ...base, createdAt: NOW - ageMs }, NOW)).toBe(expected)
  })

  it('gives a task without open dependencies its share', () => {
    expect(scoreTask({ ...base, openDependencies: 0 }, NOW)).toBe(0.15)
  })

  it('reaches exactly 1', () => {
    const task: Scorable = {
      priority: 'urgent',
      createdAt: NOW - 40 * DAY_MS,
      dueDate: NOW - 1,
      openDependencies: 0,
    }
    expect(scoreUnits(task, NOW)).toBe(defaultScoring.unit)
    expect(scoreTask(task, NOW)).toBe(1)
  })
})

describe('explainScore', () => {
  it('takes the score apart', () => {
    const task: Scorable = {
      priority: 'high',
      createdAt: NOW - 15 * DAY_MS,
      dueDate: NOW + 7 * DAY_MS,
      openDependencies: 0,
    }
    const { factors, parts, score } = explainScore(task, NOW)
    expect(factors).toEqual({ flag: 2 / 3, due: 0.5, age: 0.5, free: 1 })
    expect(parts.flag + parts.due + parts.age + parts.free).toBeCloseTo(score, 4)
    expect(score).toBe(0.6417)
  })
})

describe('createScoring', () => {
  it('uses the smallest whole units of the contract', () => {
    const { unit, ageSlope, dueSlope, flagStep, freeUnits } = createScoring()
    expect({ unit, ageSlope, dueSlope, flagStep, freeUnits }).toEqual({
      unit: 120_960_000_000,
      ageSlope: 7,
      dueSlope: 30,
      flagStep: 16_128_000_000,
      freeUnits: 18_144_000_000,
    })
  })

  it('takes other weights and horizons', () => {
    const scoring = createScoring({ weights: { flag: 1, due: 1, age: 0, free: 0 }, dueHorizonMs: DAY_MS })
    expect(scoreTask({ ...base, priority: 'urgent', dueDate: NOW + DAY_MS / 2 }, NOW, scoring)).toBe(0.75)
    expect(sameScoring(scoring, defaultScoring)).toBe(false)
    expect(
      sameScoring(createScoring({ weights: { flag: 80, due: 60, age: 30, free: 30 } }), defaultScoring),
    ).toBe(true)
  })

  it.each([
    [{ weights: { flag: -1 } }, 'weights.flag'],
    [{ weights: { due: 0.5 } }, 'weights.due'],
    [{ dueHorizonMs: 0 }, 'dueHorizonMs'],
    [{ ageHorizonMs: 1.5 }, 'ageHorizonMs'],
    [{ weights: { flag: 0, due: 0, age: 0, free: 0 } }, 'weights'],
    [{ dueHorizonMs: 1_209_600_001, ageHorizonMs: 2_592_000_007 }, 'priority'],
  ])('refuses %j and names %s', (options, field) => {
    expect(() => createScoring(options)).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG', field }))
  })
})
