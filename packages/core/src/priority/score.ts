import type { Instant } from '../environment/index.js'
import { defaultScoring, type Scoring } from './scoring.js'

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

/** The priorities, best first. */
export const priorities = ['urgent', 'high', 'medium', 'low'] as const

export type Priority = (typeof priorities)[number]

/** The fields that the score of a task depends on. Every `Task` is one. */
export interface Scorable {
  readonly priority: Priority
  readonly createdAt: Instant
  readonly dueDate: Instant | null
  /** How many dependencies are not DONE. */
  readonly openDependencies: number
}

/** The four factors, each in [0, 1], what each adds to the score, and their sum. The due factor is 0 if its weight is. */
export interface ScoreExplanation {
  readonly factors: {
    readonly flag: number
    readonly due: number
    readonly age: number
    readonly free: number
  }
  readonly parts: { readonly flag: number; readonly due: number; readonly age: number; readonly free: number }
  readonly score: number
}

const PRIORITY_RANKS = { urgent: 3, high: 2, medium: 1, low: 0 } as const

/** How many steps a priority is above the lowest: low 0 to urgent 3. */
export function priorityRank(priority: Scorable['priority']): number {
  return PRIORITY_RANKS[priority]
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
  return (
    PRIORITY_RANKS[task.priority] * scoring.priorityStep +
    dueUnitsAt(task, now, scoring) +
    ageMs(task, now, scoring) * scoring.ageSlope +
    (task.openDependencies > 0 ? 0 : scoring.unblockedUnits)
  )
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
  const factors = {
    flag: PRIORITY_RANKS[task.priority] / 3,
    due: scoring.dueUnits === 0 ? 0 : dueUnitsAt(task, now, scoring) / scoring.dueUnits,
    age: ageMs(task, now, scoring) / scoring.ageHorizonMs,
    free: task.openDependencies > 0 ? 0 : 1,
  }
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

/** The units that the due date adds: more as it comes nearer, and all of them once it has passed. */
function dueUnitsAt({ dueDate }: Scorable, now: Instant, scoring: Scoring): number {
  if (dueDate === null) return 0
  const leftMs = dueDate - now
  if (leftMs <= 0) return scoring.dueUnits
  if (leftMs <= scoring.dueHorizonMs) return scoring.dueUnits - scoring.dueSlope * leftMs
  const farMs = Math.min(leftMs, scoring.dueFarHorizonMs) - scoring.dueHorizonMs
  return scoring.dueNearUnits - scoring.dueFarSlope * farMs
}

/** Milliseconds for which the age factor has risen, 0 to the horizon. */
function ageMs(task: Scorable, now: Instant, scoring: Scoring): number {
  return clamp(now - task.createdAt, scoring.ageHorizonMs)
}

function clamp(value: number, most: number): number {
  return value < 0 ? 0 : value > most ? most : value
}
