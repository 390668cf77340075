import { TaskboardError } from '@taskboard/core'
import { isConnectionLost } from './connection-fault.js'
import type { PgQueryable, PgPool, PgPoolClient, PgQuery } from './pool.js'
import { within, type Timeouts } from './timeouts.js'

export interface BoundedPool {
  /** A query with `work` is background work: where the pool can, it lets others go first. */
  query(query: PgQuery, work?: string): Promise<{ readonly rows: unknown[] }>
  /** `statementTimeoutMs` replaces the default for each statement on the connection. */
  connect(statementTimeoutMs?: number): Promise<PgPoolClient>
}

/**
 * The pool with a timeout for every wait. A connection that didn't answer in time, or was lost, takes no more statements and
 * is closed instead of released. One that arrives after the timeout is released unused. A statement without an answer may have
 * run, or may still run: `SERVICE_UNAVAILABLE`, with that in the message.
 */
export function boundedPool(pool: PgPool, timeouts: Timeouts): BoundedPool {
  const { connectTimeoutMs } = timeouts
  guardNewConnections(pool)

  async function lend(connection: Promise<PgPoolClient>, statementTimeoutMs: number): Promise<PgPoolClient> {
    return boundedClient(await lentWithin(connection, connectTimeoutMs), statementTimeoutMs)
  }

  return {
    connect: (statementTimeoutMs = timeouts.statementTimeoutMs) => lend(pool.connect(), statementTimeoutMs),
    async query(query, work) {
      const connection =
        work === undefined || pool.connectLater === undefined ? pool.connect() : pool.connectLater(work)
      const client = await lend(connection, timeouts.statementTimeoutMs)
      try {
        return await client.query(query)
      } finally {
        client.release()
      }
    },
  }
}

/** Acquires a connection; one that arrives too late is released unused. @throws TaskboardError `SERVICE_UNAVAILABLE`. */
export async function lentWithin(
  connection: Promise<PgPoolClient>,
  connectTimeoutMs: number,
): Promise<PgPoolClient> {
  return within(
    connection,
    connectTimeoutMs,
    () => unavailable(`timed out acquiring a database connection after ${connectTimeoutMs} ms`),
    (late) => late.release(),
  )
}

/**
 * The host's connection with a timeout for every wait. After a statement without an answer it takes no more: they would wait
 * behind that one.
 */
export function boundedConnection(connection: PgQueryable, statementTimeoutMs: number): PgQueryable {
  let lost: Error | undefined
  return {
    query(query) {
      if (lost !== undefined) return Promise.reject(lost)
      return within(
        connection.query(query),
        statementTimeoutMs,
        () => (lost = unanswered(statementTimeoutMs)),
      )
    },
  }
}

function boundedClient(client: PgPoolClient, statementTimeoutMs: number): PgPoolClient {
  const bounded = boundedConnection(client, statementTimeoutMs)
  let lost: Error | undefined
  const lose = (error: Error): void => {
    lost ??= error
  }
  // An acquired client has no other listener, and an error event without a listener ends the process.
  client.on?.('error', lose)
  return {
    async query(query) {
      if (lost !== undefined) throw lost
      try {
        return await bounded.query(query)
      } catch (error) {
        if (error instanceof Error && isConnectionLost(error)) lose(error)
        throw error
      }
    },
    release(broken) {
      client.release(lost ?? broken)
      client.removeListener?.('error', lose)
    },
  }
}

const unansweredErrors = new WeakSet<object>()

function unanswered(timeoutMs: number): TaskboardError {
  const error = unavailable(
    `the database did not respond within ${timeoutMs} ms; the request may have been done`,
  )
  unansweredErrors.add(error)
  return error
}

/** Whether the error means a statement without a response. */
export function isUnanswered(error: unknown): error is TaskboardError {
  return typeof error === 'object' && error !== null && unansweredErrors.has(error)
}

function unavailable(message: string): TaskboardError {
  return new TaskboardError('SERVICE_UNAVAILABLE', message)
}

interface Emitter {
  on(event: 'connect', listener: (client: PgPoolClient) => void): unknown
}

const guarded = new WeakSet<PgPool>()
const ignore = (): void => undefined

/**
 * Keeps the process alive when a connection is lost in the moment in which it opens. `pg` may read that it is open and that it is lost from
 * one packet, before a caller can listen for errors. An error event without a listener stops the process. The next statement on the
 * connection rejects. Once for each pool.
 */
function guardNewConnections(pool: PgPool): void {
  if (guarded.has(pool) || !('on' in pool) || typeof pool.on !== 'function') return
  guarded.add(pool)
  const emitter = pool as PgPool & Emitter
  emitter.on('connect', (client) => {
    client.on?.('error', ignore)
    setImmediate(() => client.removeListener?.('error', ignore))
  })
}
