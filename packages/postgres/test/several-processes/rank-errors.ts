import { laneSlope, placeTask, type Scorable } from '@taskboard/core'

/** A task that was claimed, and when. */
export interface Claim {
  readonly task: Scorable & { readonly id: string }
  readonly at: number
}

/**
 * For each claim how many better tasks there were that nobody had claimed yet: 0 for one that took the best of what was left.
 * `claims` are all that ever were, in the order in which they were committed, and each is judged by the scores of its own
 * instant. No factor of a task may begin or end to rise between the first claim and the last.
 */
export function rankErrors(claims: readonly Claim[]): readonly number[] {
  const present = claims[0]?.at ?? 0
  const placements = claims.map(({ task }) => placeTask(task, present))
  const keys = Float64Array.from(placements, ({ key }) => key)
  const slopes = Float64Array.from(placements, ({ lane }) => laneSlope(lane))
  const byAge = claims.map((_, index) => index).toSorted((a, b) => compareAges(claims[a], claims[b]))
  const ages = new Int32Array(claims.length)
  for (const [age, index] of byAge.entries()) ages[index] = age

  // Those that are far below stay so: nothing rises faster than the steepest, from the first claim to the last.
  const steepest = Math.max(0, ...slopes)
  const latest = claims.at(-1)?.at ?? present
  const atFirst = (index: number): number => (keys[index] ?? 0) + (slopes[index] ?? 0) * present
  const byScore = claims.map((_, index) => index).toSorted((a, b) => atFirst(b) - atFirst(a))

  return claims.map(({ at }, index) => {
    const scoreOf = (other: number): number => (keys[other] ?? 0) + (slopes[other] ?? 0) * at
    const score = scoreOf(index)
    const age = ages[index] ?? 0
    let better = 0
    for (const other of byScore) {
      if (atFirst(other) + steepest * (latest - present) < score) break
      if (other <= index) continue
      const otherScore = scoreOf(other)
      if (otherScore > score || (otherScore === score && (ages[other] ?? 0) < age)) better += 1
    }
    return better
  })
}

function compareAges(a: Claim | undefined, b: Claim | undefined): number {
  if (a === undefined || b === undefined) return 0
  return a.task.createdAt - b.task.createdAt || (a.task.id < b.task.id ? -1 : 1)
}
