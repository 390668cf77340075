import { describe, expect, it } from 'vitest'
import type { Scorable } from './factors.js'
import { explainScore, scoreTask, scoreUnits } from './score.js'
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
  ] as const)('adds the share of the priority %s', (priority, expected) => {
    expect(scoreTask({ ...base, priority }, NOW)).toBe(expected)
  })

  it.each([
    [1_000 * DAY_MS, 0.03],
    [180 * DAY_MS, 0.03],
    [97 * DAY_MS, 0.06],
    [14 * DAY_MS, 0.09],
    [7 * DAY_MS, 0.195],
    [0, 0.3],
    [-400 * DAY_MS, 0.3],
  ])(
    'lets the due factor rise slowly from 180 days on and fast from 14 (%d ms ahead)',
    (aheadMs, expected) => {
      expect(scoreTask({ ...base, dueDate: NOW + aheadMs }, NOW)).toBe(expected)
    },
  )

  it('scores a closer deadline higher at any distance below 180 days, and any deadline higher than none', () => {
    const scores = Array.from({ length: 181 }, (_, days) =>
      scoreUnits({ ...base, dueDate: NOW + days * DAY_MS }, NOW),
    )
    for (let days = 1; days < scores.length; days++) expect(scores[days]).toBeLessThan(scores[days - 1] ?? 0)
    expect(scores.at(-1)).toBeGreaterThan(scoreUnits(base, NOW))
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

  it('adds the share of a task without open dependencies', () => {
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
  it('splits the score into its parts', () => {
    const task: Scorable = {
      priority: 'high',
      createdAt: NOW - 15 * DAY_MS,
      dueDate: NOW + 7 * DAY_MS,
      openDependencies: 0,
    }
    const { factors, score } = explainScore(task, NOW)
    expect(factors).toMatchObject({ flag: 2 / 3, due: 0.65, age: 0.5, free: 1 })
    expect(score).toBe(0.6867)
  })
})

describe('createScoring', () => {
  it('uses the smallest whole units of the contract', () => {
    const { unit, ageSlope, dueSlope, dueFarSlope, priorityStep, unblockedUnits, ...rest } = createScoring()
    expect({ unit, ageSlope, dueSlope, dueFarSlope, priorityStep, unblockedUnits }).toEqual({
      unit: 1_434_240_000_000,
      ageSlope: 83,
      dueSlope: 249,
      dueFarSlope: 6,
      priorityStep: 191_232_000_000,
      unblockedUnits: 215_136_000_000,
    })
    expect(rest.laneSlopes).toEqual([0, 83, 6, 89, 249, 332])
    expect([rest.dueUnits, rest.dueNearUnits, rest.dueFarUnits].map((units) => units / unit)).toEqual([
      0.3, 0.09, 0.03,
    ])
  })

  it('accepts other weights and horizons', () => {
    const scoring = createScoring({ weights: { flag: 1, due: 1, age: 0, free: 0 }, dueHorizonMs: DAY_MS })
    expect(scoreTask({ ...base, priority: 'urgent', dueDate: NOW + DAY_MS / 2 }, NOW, scoring)).toBe(0.825)
    expect(sameScoring(scoring, defaultScoring)).toBe(false)
    expect(sameScoring({ ...defaultScoring, unblockedUnits: 0 }, defaultScoring)).toBe(false)
    expect(sameScoring(createScoring({ dueFarHorizonMs: 90 * DAY_MS }), defaultScoring)).toBe(false)
    expect(
      sameScoring(createScoring({ weights: { flag: 80, due: 60, age: 30, free: 30 } }), defaultScoring),
    ).toBe(true)
  })

  it.each([
    { weights: { flag: 20, due: 60 }, dueHorizonMs: 7 * DAY_MS },
    { weights: { flag: 10, due: 50, age: 40, free: 0 }, dueHorizonMs: 3 * DAY_MS, ageHorizonMs: 7 * DAY_MS },
    { dueHorizonMs: 90 * DAY_MS, dueFarHorizonMs: 365 * DAY_MS },
    { dueHorizonMs: 365 * DAY_MS },
    { dueHorizonMs: 1_209_600_001 },
  ])('keeps the due curve close to its levels for %j', (options) => {
    const { dueUnits, dueNearUnits, dueFarUnits, dueHorizonMs, dueFarHorizonMs } = createScoring(options)
    const isOneRise = dueFarHorizonMs === dueHorizonMs
    expect(dueNearUnits / dueUnits).toBeCloseTo(0.3, 2)
    expect(Math.abs(dueFarUnits / dueUnits - (isOneRise ? 0.3 : 0.1))).toBeLessThan(0.02)
  })

  it.each([
    [{ weights: { flag: -1 } }, 'weights.flag'],
    [{ weights: { due: 0.5 } }, 'weights.due'],
    [{ dueHorizonMs: 0 }, 'dueHorizonMs'],
    [{ ageHorizonMs: 1.5 }, 'ageHorizonMs'],
    [{ dueFarHorizonMs: 13 * DAY_MS }, 'dueFarHorizonMs'],
    [{ weights: { flag: 0, due: 0, age: 0, free: 0 } }, 'weights'],
    [{ dueHorizonMs: 1 }, 'priority'],
  ])('refuses %j and names %s', (options, field) => {
    expect(() => createScoring(options)).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG', field }))
  })
})
