import {
  createBackgroundLoop,
  type Environment,
  type BackgroundLoop,
  type NextPass,
} from './environment/index.js'
import { idempotencyRetentionMs } from './idempotency/index.js'
import type { Storage } from './storage/index.js'

export interface Retention {
  readonly eventsMs: number
  readonly deliveriesMs: number
}

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const BATCH = 1_000

export const defaultRetention: Retention = { eventsMs: 30 * DAY_MS, deliveriesMs: 30 * DAY_MS }

/**
 * Deletes what is past its retention once an hour, in bounded batches: events, finished deliveries, idempotency records, limits
 * outside of every window, ended sessions, and login attempts that no longer count.
 */
export function createRetentionSweep<Tx>(
  environment: Environment,
  storage: Storage<Tx>,
  retention: Retention,
): BackgroundLoop {
  const pass = async (): Promise<NextPass> => {
    const now = environment.storageNow()
    const counts = [
      await storage.prune({ rows: 'events', olderThanMs: retention.eventsMs, limit: BATCH }, { now }),
      await storage.prune({ rows: 'deliveries', olderThanMs: retention.deliveriesMs, limit: BATCH }, { now }),
      await storage.prune(
        { rows: 'idempotency', olderThanMs: idempotencyRetentionMs, limit: BATCH },
        { now },
      ),
      await storage.prune({ rows: 'limits', limit: BATCH }, { now }),
      await storage.prune({ rows: 'sessions', limit: BATCH }, { now }),
      await storage.prune({ rows: 'login_attempts', limit: BATCH }, { now }),
    ]
    return counts.includes(BATCH) ? 'now' : HOUR_MS
  }
  return createBackgroundLoop({ name: 'retention', environment, pollIntervalMs: null, pass })
}
