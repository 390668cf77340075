import type { Instant, LimitDecision, LimitRequest, LimitStore } from '@taskboard/core'
import type { Database } from '../database.js'
import { createJoiner } from '../joiner.js'
import { pruneLimits } from './prune-limits.js'
import { takeLimits } from './take-limits.js'

interface Waiting {
  readonly request: LimitRequest
  readonly now: Instant | null
}

/** As many as a statement decides in a few milliseconds. */
const MOST_AT_ONCE = 1_000

/**
 * Rolling limits that are exact over all processes, as every decision is made on its key's locked row. Decisions that wait in
 * this process are made by the next statement together. None is ever part of a transaction of the host's: what was admitted
 * stays counted.
 */
export function createLimitStore(database: Database): LimitStore {
  const take = createJoiner<Waiting, LimitDecision>(
    (calls) =>
      takeLimits(
        database,
        calls.map(({ request }) => request),
        calls[0]?.now ?? null,
      ),
    { most: MOST_AT_ONCE, atOnce: 1, groupOf: ({ now }) => now },
  )
  return {
    take: (request, now) => take({ request, now }),
    pruneLimits: (limit, now) => pruneLimits(database, limit, now),
  }
}
