import type { Storage } from '@taskboard/core'
import type { At, Pruning } from '@taskboard/core/storage'

/** Deletes rows of one kind. */
type Prune<Asked> = (asked: Asked, at: Pick<At, 'now'>) => Promise<number>
type Old = Extract<Pruning, { readonly olderThanMs: number }>
type Over = Exclude<Pruning, Old>

/** The rows that the stores delete. */
interface Prunes {
  readonly pruneEvents: Prune<Old>
  readonly pruneDeliveries: Prune<Old>
  readonly pruneIdempotency: Prune<Old>
  readonly pruneLimits: Prune<Over>
  readonly pruneSessions: Prune<Over>
  readonly pruneLoginAttempts: Prune<Over>
}

/** The part of them that one store has. */
export type Pruned<Verb extends keyof Prunes> = Pick<Prunes, Verb>

/** `Storage.prune`. */
export function createPrune(prunes: Prunes): Storage['prune'] {
  return (asked, at) => {
    switch (asked.rows) {
      case 'events':
        return prunes.pruneEvents(asked, at)
      case 'deliveries':
        return prunes.pruneDeliveries(asked, at)
      case 'idempotency':
        return prunes.pruneIdempotency(asked, at)
      case 'limits':
        return prunes.pruneLimits(asked, at)
      case 'sessions':
        return prunes.pruneSessions(asked, at)
      case 'login_attempts':
        return prunes.pruneLoginAttempts(asked, at)
    }
  }
}
