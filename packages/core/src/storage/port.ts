import type { AccessStore, KeyCheck, SessionStore } from '../access/index.js'
import type { AgentStore } from '../agents/index.js'
import type { AnalyticsStore } from '../analytics/index.js'
import type { AuditStore } from '../audit/index.js'
import type { ApprovalStore, CommentStore, ScheduleStore, TaskStore } from '../board/index.js'
import type { BotStore } from '../bots/index.js'
import type { ChannelStore } from '../channels/index.js'
import type { CallContext, Clock, Logger, NewId } from '../environment/index.js'
import type { EventStore, NotificationStore } from '../events/index.js'
import type { IdempotencyClaim } from '../idempotency/index.js'
import type { LimitStore, QuotaStore } from '../limits/index.js'
import type { LinkStore } from '../links/index.js'
import type { Scoring } from '../priority/index.js'
import type { RealtimeStore } from '../realtime/index.js'
import type { UsageStore } from '../usage/index.js'
import type { WebhookStore } from '../webhooks/index.js'

/** The settings that a storage gets once, before its first method call. */
export interface StorageSettings {
  readonly scoring: Scoring
  readonly newId: NewId
  /** The storage's time when a call has none. A storage on a database server uses the server's time instead. */
  readonly clock: Clock
  /** How many log lines a task keeps. */
  readonly logLimit: number
  /** How many outputs a task can have. */
  readonly outputLimit: number
  /** For warnings about the database and its settings. */
  readonly logger: Logger
}

/** What to delete. */
export type Pruning =
  /**
   * Older idempotency records, finished deliveries and events. Events that analytics haven't rolled up stay, in some storages together
   * with younger ones of other workspaces. All events may stay while there are deliveries as old. Where the events of a commit are kept
   * together, `limit` counts commits, so that more may go.
   */
  | {
      readonly rows: 'events' | 'deliveries' | 'idempotency'
      readonly olderThanMs: number
      readonly limit: number
    }
  /** Older updates of messengers, and codes for links that have expired. */
  | { readonly rows: 'bot_updates'; readonly olderThanMs: number; readonly limit: number }
  /**
   * Tasks that were completed longer ago, with all that belongs to them and a `task.deleted` each. A task that others depend on stays until
   * they are gone, and a parent until its subtasks are done. Pruning until nothing is left removes whole chains.
   */
  | { readonly rows: 'done_tasks'; readonly olderThanMs: number; readonly limit: number }
  /** Older records of the audit, of accounts or of none. */
  | {
      readonly rows: 'audit'
      readonly ofAccounts: boolean
      readonly olderThanMs: number
      readonly limit: number
    }
  /** Rows that no longer count: keys outside of every window, ended sessions, invitations that are over, old login attempts, links that expired a week ago. */
  | {
      readonly rows: 'limits' | 'sessions' | 'invitations' | 'login_attempts' | 'links'
      readonly limit: number
    }

/** What a storage says of itself. */
export interface StorageState {
  /** Whether it has what this version of its adapter needs, such as the migrations of a database. A newer one is current. */
  readonly isCurrent: boolean
  /** Present when they were asked for. */
  readonly counts: TaskCounts | null
}

/** Of all workspaces. */
export interface TaskCounts {
  /** Tasks in TODO that aren't on hold, including those that wait for time or for other tasks. */
  readonly waiting: number
  /** Tasks that an agent works. */
  readonly running: number
}

/**
 * Stores everything. An adapter implements this and passes `storageConformance` of `@taskboard/testing`. A method that can't
 * reach its database rejects with `SERVICE_UNAVAILABLE`: it has done nothing or, if the response was lost, possibly everything. Any
 * other error is a fault.
 * `Tx` is the adapter's handle of an open transaction: a host passes its own to make the board's writes part of it.
 */
export interface Storage<Tx = unknown> {
  /** The adapter's name in logs: `memory`, `postgres`. */
  readonly name: string
  /** Whether acknowledged writes outlive the process. */
  readonly durable: boolean
  /**
   * `complete`: all writers are in this process, so `onCommit` reports every change and nothing needs to poll.
   * `hints`: other processes write too, so readers must also poll.
   */
  readonly commitNotifications: 'complete' | 'hints'

  readonly tasks: TaskStore<Tx>
  readonly comments: CommentStore<Tx>
  readonly approvals: ApprovalStore<Tx>
  readonly links: LinkStore<Tx>
  readonly agents: AgentStore<Tx>
  readonly analytics: AnalyticsStore<Tx>
  readonly events: EventStore<Tx>
  readonly notifications: NotificationStore<Tx>
  readonly channels: ChannelStore<Tx>
  readonly bots: BotStore<Tx>
  readonly webhooks: WebhookStore<Tx>
  readonly limits: LimitStore
  readonly quotas: QuotaStore<Tx>
  readonly access: AccessStore<Tx>
  readonly realtime: RealtimeStore
  readonly sessions: SessionStore<Tx>
  readonly schedules: ScheduleStore<Tx>
  readonly usage: UsageStore<Tx>
  readonly audit: AuditStore<Tx>

  /**
   * Called by `createTaskboard`, without I/O. A second call with another scoring throws `INVALID_CONFIG`; one with the same
   * scoring has no effect.
   */
  bind(settings: StorageSettings): void
  /**
   * Called by `start()`: opens the adapter's own resources and checks that the stored keys were made with the bound scoring.
   * @throws TaskboardError `INVALID_CONFIG` on a mismatch (see `TaskStore.rescore`).
   */
  open(): Promise<void>
  /** Called by `close()`: leaves no handle of the adapter open. Resources that the host opened stay open. */
  close(): Promise<void>
  /**
   * Runs `work` in a transaction. It commits when `work` resolves, and rolls back completely, with the same error, when `work`
   * rejects. Its events aren't visible before the commit.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /**
   * Runs verbs in one commit: within `call.tx`, or in their own transaction. That is retried after a collision, so that `work` may run
   * several times. `work` passes the context that it gets to each of them.
   */
  inOneCommit<T>(call: CallContext<Tx>, work: (own: CallContext<Tx>) => Promise<T>): Promise<T>
  /**
   * Stores the answer to a create with an idempotency key, next to its result. The first response stays: returns that, or `answer` when
   * there is no record of the key. An answer is a JSON object without undefined members.
   */
  saveIdempotentResponse<T extends object>(
    kept: { readonly claim: Pick<IdempotencyClaim, 'scope' | 'key'>; readonly answer: T },
    call: CallContext<Tx>,
  ): Promise<T>
  /**
   * Reads from where the rows are, never from a cache, so that an answer shows that they can be reached. Works before `open`, and
   * ignores `call.tx`. Without `withCounts` it costs little, so that probes can call it every second; the cost of counting grows with
   * the number of open tasks.
   */
  check(asked: { readonly withCounts: boolean }, call: CallContext<Tx>): Promise<StorageState>
  /**
   * Keeps one text for all processes of the board: stores `sealed` when nothing is kept, or when `replaces` is. Returns what is kept
   * afterward, to all callers the same.
   */
  keepKeyCheck(check: KeyCheck, call: CallContext<Tx>): Promise<string>
  /** Deletes at most `limit` rows that are past their time; returns how many. Runs outside of any transaction: ignores `call.tx`. */
  prune(pruning: Pruning, call: CallContext<Tx>): Promise<number>
}
