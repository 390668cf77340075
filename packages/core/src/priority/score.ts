import type { Instant } from '../environment/index.js'
import { defaultScoring, type Scoring } from './scoring.js'

/** What the score of a task depends on. Every `Task` is one. */
export interface Scorable {
  readonly priority: 'urgent' | 'high' | 'medium' | 'low'
  readonly createdAt: Instant
  readonly dueDate: Instant | null
  /** How many dependencies are not DONE. */
  readonly openDependencies: number
}

/** The four factors, each in [0, 1], what each adds to the score, and their sum. */
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

const FLAG_STEPS = { urgent: 3, high: 2, medium: 1, low: 0 } as const

/** The flag's steps: low 0 to urgent 3. */
export function flagSteps(priority: Scorable['priority']): number {
  return FLAG_STEPS[priority]
}

/** The exact score in the scoring's units at `now`. Higher is picked first. */
export function scoreUnits(task: Scorable, now: Instant, scoring: Scoring = defaultScoring): number {
  return (
    FLAG_STEPS[task.priority] * scoring.flagStep +
    dueMs(task, now, scoring) * scoring.dueSlope +
    ageMs(task, now, scoring) * scoring.ageSlope +
    (task.openDependencies > 0 ? 0 : scoring.freeUnits)
  )
}

/** The score at `now`, in [0, 1] and rounded to four decimals as on the wire. */
export function scoreTask(task: Scorable, now: Instant, scoring: Scoring = defaultScoring): number {
  return Math.round((scoreUnits(task, now, scoring) / scoring.unit) * 10_000) / 10_000
}

/** The score at `now` taken apart. The parts are exact fractions, unrounded; their sum is rounded like `scoreTask`. */
export function explainScore(
  task: Scorable,
  now: Instant,
  scoring: Scoring = defaultScoring,
): ScoreExplanation {
  const factors = {
    flag: FLAG_STEPS[task.priority] / 3,
    due: dueMs(task, now, scoring) / scoring.dueHorizonMs,
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

/** Milliseconds for which the due factor has risen, 0 to the horizon. */
function dueMs(task: Scorable, now: Instant, scoring: Scoring): number {
  if (task.dueDate === null) return 0
  return clamp(scoring.dueHorizonMs - (task.dueDate - now), scoring.dueHorizonMs)
}

/** Milliseconds for which the age factor has risen, 0 to the horizon. */
function ageMs(task: Scorable, now: Instant, scoring: Scoring): number {
  return clamp(now - task.createdAt, scoring.ageHorizonMs)
}

function clamp(value: number, most: number): number {
  return value < 0 ? 0 : value > most ? most : value
}
