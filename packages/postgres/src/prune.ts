import type { Instant } from '@taskboard/core'
import type { Pruning } from '@taskboard/core/storage'
import { pruneLoginAttempts, pruneSessions } from './access/sessions/prune-sessions.js'
import type { Database } from './database.js'
import { pruneEvents } from './events/prune-events.js'
import { pruneIdempotency } from './idempotency/prune-idempotency.js'
import { pruneLimits } from './limits/prune-limits.js'
import { pruneDeliveries } from './webhooks/prune-deliveries.js'

/** `Storage.prune`. */
export function prune(database: Database, asked: Pruning, now: Instant | null): Promise<number> {
  const { limit } = asked
  switch (asked.rows) {
    case 'events':
      return pruneEvents(database, asked.olderThanMs, limit, now)
    case 'deliveries':
      return pruneDeliveries(database, asked.olderThanMs, limit, now)
    case 'idempotency':
      return pruneIdempotency(database, asked.olderThanMs, limit, now)
    case 'limits':
      return pruneLimits(database, limit, now)
    case 'sessions':
      return pruneSessions(database, limit, now)
    case 'login_attempts':
      return pruneLoginAttempts(database, limit, now)
  }
}
