import {
  createBackgroundLoop,
  type Environment,
  type BackgroundLoop,
  type Instant,
  type NextPass,
} from '../environment/index.js'
import { idempotencyRetentionMs } from '../idempotency/index.js'
import type { Storage } from '../storage/index.js'

export interface Retention {
  readonly eventsMs: number
  readonly deliveriesMs: number
  /** Null: tasks are kept. */
  readonly doneTasksDays: number | null
  readonly auditDays: number
}

type GivenRetention = { readonly [K in keyof Retention]?: Retention[K] | undefined }

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const BATCH = 1_000
/** Each has rows in many tables. */
const TASK_BATCH = 100
/** How long the audit keeps what belongs to no account. */
const DAYS_WITHOUT_ACCOUNT = 30

/** Longer than messengers retry an update: Telegram does so for a day, Slack for hours. */
const UPDATES_MS = 3 * DAY_MS

const auditOf = (ofAccounts: boolean, days: number) =>
  ({ rows: 'audit', ofAccounts, olderThanMs: days * DAY_MS, limit: BATCH }) as const

export const defaultRetention: Retention = {
  eventsMs: 30 * DAY_MS,
  deliveriesMs: 30 * DAY_MS,
  doneTasksDays: null,
  auditDays: 400,
}

/** What is kept how long, with the defaults. */
export const retentionOf = ({
  retention,
}: {
  readonly retention?: GivenRetention | undefined
}): Retention => ({
  eventsMs: retention?.eventsMs ?? defaultRetention.eventsMs,
  deliveriesMs: retention?.deliveriesMs ?? defaultRetention.deliveriesMs,
  doneTasksDays: retention?.doneTasksDays ?? defaultRetention.doneTasksDays,
  auditDays: retention?.auditDays ?? defaultRetention.auditDays,
})

/**
 * Deletes rows past their retention once an hour, in bounded batches. These are done tasks, if the host wants that, events, finished
 * deliveries, idempotency records and old records of the audit. Also limits outside of every window, ended sessions, login attempts that
 * no longer count, and links that expired long ago.
 */
export function createRetentionSweep<Tx>(
  environment: Environment,
  storage: Storage<Tx>,
  retention: Retention,
): BackgroundLoop {
  const pass = async (): Promise<NextPass> => {
    const now = environment.storageNow()
    const tasks = await pruneDoneTasks(storage, retention.doneTasksDays, now)
    const counts = [
      // Before their events, which are kept as long.
      await storage.prune({ rows: 'deliveries', olderThanMs: retention.deliveriesMs, limit: BATCH }, { now }),
      await storage.prune(
        { rows: 'events', olderThanMs: Math.max(retention.eventsMs, retention.deliveriesMs), limit: BATCH },
        { now },
      ),
      await storage.prune(
        { rows: 'idempotency', olderThanMs: idempotencyRetentionMs, limit: BATCH },
        { now },
      ),
      await storage.prune(auditOf(true, retention.auditDays), { now }),
      await storage.prune(auditOf(false, Math.min(retention.auditDays, DAYS_WITHOUT_ACCOUNT)), { now }),
      await storage.prune({ rows: 'bot_updates', olderThanMs: UPDATES_MS, limit: BATCH }, { now }),
      await storage.prune({ rows: 'limits', limit: BATCH }, { now }),
      await storage.prune({ rows: 'sessions', limit: BATCH }, { now }),
      await storage.prune({ rows: 'invitations', limit: BATCH }, { now }),
      await storage.prune({ rows: 'login_attempts', limit: BATCH }, { now }),
      await storage.prune({ rows: 'links', limit: BATCH }, { now }),
    ]
    // Without them, those that they depend on can go.
    return tasks > 0 || counts.some((count) => count >= BATCH) ? 'now' : HOUR_MS
  }
  return createBackgroundLoop({ name: 'retention', environment, pollIntervalMs: null, pass })
}

/** One batch of tasks that were completed more than `days` ago. */
async function pruneDoneTasks<Tx>(
  storage: Storage<Tx>,
  days: number | null,
  now: Instant | null,
): Promise<number> {
  if (days === null) return 0
  return storage.prune({ rows: 'done_tasks', olderThanMs: days * DAY_MS, limit: TASK_BATCH }, { now })
}
