import type { Clock } from '@taskboard/core'
import { boundedConnection, lentWithin } from '../bounded-pool.js'
import type { PgConnection, PgPool, PgPoolClient } from '../pool.js'
import type { Timeouts } from '../timeouts.js'
import { endsWithin } from './ends-within.js'

/** What `pg` gives to those who listen on a channel. */
interface Notification {
  readonly channel: string
  readonly payload?: string | undefined
}

/** What is used of a `pg.PoolClient` that can be told of notifications, beside its queries. */
interface Emitter {
  on(event: string, listener: (value: unknown) => void): unknown
  off(event: string, listener: (value: unknown) => void): unknown
}

/** A connection that is held to be told of what others notify. */
export interface ListeningConnection extends PgConnection {
  /** Gives it back to the pool as it was taken, or has it closed when that fails. */
  giveBack(): Promise<void>
  /** Has it closed, without waiting for anything. */
  drop(reason: Error): void
}

export interface ListeningHandlers {
  /** Of what was notified, these are the payloads. */
  readonly onNotified: (payload: string) => void
  /** Called once when it is lost or dropped, and not when it was given back. */
  readonly onLost: () => void
}

/** The channel of all boards in a database: there is one. */
export const CHANNEL = 'taskboard'
const LONGEST_FAREWELL_MS = 1_000

/**
 * Takes a connection from the pool and listens. Null, with nothing held, when the pool's connections cannot tell of
 * notifications. @throws whatever the database does, or when it does not answer in time.
 */
export async function openListening(
  pool: PgPool,
  { connectTimeoutMs, statementTimeoutMs }: Timeouts,
  clock: Clock,
  { onNotified, onLost }: ListeningHandlers,
): Promise<ListeningConnection | null> {
  const client = await lentWithin(pool.connect(), connectTimeoutMs)
  if (!isEmitter(client)) {
    client.release()
    return null
  }
  const emitter: Emitter = client
  let isHeld = true
  let isOpened = false
  const heard = (value: unknown): void => {
    const { channel, payload = '' } = value as Notification
    if (isHeld && channel === CHANNEL) onNotified(payload)
  }
  const failed = (reason: unknown): void => drop(reason instanceof Error ? reason : new Error('it has ended'))
  const handlers = [
    ['notification', heard],
    ['error', failed],
    ['end', failed],
  ] as const
  for (const [event, handler] of handlers) emitter.on(event, handler)

  function letGo(reason?: Error): void {
    isHeld = false
    client.release(reason)
    // The pool answers for its errors from here on.
    for (const [event, handler] of handlers) emitter.off(event, handler)
  }

  function drop(reason: Error): void {
    if (!isHeld) return
    letGo(reason)
    if (isOpened) onLost()
  }

  try {
    const listen = { text: `listen ${CHANNEL}`, values: [] }
    await boundedConnection(client, statementTimeoutMs).query(listen)
  } catch (error) {
    if (isHeld) letGo(error instanceof Error ? error : new Error(String(error)))
    throw error
  }
  if (!isHeld) throw new Error('the connection was lost while it began to listen')
  isOpened = true
  return {
    query: (query) => client.query(query),
    drop,
    async giveBack() {
      // From here on it is not lost to anybody.
      isOpened = false
      let fault: unknown = new Error('the connection does not answer')
      const unlisten = client.query({ text: `unlisten ${CHANNEL}`, values: [] }).then(
        () => (fault = undefined),
        (error: unknown) => (fault = error),
      )
      await endsWithin(clock, LONGEST_FAREWELL_MS, unlisten)
      if (fault !== undefined) failed(fault)
      else if (isHeld) letGo()
    },
  }
}

function isEmitter(client: PgPoolClient): client is PgPoolClient & Emitter {
  const { on, off } = client as Partial<Emitter>
  return typeof on === 'function' && typeof off === 'function'
}
