import { TaskboardError, type Storage } from '@taskboard/core'
import { createStorageSettings, requireOptionNames } from '@taskboard/core/storage'
import { createAccessStore } from './access/access-store.js'
import { createAgentStore } from './agents/agent-store.js'
import { createAuditStore } from './audit/audit-store.js'
import { createSessionStore } from './access/session-store.js'
import { createAnalyticsStore } from './analytics/analytics-store.js'
import { createApprovalStore } from './board/approval-store.js'
import { createCommentStore } from './board/comment-store.js'
import { boardSchema, type BoardSchema } from './connection/board-schema.js'
import { boundedPool } from './connection/bounded-pool.js'
import { createDatabase } from './database/database.js'
import { createBotStore } from './bots/bot-store.js'
import { createChannelStore } from './channels/channel-store.js'
import { createEventStore } from './events/event-store.js'
import { createNotificationStore } from './events/notification-store.js'
import { saveIdempotentResponse } from './database/idempotency.js'
import { warnOfJit } from './connection/jit-warning.js'
import { keepKeyCheck } from './access/access-store.js'
import { createLinkStore } from './links/link-store.js'
import { createLimitStore } from './limits/limit-store.js'
import { createQuotaStore } from './limits/quota-store.js'
import { createCommitNotifications } from './listen/commit-notifications.js'
import { checkStorage } from './migrations/check-storage.js'
import { schemaFault } from './migrations/migrate.js'
import { requirePool, type PgConnection, type PgPool } from './connection/pool.js'
import { prune } from './prune.js'
import { createRealtimeStore } from './realtime/realtime-store.js'
import { createScheduleStore } from './board/schedule-store.js'
import { adoptScoring } from './database/stored-scoring.js'
import { createTaskStore } from './board/task-store.js'
import { resolveTimeouts } from './connection/timeouts.js'
import { createUsageStore } from './usage/usage-store.js'
import { createWebhookStore } from './webhooks/webhook-store.js'

export interface PostgresStorageOptions {
  /** A `pg.Pool`, anything that looks like one, or a `pglitePool`. The host owns it: Taskboard doesn't end it. */
  readonly pool: PgPool
  /**
   * A pool that leads to replicas of the database (streaming standbys); default none. Lists and searches of tasks, analytics, usage, and
   * lists of comments, approvals and webhook deliveries are then read there. The replica must have everything that was committed before the
   * call, by any process: reads are never behind. It asks `pool` for its position before each such read; calls at the same time share that.
   * Reads that a replica can't serve go to `pool`. When the replica is down, doesn't respond, or is too far behind, it is left alone for a
   * second. When that happens again, it is left alone for up to thirty. The host owns it.
   */
  readonly readPool?: PgPool | undefined
  /**
   * The schema that has the board's tables; default `taskboard`. `migrate` with the same schema creates it. Boards of several schemas in
   * one database are independent. At most 63 bytes of letters, digits, spaces, `_` and `-`.
   */
  readonly schema?: string | undefined
  /**
   * Whether the server keeps the plans of statements for each connection; default true. Turn it off behind a pooler that hands
   * connections out by transaction and doesn't support prepared statements.
   */
  readonly preparedStatements?: boolean | undefined
  /**
   * How long a verb waits for the answer to each of its statements; default 10,000, from 1 to 3,600,000. Then it rejects with
   * `SERVICE_UNAVAILABLE` and closes its connection instead of releasing it; the statement may have run, or may still run. No
   * setting of the session changes: the storage's own transactions set their timeout themselves. For single statements you can
   * set one on the server (`statement_timeout` of the role), which also counts.
   */
  readonly statementTimeoutMs?: number | undefined
  /** How long a verb waits for a connection of the pool, with nothing done; default 10,000, from 1 to 3,600,000. */
  readonly connectTimeoutMs?: number | undefined
  /**
   * Whether the commits of other processes wake this one (LISTEN). It takes one connection from `open` to `close`: of `pool`,
   * or of the pool given here. Default true where possible: it doesn't listen on a pool of one connection, or one whose
   * clients emit no `notification`. Behind a pooler that hands connections out by transaction, turn it off or give it a pool
   * with direct connections.
   *
   * Without it nothing is missed, only found later: waiters read the database every `pollIntervalMs` of `createTaskboard`. A process
   * notifies the others of its commits (NOTIFY) in any case, at most fifty times per second. It cannot do so for transactions that it
   * doesn't commit itself.
   */
  readonly listen?: boolean | PgPool | undefined
}

/**
 * The board on PostgreSQL, in a schema that `migrate` creates. Every acknowledged write is committed.
 * The storage opens no connection before its first verb, and leaves the sessions of the pool as they are. It returns the connection
 * that listens as it was acquired.
 *
 * `Tx` is a connection of the host with an open transaction. Verbs that receive one take part in it and see its writes. When
 * one fails, only its own writes are rolled back. A verb that receives no time uses the database's clock.
 * @example
 * ```ts
 * import { randomBytes } from 'node:crypto'
 * import { createTaskboard } from '@taskboard/core'
 * import { migrate, openPglite, postgresStorage } from '@taskboard/postgres'
 *
 * const database = await openPglite('board') // on a server: { pool: new pg.Pool({ connectionString }) }
 * await migrate(database.pool)
 * const secrets = { encryptionKey: randomBytes(32) } // keep one key, do not create one at each start
 * const taskboard = createTaskboard({ storage: postgresStorage(database), secrets })
 * const { workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'professional' })
 * const task = await taskboard.board(workspace.id).add({ title: 'Stored on disk' })
 * console.log(task.title) // Stored on disk
 * await taskboard.close()
 * await database.close()
 * ```
 */
export function postgresStorage(options: PostgresStorageOptions): Storage<PgConnection> {
  checkOptions(options)
  const { pool, readPool, preparedStatements = true, listen = true } = options
  const settings = createStorageSettings()
  const timeouts = resolveTimeouts(options)
  const schema = boardSchema(options.schema)
  const commitNotifications = createCommitNotifications({
    pool,
    listen,
    settings,
    timeouts,
    channel: schema.channel,
  })
  const { commits, taskLines } = commitNotifications
  const database = createDatabase({
    pool,
    readPool,
    settings,
    timeouts,
    preparedStatements,
    schema,
    commits,
    lines: taskLines.lines,
    sendLine: taskLines.send,
  })

  return {
    name: 'postgres',
    durable: true,
    commitNotifications: 'hints',
    tasks: createTaskStore(database),
    comments: createCommentStore(database),
    approvals: createApprovalStore(database),
    links: createLinkStore(database),
    agents: createAgentStore(database),
    analytics: createAnalyticsStore(database),
    events: createEventStore(database),
    notifications: createNotificationStore(database),
    channels: createChannelStore(database),
    bots: createBotStore(database),
    webhooks: createWebhookStore(database),
    limits: createLimitStore(database),
    quotas: createQuotaStore(database),
    access: createAccessStore(database),
    sessions: createSessionStore(database),
    schedules: createScheduleStore(database),
    usage: createUsageStore(database),
    audit: createAuditStore(database),
    realtime: createRealtimeStore(database),
    bind: settings.bind,
    async open() {
      await requireSchema(boundedPool(pool, timeouts), schema)
      // PGlite has no compiler.
      if (pool.isSoleUser !== true) await warnOfJit(boundedPool(pool, timeouts), settings.current.logger)
      await database.transaction(async (tx) => {
        if (await adoptScoring(schema.on(tx), settings.current.scoring)) return
        throw new TaskboardError(
          'INVALID_CONFIG',
          'the stored order of tasks was computed with different `priority` options, or a rescore was interrupted: call `taskboard.rescore()` before `start()`',
          { field: 'priority' },
        )
      })
      await commitNotifications.open()
    },
    close: () => commitNotifications.close(),
    transaction: (work) => database.transaction(work),
    inOneCommit: (call, work) => database.inOneCommit(call, work),
    saveIdempotentResponse: ({ claim, answer }, call) =>
      saveIdempotentResponse(database, claim, answer, call),
    check: (asked) => checkStorage(database, boundedPool(pool, timeouts), schema, asked),
    keepKeyCheck: (check, call) => keepKeyCheck(database, check, call),
    prune: (asked, { now }) => prune(database, asked, now),
  }
}

async function requireSchema(pool: PgPool, schema: BoardSchema): Promise<void> {
  const fault = await schemaFault(pool, schema)
  if (fault !== undefined) throw new TaskboardError('INVALID_CONFIG', fault)
}

/** @throws TaskboardError `INVALID_CONFIG` naming the option, and not its value, which can hold a password. */
function checkOptions(options: PostgresStorageOptions): void {
  if (typeof (options as { readonly connect?: unknown } | undefined)?.connect === 'function') {
    const rule = 'the pool is an option: postgresStorage({ pool })'
    throw new TaskboardError('INVALID_CONFIG', rule, { field: 'pool' })
  }
  // `close`: of what `openPglite` returns, which may be passed as it is.
  requireOptionNames<PostgresStorageOptions & { readonly close: unknown }>(options, {
    close: true,
    pool: true,
    readPool: true,
    schema: true,
    preparedStatements: true,
    statementTimeoutMs: true,
    connectTimeoutMs: true,
    listen: true,
  })
  const { pool, readPool, listen } = options
  requirePool('pool', pool)
  if (readPool !== undefined) requirePool('readPool', readPool)
  if (listen !== undefined && typeof listen !== 'boolean') requirePool('listen', listen)
}
