import { TaskboardError } from '../errors/index.js'

/** The factors of the score, each with its default weight and what API v2 says of it. */
export const factorTable = {
  flag: { weight: 40, description: 'The priority flag: low 0 to urgent 1.' },
  due: { weight: 30, description: 'How close the deadline is; 0 without one, 1 when it has passed.' },
  age: { weight: 15, description: 'How long the task has existed.' },
  free: { weight: 15, description: '1 unless a dependency is not done.' },
} as const

type Factor = keyof typeof factorTable

/** The weight of each factor. Non-negative whole numbers; only their proportions matter. */
export type ScoringWeights = Readonly<Record<Factor, number>>

/** A value for each factor. */
export function forFactors<T>(valueOf: (name: Factor) => T): Readonly<Record<Factor, T>> {
  const names = Object.keys(factorTable) as Factor[]
  return Object.fromEntries(names.map((name) => [name, valueOf(name)])) as Record<Factor, T>
}

export interface ScoringOptions {
  readonly weights?: Partial<ScoringWeights> | undefined
  /** How long before its due date a task's due factor rises from 0.3 to 1. Whole milliseconds; default 14 days. */
  readonly dueHorizonMs?: number | undefined
  /**
   * How long before its due date a task's due factor begins to rise from 0.1, to reach 0.3 at `dueHorizonMs`. Whole milliseconds,
   * at least `dueHorizonMs`. If both are equal, the factor is 0.3 until then. Default 180 days, or `dueHorizonMs` if that is
   * longer.
   */
  readonly dueFarHorizonMs?: number | undefined
  /** How long a task's age factor rises after its creation. Whole milliseconds; default 30 days. */
  readonly ageHorizonMs?: number | undefined
}

/**
 * The score's arithmetic in whole numbers, which a durable storage keeps next to its keys. A score of 1 is `unit`. Every factor is a whole
 * number of units at every whole millisecond. Sums and comparisons are therefore exact, and all storages agree on the order.
 */
export interface Scoring {
  readonly weights: ScoringWeights
  readonly dueHorizonMs: number
  readonly dueFarHorizonMs: number
  readonly ageHorizonMs: number
  readonly unit: number
  /** Units for one step of the priority: low 0, medium 1, high 2, urgent 3. */
  readonly priorityStep: number
  /** Units for a task without open dependencies. */
  readonly unblockedUnits: number
  /** Units for a task that is due, or overdue. */
  readonly dueUnits: number
  /** Units for a task that is due in `dueHorizonMs`. */
  readonly dueNearUnits: number
  /** Units for a task that is due in `dueFarHorizonMs` or more. */
  readonly dueFarUnits: number
  /** Units a millisecond within `dueHorizonMs` of the due date. */
  readonly dueSlope: number
  /** Units a millisecond from `dueFarHorizonMs` to `dueHorizonMs` before the due date. */
  readonly dueFarSlope: number
  /** Units a millisecond while the age factor rises. */
  readonly ageSlope: number
  /** Units a millisecond by which scores rise, by `Lane`. */
  readonly laneSlopes: readonly number[]
}

const DAY_MS = 86_400_000
/** Tenths of the due factor that rise slowly, until `dueHorizonMs` before the due date, and fast from then on. */
const FAR_TENTHS = 2
const NEAR_TENTHS = 7
/** Above this level at `dueHorizonMs`, which is 0.3 if exact, units are too coarse for the curve. */
const HIGHEST_NEAR_LEVEL = 0.4
/** Instants stay below 2^42 ms (the year 2109); a slope times an instant must stay a safe integer. */
const LARGEST_INSTANT_MS = 2 ** 42

/**
 * Computes the units for the given weights and horizons. The weights and the age factor are exact. So are the levels 0.1 and
 * 0.3 of the due factor if the numbers allow it, as the default ones do. If not, the slopes of the due factor are rounded down to
 * whole numbers of the smallest possible units, which raises the levels a little.
 * @throws TaskboardError `INVALID_CONFIG` for a weight or horizon that isn't a whole number in range, or a combination whose
 *   exact arithmetic exceeds the safe integers.
 * @example
 * ```ts
 * import { createScoring, scoreTask } from '@taskboard/core'
 *
 * const now = Date.UTC(2026, 0, 15)
 * const task = { priority: 'high', createdAt: now, dueDate: now, openDependencies: 0 } as const
 * const urgencyFirst = createScoring({ weights: { flag: 80, due: 10, age: 5, free: 5 } })
 * console.log(scoreTask(task, now)) // 0.7167
 * console.log(scoreTask(task, now, urgencyFirst)) // 0.6833
 * ```
 */
export function createScoring(options: ScoringOptions = {}): Scoring {
  const weights = { ...forFactors((name) => factorTable[name].weight), ...options.weights }
  for (const [name, weight] of Object.entries(weights)) requireWhole(`weights.${name}`, weight, 0)
  const horizons = parseHorizons(options)
  const shares = sharesOf(weights, horizons.ageHorizonMs)
  const scale = scaleOf(shares, horizons)
  const dueUnits = shares.due * scale
  const { nearMs, farMs } = stretchesOf(horizons)
  const dueSlope = Math.floor((NEAR_TENTHS * dueUnits) / (10 * nearMs))
  const dueFarSlope = farMs === 0 ? 0 : Math.floor((FAR_TENTHS * dueUnits) / (10 * farMs))
  const dueNearUnits = dueUnits - dueSlope * nearMs
  const isCoarse = dueNearUnits > HIGHEST_NEAR_LEVEL * dueUnits
  if (scale < 1 || isCoarse || !Object.values(shares).every(Number.isSafeInteger)) {
    throw new TaskboardError(
      'INVALID_CONFIG',
      'these weights and horizons have no exact common unit; use smaller or rounder numbers',
      {
        field: 'priority',
      },
    )
  }
  const ageSlope = shares.age * scale
  return {
    weights,
    ...horizons,
    unit: shares.whole * scale,
    priorityStep: shares.flag * scale,
    unblockedUnits: shares.free * scale,
    dueUnits,
    dueNearUnits,
    dueFarUnits: dueNearUnits - dueFarSlope * farMs,
    dueSlope,
    dueFarSlope,
    ageSlope,
    laneSlopes: [0, dueFarSlope, dueSlope].flatMap((slope) => [slope, slope + ageSlope]),
  }
}

interface Horizons {
  readonly dueHorizonMs: number
  readonly dueFarHorizonMs: number
  readonly ageHorizonMs: number
}

function parseHorizons(options: ScoringOptions): Horizons {
  const { dueHorizonMs = 14 * DAY_MS, ageHorizonMs = 30 * DAY_MS } = options
  requireWhole('dueHorizonMs', dueHorizonMs, 1)
  requireWhole('ageHorizonMs', ageHorizonMs, 1)
  const { dueFarHorizonMs = Math.max(180 * DAY_MS, dueHorizonMs) } = options
  requireWhole('dueFarHorizonMs', dueFarHorizonMs, dueHorizonMs)
  return { dueHorizonMs, dueFarHorizonMs, ageHorizonMs }
}

/** How long the due factor rises fast, and slowly before that. */
function stretchesOf({ dueHorizonMs, dueFarHorizonMs }: Horizons): { nearMs: number; farMs: number } {
  return { nearMs: dueHorizonMs, farMs: dueFarHorizonMs - dueHorizonMs }
}

/** The factors in the smallest units in which all except the due factor's slopes are whole. */
interface Shares {
  /** A millisecond of rising age. */
  readonly age: number
  /** A step of the priority. */
  readonly flag: number
  readonly free: number
  readonly due: number
  readonly whole: number
}

/** The sum of all weights. */
export function totalOf(weights: ScoringWeights): number {
  return Object.values(weights).reduce((sum, weight) => sum + weight)
}

function sharesOf(weights: ScoringWeights, ageHorizonMs: number): Shares {
  const { flag, due, age, free } = weights
  const total = totalOf(weights)
  if (total === 0)
    throw new TaskboardError('INVALID_CONFIG', 'at least one weight must be above 0', { field: 'weights' })
  const span = leastCommonMultiple(ageHorizonMs, 3)
  const raw = [age * (span / ageHorizonMs), flag * (span / 3), free * span, due * span, total * span]
  const divisor = raw.reduce(greatestCommonDivisor)
  const [ageShare = 0, flagShare = 0, freeShare = 0, dueShare = 0, whole = 0] = raw.map(
    (value) => value / divisor,
  )
  return { age: ageShare, flag: flagShare, free: freeShare, due: dueShare, whole }
}

/**
 * The multiplier of the shares: the smallest number that makes the slopes of the due factor whole. If that is too large, the largest that
 * keeps a slope times an instant a safe integer.
 */
function scaleOf({ age, due, whole }: Shares, horizons: Horizons): number {
  const { nearMs, farMs } = stretchesOf(horizons)
  const exact = leastCommonMultiple(
    wholeMultiple(NEAR_TENTHS * due, 10 * nearMs),
    farMs === 0 ? 1 : wholeMultiple(FAR_TENTHS * due, 10 * farMs),
  )
  const steepest = age + (due / 10) * Math.max(NEAR_TENTHS / nearMs, farMs === 0 ? 0 : FAR_TENTHS / farMs)
  const largest = Math.floor(Number.MAX_SAFE_INTEGER / (steepest * LARGEST_INSTANT_MS + whole))
  return Math.min(exact, largest)
}

/** The smallest multiplier that makes a fraction whole. */
function wholeMultiple(numerator: number, denominator: number): number {
  return denominator / greatestCommonDivisor(denominator, numerator)
}

/** The default score: 40% priority, 30% due date, 15% age over 30 days, 15% no open dependencies. */
export const defaultScoring: Scoring = createScoring()

/**
 * Whether two scorings give the same keys.
 * @example
 * ```ts
 * import { createScoring, defaultScoring } from '@taskboard/core'
 * import { sameScoring } from '@taskboard/core/storage'
 *
 * console.log(sameScoring(createScoring(), defaultScoring)) // true
 * ```
 */
export function sameScoring(a: Scoring, b: Scoring): boolean {
  const names = Object.keys(a) as (keyof Scoring)[]
  return names.every((name) => typeof a[name] !== 'number' || a[name] === b[name])
}

function requireWhole(field: string, value: number, least: number): void {
  if (Number.isSafeInteger(value) && value >= least) return
  throw new TaskboardError('INVALID_CONFIG', `${field} must be a whole number of at least ${least}`, {
    field,
  })
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b)
}

function leastCommonMultiple(a: number, b: number): number {
  return (a / greatestCommonDivisor(a, b)) * b
}
