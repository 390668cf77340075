import { TaskboardError, type Storage } from '@taskboard/core'
import { createStorageSettings } from '@taskboard/core/storage'
import { createAccessStore } from './access/access-store.js'
import { createAgentStore } from './agents/agent-store.js'
import { createSessionStore } from './access/sessions/session-store.js'
import { createAnalyticsStore } from './analytics/analytics-store.js'
import { boundedPool } from './bounded-pool.js'
import { createDatabase } from './database.js'
import { createEventStore } from './events/event-store.js'
import { createNotificationStore } from './events/notification-store.js'
import { keepAnswer } from './idempotency/keep-answer.js'
import { createLimitStore } from './limits/limit-store.js'
import { createQuotaStore } from './limits/quota-store.js'
import { createWakes } from './listen/wakes.js'
import { migrationStatus } from './migrations/migrate.js'
import type { PgConnection, PgPool } from './pool.js'
import { prune } from './prune.js'
import { createRealtimeStore } from './realtime/realtime-store.js'
import { adoptScoring } from './stored-scoring.js'
import { createTaskStore } from './tasks/task-store.js'
import { resolveTimeouts } from './timeouts.js'
import { createWebhookStore } from './webhooks/webhook-store.js'

export interface PostgresStorageOptions {
  /** The host's: nothing here ends it. A `pg.Pool`, anything that looks like one, or a `pglitePool`. */
  readonly pool: PgPool
  /**
   * Whether the server keeps the plans of statements for each connection; default true. To be turned off behind a pooler that
   * hands connections out by transaction and does not know prepared statements.
   */
  readonly preparedStatements?: boolean | undefined
  /**
   * How long a verb waits for the answer to each of its statements; default 10,000, from 1 to 3,600,000. Then it rejects with
   * `SERVICE_UNAVAILABLE` and its connection is closed instead of given back; what it was to do may have been done, or be done
   * yet. Of the session nothing is set: transactions of the storage's own carry their time-out with them, and for single
   * statements the server may be given one by the host (`statement_timeout` of the role), which counts as well.
   */
  readonly statementTimeoutMs?: number | undefined
  /** How long a verb waits for the pool to lend it a connection, with nothing done; default 10,000, from 1 to 3,600,000. */
  readonly connectTimeoutMs?: number | undefined
  /**
   * Whether the commits of other processes wake this one (LISTEN), which takes one connection from `open` to `close`: of
   * `pool`, or of the pool that is given here instead. Default true, where it can be: a pool of one connection, and one whose
   * clients emit no `notification`, are left alone. To be turned off, or given a pool with connections of its own, behind a
   * pooler that hands connections out by transaction.
   *
   * Without it nothing is missed, it is only found later: whoever waits looks at the database every `pollIntervalMs` of
   * `createTaskboard`. A process tells the others of its commits (NOTIFY) in any case, at most fifty times in a second; not of
   * those of transactions that it does not commit itself.
   */
  readonly listen?: boolean | PgPool | undefined
}

/**
 * The board on PostgreSQL, in the schema `taskboard`, which `migrate` creates. Everything that was acknowledged is committed.
 * The storage opens no connection before its first verb, and leaves the sessions of the pool as they are. It returns the connection
 * that listens as it was acquired.
 *
 * `Tx` is a connection of the host's with a transaction open. Verbs that receive one take part in it, see its writes, and
 * are undone alone when they fail. Time, where a verb is given none, is the database's.
 * @example
 * ```ts
 * import { randomBytes } from 'node:crypto'
 * import { createTaskboard } from '@taskboard/core'
 * import { migrate, openPglite, postgresStorage } from '@taskboard/postgres'
 *
 * const database = await openPglite('board') // on a server: { pool: new pg.Pool({ connectionString }) }
 * await migrate(database.pool)
 * const secrets = { encryptionKey: randomBytes(32) } // keep one key, rather than make one at each start
 * const taskboard = createTaskboard({ storage: postgresStorage(database), secrets })
 * const { workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'professional' })
 * const task = await taskboard.board(workspace.id).add({ title: 'Stored on disk' })
 * console.log(task.title) // Stored on disk
 * await taskboard.close()
 * await database.close()
 * ```
 */
export function postgresStorage(options: PostgresStorageOptions): Storage<PgConnection> {
  const { pool, preparedStatements = true, listen = true } = options
  const settings = createStorageSettings()
  const timeouts = resolveTimeouts(options)
  const wakes = createWakes({ pool, listen, settings, timeouts })
  const { commits } = wakes
  const database = createDatabase({ pool, settings, timeouts, preparedStatements, commits })

  return {
    name: 'postgres',
    durable: true,
    wakes: 'hints',
    tasks: createTaskStore(database),
    agents: createAgentStore(database),
    analytics: createAnalyticsStore(database),
    events: createEventStore(database),
    notifications: createNotificationStore(database),
    webhooks: createWebhookStore(database),
    limits: createLimitStore(database),
    quotas: createQuotaStore(database),
    access: createAccessStore(database),
    sessions: createSessionStore(database),
    realtime: createRealtimeStore(database),
    bind: settings.bind,
    async open() {
      await requireSchema(boundedPool(pool, timeouts))
      await database.transaction(async (tx) => {
        if (await adoptScoring(tx, settings.current.scoring)) return
        throw new TaskboardError(
          'INVALID_CONFIG',
          'the stored tasks are ordered by other weights or horizons, or only some of them by these: call taskboard.rescore() before start()',
          { field: 'priority' },
        )
      })
      await wakes.open()
    },
    close: () => wakes.close(),
    transaction: (work) => database.transaction(work),
    keepAnswer: (claim, answer, at) => keepAnswer(database, claim, answer, at),
    prune: (asked, { now }) => prune(database, asked, now),
  }
}

/** A newer schema is taken as it is: so a host can be updated process by process. */
async function requireSchema(pool: PgPool): Promise<void> {
  const missing = (await migrationStatus(pool)).find(
    ({ state }) => state === 'pending' || state === 'altered',
  )
  if (missing === undefined) return
  throw new TaskboardError(
    'INVALID_CONFIG',
    missing.state === 'pending'
      ? `the database lacks migration ${missing.name}: run migrate(pool) of @taskboard/postgres before start()`
      : `migration ${missing.name} was applied to the database with another text than this version has`,
  )
}
