import { TaskboardError } from '../errors/index.js'

/** How much each factor counts. Non-negative whole numbers; only their proportions matter. */
export interface ScoringWeights {
  readonly flag: number
  readonly due: number
  readonly age: number
  readonly free: number
}

export interface ScoringOptions {
  readonly weights?: Partial<ScoringWeights> | undefined
  /** How long before its due date a task's due factor begins to rise. Whole milliseconds; default 14 days. */
  readonly dueHorizonMs?: number | undefined
  /** How long a task's age factor rises after its creation. Whole milliseconds; default 30 days. */
  readonly ageHorizonMs?: number | undefined
}

/**
 * The score's arithmetic in whole numbers. A score of 1 is `unit`; every factor is a whole multiple of one at every whole
 * millisecond, so that sums and comparisons are exact and two storages never disagree on an order.
 */
export interface Scoring {
  readonly weights: ScoringWeights
  readonly dueHorizonMs: number
  readonly ageHorizonMs: number
  readonly unit: number
  /** Units that one step of the flag is worth: low 0, medium 1, high 2, urgent 3. */
  readonly flagStep: number
  /** Units for a task without open dependencies. */
  readonly freeUnits: number
  /** Units a millisecond while the due factor rises. */
  readonly dueSlope: number
  /** Units a millisecond while the age factor rises. */
  readonly ageSlope: number
}

const DAY_MS = 86_400_000
const DEFAULT_WEIGHTS: ScoringWeights = { flag: 40, due: 30, age: 15, free: 15 }
/** Instants stay below 2^42 ms (the year 2109); a slope times an instant must stay a safe integer. */
const LARGEST_INSTANT_MS = 2 ** 42

/**
 * Works out the units for the given weights and horizons.
 * @throws TaskboardError `INVALID_CONFIG` for a weight or horizon that is no whole number in range, or a combination whose
 *   exact arithmetic would leave the safe integers (horizons of whole minutes or more with small weights never do).
 */
export function createScoring(options: ScoringOptions = {}): Scoring {
  const weights = { ...DEFAULT_WEIGHTS, ...options.weights }
  const dueHorizonMs = options.dueHorizonMs ?? 14 * DAY_MS
  const ageHorizonMs = options.ageHorizonMs ?? 30 * DAY_MS
  for (const [name, weight] of Object.entries(weights)) requireWhole(`weights.${name}`, weight, 0)
  requireWhole('dueHorizonMs', dueHorizonMs, 1)
  requireWhole('ageHorizonMs', ageHorizonMs, 1)
  const total = weights.flag + weights.due + weights.age + weights.free
  if (total === 0)
    throw new TaskboardError('INVALID_CONFIG', 'at least one weight must be above 0', { field: 'weights' })

  const span = leastCommonMultiple(leastCommonMultiple(dueHorizonMs, ageHorizonMs), 3)
  const raw = [
    weights.due * (span / dueHorizonMs),
    weights.age * (span / ageHorizonMs),
    weights.flag * (span / 3),
    weights.free * span,
    total * span,
  ]
  const divisor = raw.reduce(greatestCommonDivisor)
  const [dueSlope = 0, ageSlope = 0, flagStep = 0, freeUnits = 0, unit = 0] = raw.map(
    (value) => value / divisor,
  )
  const largest = Math.max(2 * (dueSlope + ageSlope) * LARGEST_INSTANT_MS + unit, ...raw)
  if (!Number.isSafeInteger(largest)) {
    throw new TaskboardError('INVALID_CONFIG', 'these weights and horizons have no exact common unit', {
      field: 'priority',
    })
  }
  return { weights, dueHorizonMs, ageHorizonMs, unit, flagStep, freeUnits, dueSlope, ageSlope }
}

/** The score of the contract: 40 % flag, 30 % due date within 14 days, 15 % age over 30 days, 15 % free of dependencies. */
export const defaultScoring: Scoring = createScoring()

/** Whether two scorings put the same keys into an index. */
export function sameScoring(a: Scoring, b: Scoring): boolean {
  return (
    a.unit === b.unit &&
    a.flagStep === b.flagStep &&
    a.freeUnits === b.freeUnits &&
    a.dueSlope === b.dueSlope &&
    a.ageSlope === b.ageSlope &&
    a.dueHorizonMs === b.dueHorizonMs &&
    a.ageHorizonMs === b.ageHorizonMs
  )
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
