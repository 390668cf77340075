import type { Instant } from '../environment/index.js'
import { factorsAt, type Scorable } from './factors.js'
import { laneSlope, placeTask } from './lanes.js'
import { defaultScoring, forFactors, type Scoring, type ScoringWeights, totalOf } from './scoring.js'

/** The fields that order tasks of the same score. Every `Task` is one. */
export interface Tied {
  readonly id: string
  readonly createdAt: Instant
  readonly dueDate: Instant | null
}

/**
 * The order of tasks of the same score: by due date (none last), then by creation, then by id. Below 0 when `a` comes first.
 * @example
 * ```ts
 * import { compareTied } from '@taskboard/core/storage'
 *
 * const due = { id: 'task_2', createdAt: 2, dueDate: 10 }
 * const older = { id: 'task_1', createdAt: 1, dueDate: null }
 * console.log([older, due].toSorted(compareTied).map(({ id }) => id)) // [ 'task_2', 'task_1' ]
 * ```
 */
export function compareTied(a: Tied, b: Tied): number {
  const [dueA, dueB] = [a.dueDate ?? Infinity, b.dueDate ?? Infinity]
  if (dueA !== dueB) return dueA < dueB ? -1 : 1
  if (a.createdAt !== b.createdAt) return a.createdAt - b.createdAt
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0
}

/** Each factor in [0, 1], its share of the score, what it adds, and the sum of that. The due factor is 0 if its weight is. */
export interface ScoreExplanation {
  readonly factors: ScoringWeights
  readonly shares: ScoringWeights
  readonly parts: ScoringWeights
  readonly score: number
}

/**
 * The exact score in the scoring's units at `now`. Higher is picked first.
 * @example
 * ```ts
 * import { defaultScoring, scoreTask } from '@taskboard/core'
 * import { scoreUnits } from '@taskboard/core/storage'
 *
 * const now = Date.UTC(2026, 0, 15)
 * const task = { priority: 'urgent', createdAt: now, dueDate: null, openDependencies: 0 } as const
 * console.log(scoreUnits(task, now) / defaultScoring.unit === scoreTask(task, now)) // true
 * ```
 */
export function scoreUnits(task: Scorable, now: Instant, scoring: Scoring = defaultScoring): number {
  const { lane, key } = placeTask(task, now, scoring)
  return key + laneSlope(lane, scoring) * now
}

/**
 * The score at `now`, in [0, 1] and rounded to four decimals as on the wire.
 * @example
 * ```ts
 * import { scoreTask } from '@taskboard/core'
 *
 * const now = Date.UTC(2026, 0, 15)
 * const dueDate = now + 7 * 86_400_000
 * console.log(scoreTask({ priority: 'high', createdAt: now, dueDate, openDependencies: 0 }, now)) // 0.6117
 * ```
 */
export function scoreTask(task: Scorable, now: Instant, scoring: Scoring = defaultScoring): number {
  return Math.round((scoreUnits(task, now, scoring) / scoring.unit) * 10_000) / 10_000
}

/**
 * The factors and parts of the score at `now`. The parts are exact fractions, unrounded; their sum is rounded like `scoreTask`.
 * @example
 * ```ts
 * import { explainScore } from '@taskboard/core'
 *
 * const now = Date.UTC(2026, 0, 15)
 * const task = { priority: 'urgent', createdAt: now, dueDate: now, openDependencies: 1 } as const
 * const { factors, parts, score } = explainScore(task, now)
 * console.log(factors.flag, factors.free) // 1 0
 * console.log(parts.flag, parts.due) // 0.4 0.3
 * console.log(score) // 0.7
 * ```
 */
export function explainScore(
  task: Scorable,
  now: Instant,
  scoring: Scoring = defaultScoring,
): ScoreExplanation {
  const factors = factorsAt(task, now, scoring)
  const total = totalOf(scoring.weights)
  const shares = forFactors((name) => scoring.weights[name] / total)
  const parts = forFactors((name) => factors[name] * shares[name])
  return { factors, shares, parts, score: scoreTask(task, now, scoring) }
}
