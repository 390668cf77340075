import type { Instant, Task } from '@taskboard/core'
import type { ClaimBatch, ClaimTarget } from '@taskboard/core/storage'
import type { Database } from '../../database/database.js'
import type { PickedUp, TaskClaims } from './claim-tasks.js'
import type { CompletionInput } from './complete-sql.js'

/** Claims that share a statement and a commit with concurrent ones. */
export interface JoinedPickups {
  /** Claims up to `limit`. @throws TaskboardError `NOT_FOUND` for an unknown agent. */
  claim(target: ClaimTarget, limit: number, now: Instant | null): Promise<ClaimBatch>
  /**
   * Completes a task and takes the next one. Null, without any change, when one statement can't do both: the lease is lost, or
   * the task has dependents. @throws as `claim`, without any change.
   */
  completeAndClaim(
    completion: CompletionInput,
    next: ClaimTarget,
    now: Instant | null,
  ): Promise<{ readonly task: Task; readonly next: ClaimBatch } | null>
}

interface Call {
  readonly target: ClaimTarget
  readonly now: Instant | null
  readonly limit: number
  readonly completion: CompletionInput | null
}

interface Result {
  readonly completed: Task | null
  readonly batch: ClaimBatch
}

const MOST_AT_ONCE = 200

export function joinPickups(database: Database, claims: TaskClaims): JoinedPickups {
  const join = database.join<Call, Result>((calls) => runBatch(database, claims, calls), {
    most: MOST_AT_ONCE,
    groupOf: ({ target, now }) => JSON.stringify([target, now]),
  })
  return {
    async claim(target, limit, now) {
      const { batch } = await join({ target, now, limit, completion: null })
      return batch
    },
    async completeAndClaim(completion, next, now) {
      const { completed, batch } = await join({ target: next, now, limit: 0, completion })
      return completed === null ? null : { task: completed, next: batch }
    },
  }
}

/** Calls of one target and present. The claimed tasks go to the calls in their order, the best first. */
async function runBatch(
  database: Database,
  claims: TaskClaims,
  calls: readonly Call[],
): Promise<readonly Result[]> {
  const { target, now } = calls[0] as Call
  const pickedUp = await claims({ run: (...query) => database.read({ now }, ...query) }, target, {
    now,
    limit: calls.reduce((sum, { limit }) => sum + limit, 0),
    completions: calls.flatMap(({ completion }) => completion ?? []),
    commitsEach: true,
  })
  // A claim that found nothing does not signal a commit: claimers that wake on commits would claim in a loop.
  if (pickedUp.tasks.length > 0 || pickedUp.completed.some((task) => task !== null)) database.commits.raise()
  return deal(calls, pickedUp)
}

function deal(calls: readonly Call[], { completed, tasks, nextReadyInMs }: PickedUp): readonly Result[] {
  let outcomes = 0
  let dealt = 0
  return calls.map(({ limit, completion }) => {
    const done = completion === null ? null : (completed[outcomes++] ?? null)
    const requested = limit + (done === null ? 0 : 1)
    const mine = tasks.slice(dealt, dealt + requested)
    dealt += mine.length
    return {
      completed: done,
      batch: { tasks: mine, nextReadyInMs: mine.length < requested ? nextReadyInMs : null },
    }
  })
}
