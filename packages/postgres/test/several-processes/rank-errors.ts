import type { Scorable } from '@taskboard/core'
import { compareTied, laneSlope, placeTask, type Tied } from '@taskboard/core/storage'

/** A claimed task, and the instant of the claim. */
export interface Claim {
  readonly task: Scorable & Tied
  readonly at: number
}

/**
 * For each claim the number of better tasks that were not claimed yet: 0 for one that took the best. `claims` are all claims in
 * the order of their commits. Each is judged by the scores of its own instant. No factor of a task may begin or end to rise
 * between the first claim and the last.
 */
export function rankErrors(claims: readonly Claim[]): readonly number[] {
  const present = claims[0]?.at ?? 0
  const placements = claims.map(({ task }) => placeTask(task, present))
  const keys = Float64Array.from(placements, ({ key }) => key)
  const slopes = Float64Array.from(placements, ({ lane }) => laneSlope(lane))
  const tied = claims.map((_, index) => index).toSorted((a, b) => compareTasks(claims[a], claims[b]))
  const turns = new Int32Array(claims.length)
  for (const [turn, index] of tied.entries()) turns[index] = turn

  // Tasks far below stay below: no score rises faster than the steepest, from the first claim to the last.
  const steepest = Math.max(0, ...slopes)
  const latest = claims.at(-1)?.at ?? present
  const atFirst = (index: number): number => (keys[index] ?? 0) + (slopes[index] ?? 0) * present
  const byScore = claims.map((_, index) => index).toSorted((a, b) => atFirst(b) - atFirst(a))

  return claims.map(({ at }, index) => {
    const scoreOf = (other: number): number => (keys[other] ?? 0) + (slopes[other] ?? 0) * at
    const score = scoreOf(index)
    const turn = turns[index] ?? 0
    let better = 0
    for (const other of byScore) {
      if (atFirst(other) + steepest * (latest - present) < score) break
      if (other <= index) continue
      const otherScore = scoreOf(other)
      if (otherScore > score || (otherScore === score && (turns[other] ?? 0) < turn)) better += 1
    }
    return better
  })
}

function compareTasks(a: Claim | undefined, b: Claim | undefined): number {
  return a === undefined || b === undefined ? 0 : compareTied(a.task, b.task)
}
