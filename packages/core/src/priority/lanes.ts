import type { Instant } from '../environment/index.js'
import { priorityRank, type Scorable } from './score.js'
import { defaultScoring, type Scoring } from './scoring.js'

/**
 * One of the six slopes of a score: bit 0 is set when the age factor rises. The other bits are 0 when the due factor does not rise,
 * 1 when it rises slowly (far from the due date) and 2 when it rises fast (near it).
 */
export type Lane = 0 | 1 | 2 | 3 | 4 | 5
export const lanes: readonly Lane[] = [0, 1, 2, 3, 4, 5]

/**
 * The place of a task in the pickup order. Within a lane, scores rise at the same speed, so the order by `key` (higher first) is
 * the order by score at every instant before the `laneUntil` of each of its tasks.
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
  const constant =
    priorityRank(task.priority) * scoring.priorityStep +
    (task.openDependencies > 0 ? 0 : scoring.unblockedUnits)
  return {
    lane: (2 * due.pace + age.pace) as Lane,
    key: constant + due.key + age.key,
    laneUntil: Math.min(due.until, age.until),
  }
}

interface FactorPhase {
  /** 0 while the factor does not rise; the due factor's second speed is the fast one. */
  readonly pace: 0 | 1 | 2
  readonly key: number
  readonly until: Instant
}

const NOTHING_FOR_GOOD: FactorPhase = { pace: 0, key: 0, until: Infinity }

function agePhase(createdAt: Instant, now: Instant, { ageSlope, ageHorizonMs }: Scoring): FactorPhase {
  if (ageSlope === 0) return NOTHING_FOR_GOOD
  if (now < createdAt) return { pace: 0, key: 0, until: createdAt }
  const fullAt = createdAt + ageHorizonMs
  if (now < fullAt) return { pace: 1, key: -ageSlope * createdAt, until: fullAt }
  return { pace: 0, key: ageSlope * ageHorizonMs, until: Infinity }
}

function duePhase(dueDate: Instant | null, now: Instant, scoring: Scoring): FactorPhase {
  const { dueUnits, dueSlope, dueFarSlope } = scoring
  if (dueDate === null || dueUnits === 0) return NOTHING_FOR_GOOD
  if (now >= dueDate) return { pace: 0, key: dueUnits, until: Infinity }
  const nearAt = dueDate - scoring.dueHorizonMs
  if (now >= nearAt) return { pace: 2, key: dueUnits - dueSlope * dueDate, until: dueDate }
  const farAt = dueDate - scoring.dueFarHorizonMs
  if (now < farAt) return { pace: 0, key: scoring.dueFarUnits, until: farAt }
  return { pace: dueFarSlope === 0 ? 0 : 1, key: scoring.dueNearUnits - dueFarSlope * nearAt, until: nearAt }
}
