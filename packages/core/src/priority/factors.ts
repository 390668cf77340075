import type { Instant } from '../environment/index.js'
import type { Scoring, ScoringWeights } from './scoring.js'

// The arithmetic of the score. `schema/06_queue.sql` of the Postgres storage has the same in SQL; `place.test.ts` there compares the two.

/** The priorities, best first. */
export const priorities = ['urgent', 'high', 'medium', 'low'] as const

export type Priority = (typeof priorities)[number]

/** The fields that the score of a task depends on. Every `Task` is one. */
export interface Scorable {
  readonly priority: Priority
  readonly createdAt: Instant
  readonly dueDate: Instant | null
  /** How many dependencies aren't DONE. */
  readonly openDependencies: number
}

const RANKS = { urgent: 3, high: 2, medium: 1, low: 0 } as const

/** The units of the factors that don't change with time: the priority, and that nothing has to be done first. */
export function constantUnits({ priority, openDependencies }: Scorable, scoring: Scoring): number {
  return RANKS[priority] * scoring.priorityStep + (openDependencies > 0 ? 0 : scoring.unblockedUnits)
}

/** How a factor adds to the score, until it adds in another way. */
interface FactorPhase {
  /** 0 while the factor doesn't rise; the due factor's second speed is the fast one. */
  readonly pace: 0 | 1 | 2
  /** `key` + the slope of `pace` x now are the units that the factor adds. */
  readonly key: number
  readonly until: Instant
}

const NOTHING_FOR_GOOD: FactorPhase = { pace: 0, key: 0, until: Infinity }

/** The age adds more for a time, and then all of it. */
export function agePhase(createdAt: Instant, now: Instant, { ageSlope, ageHorizonMs }: Scoring): FactorPhase {
  if (ageSlope === 0) return NOTHING_FOR_GOOD
  if (now < createdAt) return { pace: 0, key: 0, until: createdAt }
  const fullAt = createdAt + ageHorizonMs
  if (now < fullAt) return { pace: 1, key: -ageSlope * createdAt, until: fullAt }
  return { pace: 0, key: ageSlope * ageHorizonMs, until: Infinity }
}

/** The due date adds more as it comes nearer, and all of its units once it has passed. */
export function duePhase(dueDate: Instant | null, now: Instant, scoring: Scoring): FactorPhase {
  const { dueUnits, dueSlope, dueFarSlope } = scoring
  if (dueDate === null || dueUnits === 0) return NOTHING_FOR_GOOD
  if (now >= dueDate) return { pace: 0, key: dueUnits, until: Infinity }
  const nearAt = dueDate - scoring.dueHorizonMs
  if (now >= nearAt) return { pace: 2, key: dueUnits - dueSlope * dueDate, until: dueDate }
  const farAt = dueDate - scoring.dueFarHorizonMs
  if (now < farAt) return { pace: 0, key: scoring.dueFarUnits, until: farAt }
  return { pace: dueFarSlope === 0 ? 0 : 1, key: scoring.dueNearUnits - dueFarSlope * nearAt, until: nearAt }
}

/** Each factor at `now`, 0 to 1. */
export function factorsAt(task: Scorable, now: Instant, scoring: Scoring): ScoringWeights {
  const { dueUnits, dueFarSlope, dueSlope, ageHorizonMs } = scoring
  const due = duePhase(task.dueDate, now, scoring)
  const dueAdds = due.key + ([0, dueFarSlope, dueSlope][due.pace] as number) * now
  return {
    flag: RANKS[task.priority] / RANKS.urgent,
    due: dueUnits === 0 ? 0 : dueAdds / dueUnits,
    age: Math.min(1, Math.max(0, (now - task.createdAt) / ageHorizonMs)),
    free: task.openDependencies > 0 ? 0 : 1,
  }
}
