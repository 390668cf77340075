import type { AccessStore, SessionStore } from '../access/index.js'
import type { AgentStore } from '../agents/index.js'
import type { AnalyticsStore } from '../analytics/index.js'
import type { TaskStore } from '../board/index.js'
import type { At, Clock, NewId } from '../environment/index.js'
import type { EventStore, NotificationStore } from '../events/index.js'
import type { IdempotencyClaim } from '../idempotency/index.js'
import type { LimitStore, QuotaStore } from '../limits/index.js'
import type { Scoring } from '../priority/index.js'
import type { RealtimeStore } from '../realtime/index.js'
import type { WebhookStore } from '../webhooks/index.js'

/** What a storage is told once, before its first verb. */
export interface StorageSettings {
  readonly scoring: Scoring
  readonly newId: NewId
  /** The storage's own time when a verb is given none. A storage on a database server uses the server's instead. */
  readonly clock: Clock
  /** How many log lines a task keeps. */
  readonly logLimit: number
  /** How many outputs a task can have. */
  readonly outputLimit: number
}

/** What to drop. */
export type Pruning =
  /**
   * What is older: idempotency records, finished deliveries, and events. Of these stay those that analytics have not yet rolled up, in
   * some storages with those of other workspaces that are younger.
   */
  | {
      readonly rows: 'events' | 'deliveries' | 'idempotency'
      readonly olderThanMs: number
      readonly limit: number
    }
  /** What counts no more: keys that no window reaches back to, sessions that are over, guesses at logins. */
  | { readonly rows: 'limits' | 'sessions' | 'login_attempts'; readonly limit: number }

/**
 * Everything that is remembered. An adapter implements this and passes `storageConformance` of `@taskboard/testing`. A verb
 * that cannot reach what it stores on rejects with `SERVICE_UNAVAILABLE`: it has done nothing or, where the answer was lost on
 * its way, it may have done all. Any other error is a fault.
 * `Tx` is the adapter's handle of an open transaction: a host passes its own to make the board's writes part of it.
 */
export interface Storage<Tx = unknown> {
  /** What the adapter is, for logs: `memory`, `postgres`. */
  readonly name: string
  /** Whether what was acknowledged outlives the process. */
  readonly durable: boolean
  /**
   * `complete`: all writers are in this process, so `onCommit` tells of every change and nobody needs to poll.
   * `hints`: others write too, and polling is the floor.
   */
  readonly wakes: 'complete' | 'hints'

  readonly tasks: TaskStore<Tx>
  readonly agents: AgentStore<Tx>
  readonly analytics: AnalyticsStore<Tx>
  readonly events: EventStore<Tx>
  readonly notifications: NotificationStore<Tx>
  readonly webhooks: WebhookStore<Tx>
  readonly limits: LimitStore
  readonly quotas: QuotaStore<Tx>
  readonly access: AccessStore<Tx>
  readonly realtime: RealtimeStore
  readonly sessions: SessionStore<Tx>

  /**
   * Called by `createTaskboard`, without I/O. A second call with another scoring throws `INVALID_CONFIG`; one with the same
   * changes nothing.
   */
  bind(settings: StorageSettings): void
  /**
   * Called by `start()`: opens what the adapter needs for itself and checks that the stored keys were made with the bound
   * scoring. @throws TaskboardError `INVALID_CONFIG` on a mismatch (see `TaskStore.rescore`).
   */
  open(): Promise<void>
  /** Called by `close()`: leaves no handle of the adapter open. What the host opened stays open. */
  close(): Promise<void>
  /**
   * Runs `work` in a transaction: it commits when `work` resolves and rolls back whole, with an unchanged error, when it
   * rejects. Events of it are seen by nobody before the commit.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /**
   * Keeps what a create under an idempotency key was answered with, beside what it made. The first answer stands: gives it back,
   * or `answer` when there is no record of the key. An answer is a JSON object without undefined members.
   */
  keepAnswer<T extends object>(
    claim: Pick<IdempotencyClaim, 'scope' | 'key'>,
    answer: T,
    at: At<Tx>,
  ): Promise<T>
  /** Drops rows that are past their time, at most `limit` of them; returns how many went. Part of no transaction. */
  prune(pruning: Pruning, at: Pick<At, 'now'>): Promise<number>
}
