import type { Instant, LimitDecision } from '@taskboard/core'
import type {
  At,
  DecisionOf,
  LimitRequest,
  LimitStore,
  TierDecision,
  TierRequest,
} from '@taskboard/core/storage'
import type { Database } from '../database.js'
import { takeLimits } from './take-limits.js'
import { takeTiers } from './take-tiers.js'

interface Waiting<Request> {
  readonly request: Request
  readonly now: Instant | null
}

type Decide<Request, Decision> = (
  database: Database,
  requests: readonly Request[],
  now: Instant | null,
) => Promise<readonly Decision[]>

/** As many as one statement decides in a few milliseconds. */
const MOST_AT_ONCE = 1_000

/**
 * Limits that are exact across all processes: every decision is made on its key's locked row. The next statement makes all
 * decisions that wait in this process. None is part of a host's transaction: what was admitted stays counted.
 */
export function createLimitStore(database: Database): LimitStore {
  function joined<Request, Decision>(decide: Decide<Request, Decision>) {
    const take = database.join<Waiting<Request>, Decision>(
      (calls) =>
        decide(
          database,
          calls.map(({ request }) => request),
          calls[0]?.now ?? null,
        ),
      { most: MOST_AT_ONCE, atOnce: 1, groupOf: ({ now }) => now },
    )
    return (request: Request, now: Instant | null) => take({ request, now })
  }

  const takeRolling = joined<LimitRequest, LimitDecision>(takeLimits)
  const takeTier = joined<TierRequest, TierDecision>(takeTiers)

  return {
    take: <Request extends LimitRequest | TierRequest>(request: Request, { now }: At) => {
      const decision = 'windowMs' in request ? takeRolling(request, now) : takeTier(request, now)
      return decision as Promise<DecisionOf<Request>>
    },
  }
}
