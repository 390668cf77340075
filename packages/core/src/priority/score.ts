import type { Instant } from '../environment/index.js'
import { factorsAt, type Scorable } from './factors.js'
import { laneSlope, placeTask } from './lanes.js'
import { defaultScoring, type Scoring, type ScoringWeights } from './scoring.js'

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

/** The four factors, each in [0, 1], what each adds to the score, and their sum. The due factor is 0 if its weight is. */
export interface ScoreExplanation {
  readonly factors: ScoringWeights
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
 * console.log(factors) // { flag: 1, due: 1, age: 0, free: 0 }
 * console.log(parts) // { flag: 0.4, due: 0.3, age: 0, free: 0 }
 * console.log(score) // 0.7
 * ```
 */
export function explainScore(
  task: Scorable,
  now: Instant,
  scoring: Scoring = defaultScoring,
): ScoreExplanation {
  const factors = factorsAt(task, now, scoring)
  const { flag, due, age, free } = scoring.weights
  const total = flag + due + age + free
  const parts = {
    flag: (factors.flag * flag) / total,
    due: (factors.due * due) / total,
    age: (factors.age * age) / total,
    free: (factors.free * free) / total,
  }
  return { factors, parts, score: scoreTask(task, now, scoring) }
}
