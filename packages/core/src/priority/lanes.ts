import type { Instant } from '../environment/index.js'
import { agePhase, constantUnits, duePhase, type Scorable } from './factors.js'
import { defaultScoring, type Scoring } from './scoring.js'

/**
 * One of the six slopes of a score: bit 0 is set when the age factor rises. The other bits are 0 when the due factor doesn't rise, and 1
 * when it rises slowly (far from the due date). They are 2 when it rises fast (near it).
 */
export type Lane = 0 | 1 | 2 | 3 | 4 | 5
export const lanes: readonly Lane[] = [0, 1, 2, 3, 4, 5]

/**
 * The place of a task in the pickup order. Within a lane, scores rise at the same speed. The order by `key` (higher first) is therefore the
 * order by score at every instant before the `laneUntil` of each of its tasks.
 */
export interface Placement {
  readonly lane: Lane
  /** `key + laneSlope(lane) * now` is the score in units. */
  readonly key: number
  /** The first instant at which this placement is no longer valid; `Infinity` when it stays valid. */
  readonly laneUntil: Instant
}

/**
 * How fast scores in a lane rise, in units per millisecond.
 * @example
 * ```ts
 * import { laneSlope, lanes } from '@taskboard/core/storage'
 *
 * console.log(lanes.map((lane) => laneSlope(lane)).every((slope) => slope >= 0)) // true
 * ```
 */
export function laneSlope(lane: Lane, scoring: Scoring = defaultScoring): number {
  return scoring.laneSlopes[lane] as number
}

/**
 * The placement of a task at `now`. Exact: `scoreUnits` equals `key + slope * now` until `laneUntil`.
 * @example
 * ```ts
 * import { laneSlope, placeTask, scoreUnits } from '@taskboard/core/storage'
 *
 * const now = Date.UTC(2026, 0, 15)
 * const task = { priority: 'high', createdAt: now, dueDate: null, openDependencies: 0 } as const
 * const { lane, key } = placeTask(task, now)
 * console.log(key + laneSlope(lane) * now === scoreUnits(task, now)) // true
 * ```
 */
export function placeTask(task: Scorable, now: Instant, scoring: Scoring = defaultScoring): Placement {
  const due = duePhase(task.dueDate, now, scoring)
  const age = agePhase(task.createdAt, now, scoring)
  return {
    lane: (2 * due.pace + age.pace) as Lane,
    key: constantUnits(task, scoring) + due.key + age.key,
    laneUntil: Math.min(due.until, age.until),
  }
}
