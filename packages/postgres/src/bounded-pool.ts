import { TaskboardError } from '@taskboard/core'
import { isConnectionLost } from './connection-fault.js'
import type { PgConnection, PgPool, PgPoolClient, PgQuery } from './pool.js'
import { within, type Timeouts } from './timeouts.js'

export interface BoundedPool {
  /** Nobody waits for a query of background `work`: where the pool can, it lets others go first. */
  query(query: PgQuery, work?: string): Promise<{ readonly rows: unknown[] }>
  /** `statementTimeoutMs` instead of the usual one for each statement on the connection, where given. */
  connect(statementTimeoutMs?: number): Promise<PgPoolClient>
}

/**
 * The pool with an end to every wait. A connection that did not answer in time, or was lost, answers nothing more and is
 * closed instead of given back; one that comes after its wait has ended goes back unused. What was asked for and not
 * answered may have been done, or be done yet: `SERVICE_UNAVAILABLE`, with that in the message.
 */
export function boundedPool(pool: PgPool, timeouts: Timeouts): BoundedPool {
  const { connectTimeoutMs } = timeouts

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

/** A pool's connection, as it is; one that comes too late goes back unused. @throws TaskboardError `SERVICE_UNAVAILABLE`. */
export async function lentWithin(
  connection: Promise<PgPoolClient>,
  connectTimeoutMs: number,
): Promise<PgPoolClient> {
  return within(
    connection,
    connectTimeoutMs,
    () => unavailable(`no connection to the database was to be had within ${connectTimeoutMs} ms`),
    (late) => late.release(),
  )
}

/**
 * A connection of the host's with an end to every wait. Once it has left a statement unanswered it takes no more: they
 * would wait behind that one.
 */
export function boundedConnection(connection: PgConnection, statementTimeoutMs: number): PgConnection {
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
  // Nobody else listens to a client that is lent, and an error event that nobody listens to ends the process.
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

function unanswered(timeoutMs: number): TaskboardError {
  return unavailable(
    `the database did not answer within ${timeoutMs} ms; what was asked for may have been done`,
  )
}

function unavailable(message: string): TaskboardError {
  return new TaskboardError('SERVICE_UNAVAILABLE', message)
}
