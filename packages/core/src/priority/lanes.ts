import type { Instant } from '../environment/index.js'
import { flagSteps, type Scorable } from './score.js'
import { defaultScoring, type Scoring } from './scoring.js'

/** One of the four slopes that a score can have: bit 0 when the age factor rises, bit 1 when the due factor does. */
export type Lane = 0 | 1 | 2 | 3
export const lanes: readonly Lane[] = [0, 1, 2, 3]

/**
 * Where a task stands in the pickup order. Within a lane scores rise alike, so the order by `key` (higher first) is the
 * order by score at every instant before the `laneUntil` of each of its tasks.
 */
export interface Placement {
  readonly lane: Lane
  /** `key + laneSlope(lane) * now` is the score in units. */
  readonly key: number
  /** The first instant at which this placement is no longer right; `Infinity` when it will be for good. */
  readonly laneUntil: Instant
}

/** Units a millisecond by which scores in a lane rise. */
export function laneSlope(lane: Lane, scoring: Scoring = defaultScoring): number {
  return ((lane & 1) === 1 ? scoring.ageSlope : 0) + ((lane & 2) === 2 ? scoring.dueSlope : 0)
}

/** The placement of a task at `now`. Exact: `scoreUnits` equals `key + slope * now` until `laneUntil`. */
export function placeTask(task: Scorable, now: Instant, scoring: Scoring = defaultScoring): Placement {
  const due = risingFactor(
    task.dueDate === null ? null : task.dueDate - scoring.dueHorizonMs,
    scoring.dueHorizonMs,
    scoring.dueSlope,
    now,
  )
  const age = risingFactor(task.createdAt, scoring.ageHorizonMs, scoring.ageSlope, now)
  const constant =
    flagSteps(task.priority) * scoring.flagStep + (task.openDependencies > 0 ? 0 : scoring.freeUnits)
  return {
    lane: ((due.rises ? 2 : 0) | (age.rises ? 1 : 0)) as Lane,
    key: constant + due.key + age.key,
    laneUntil: Math.min(due.until, age.until),
  }
}

interface FactorPhase {
  readonly rises: boolean
  readonly key: number
  readonly until: Instant
}

const FLAT_FOR_GOOD: FactorPhase = { rises: false, key: 0, until: Infinity }

/** A factor that is 0 until `from`, rises by `slope` for `horizonMs`, and then stays. */
function risingFactor(from: Instant | null, horizonMs: number, slope: number, now: Instant): FactorPhase {
  if (from === null || slope === 0) return FLAT_FOR_GOOD
  if (now < from) return { rises: false, key: 0, until: from }
  if (now < from + horizonMs) return { rises: true, key: -slope * from, until: from + horizonMs }
  return { rises: false, key: slope * horizonMs, until: Infinity }
}
