import type { Storage } from '@taskboard/core'
import type { CallContext, Pruning } from '@taskboard/core/storage'

/** Deletes rows of one kind. */
type Prune<Asked> = (asked: Asked, call: Pick<CallContext, 'now'>) => Promise<number>
type Old = Extract<Pruning, { readonly olderThanMs: number }>
type OfAudit = Extract<Pruning, { readonly rows: 'audit' }>
type Over = Exclude<Pruning, Old>

/** The rows that the stores delete. */
interface Prunes {
  readonly pruneDoneTasks: Prune<Old>
  readonly pruneEvents: Prune<Old>
  readonly pruneDeliveries: Prune<Old>
  readonly pruneIdempotency: Prune<Old>
  readonly pruneBotUpdates: Prune<Old>
  readonly pruneAudit: Prune<OfAudit>
  readonly pruneLimits: Prune<Over>
  readonly pruneSessions: Prune<Over>
  readonly pruneInvitations: Prune<Over>
  readonly pruneLoginAttempts: Prune<Over>
  readonly pruneLinks: Prune<Over>
}

/** The part of them that one store has. */
export type Pruned<Verb extends keyof Prunes> = Pick<Prunes, Verb>

/** `Storage.prune`. */
export function createPrune(prunes: Prunes): Storage['prune'] {
  return (asked, call) => {
    switch (asked.rows) {
      case 'done_tasks':
        return prunes.pruneDoneTasks(asked, call)
      case 'events':
        return prunes.pruneEvents(asked, call)
      case 'deliveries':
        return prunes.pruneDeliveries(asked, call)
      case 'idempotency':
        return prunes.pruneIdempotency(asked, call)
      case 'bot_updates':
        return prunes.pruneBotUpdates(asked, call)
      case 'audit':
        return prunes.pruneAudit(asked, call)
      case 'limits':
        return prunes.pruneLimits(asked, call)
      case 'sessions':
        return prunes.pruneSessions(asked, call)
      case 'invitations':
        return prunes.pruneInvitations(asked, call)
      case 'login_attempts':
        return prunes.pruneLoginAttempts(asked, call)
      case 'links':
        return prunes.pruneLinks(asked, call)
    }
  }
}
