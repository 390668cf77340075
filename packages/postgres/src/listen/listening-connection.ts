import type { Clock } from '@taskboard/core'
import { type BoundSettings, sleep } from '@taskboard/core/storage'
import { boundedConnection, lentWithin } from '../connection/bounded-pool.js'
import type { PgQueryable, PgPool, PgPoolClient } from '../connection/pool.js'
import type { Timeouts } from '../connection/timeouts.js'

/** Resolves to whether `work` settled before `limitMs` of the clock passed. Leaves no timer. */
export async function endsWithin(clock: Clock, limitMs: number, work: Promise<unknown>): Promise<boolean> {
  const done = new AbortController()
  const ended = work.then(
    () => true,
    () => true,
  )
  try {
    return await Promise.race([ended, sleep(clock, limitMs, done.signal).then(() => false)])
  } finally {
    done.abort()
  }
}

/** What `pg` passes to listeners of a channel. */
interface Notification {
  readonly channel: string
  readonly payload?: string | undefined
}

/** The part of a `pg.PoolClient` with notifications that is used here, next to its queries. */
interface Emitter {
  on(event: string, listener: (value: unknown) => void): unknown
  off(event: string, listener: (value: unknown) => void): unknown
}

/** A connection that is held to receive notifications. */
export interface ListeningConnection extends PgQueryable {
  /** Releases it to the pool in its original state, or closes it when that fails. */
  giveBack(): Promise<void>
  /** Closes it without any wait. */
  drop(reason: Error): void
}

interface ListeningHandlers {
  readonly channel: string
  /** Called with the payload of each notification. */
  readonly onNotified: (payload: string) => void
  /** Called once when it is lost or dropped, not when it is released. */
  readonly onLost: () => void
}

const LONGEST_FAREWELL_MS = 1_000

/**
 * Acquires a connection from the pool and listens. Null, with nothing held, when the pool's connections don't emit
 * notifications. @throws the database's error, or when it doesn't answer in time.
 */
export async function openListening(
  pool: PgPool,
  { connectTimeoutMs, statementTimeoutMs }: Timeouts,
  clock: Clock,
  { channel: own, onNotified, onLost }: ListeningHandlers,
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
    if (isHeld && channel === own) onNotified(payload)
  }
  const failed = (reason: unknown): void =>
    drop(reason instanceof Error ? reason : new Error('the connection is closed'))
  const handlers = [
    ['notification', heard],
    ['error', failed],
    ['end', failed],
  ] as const
  for (const [event, handler] of handlers) emitter.on(event, handler)

  function letGo(reason?: Error): void {
    isHeld = false
    client.release(reason)
    // From here on the pool handles its errors.
    for (const [event, handler] of handlers) emitter.off(event, handler)
  }

  function drop(reason: Error): void {
    if (!isHeld) return
    letGo(reason)
    if (isOpened) onLost()
  }

  try {
    const listen = { text: `listen ${own}`, values: [] }
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
      // From here on a loss is not reported.
      isOpened = false
      let fault: unknown = new Error('the connection does not respond')
      const unlisten = client.query({ text: `unlisten ${own}`, values: [] }).then(
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

/** Routers drop connections that are silent for some minutes, and notify neither end. */
const CHECK_INTERVAL_MS = 60_000

/**
 * Sends a query from time to time, and drops the connection when the previous one has no answer at the next: it never gets one.
 * Returns a function that stops the checks.
 */
export function watchConnection(
  settings: Pick<BoundSettings, 'current'>,
  connection: ListeningConnection,
): () => void {
  let timer: { cancel(): void } | undefined

  function wait(callback: () => void): void {
    timer = settings.current.clock.setTimer(callback, CHECK_INTERVAL_MS)
  }

  function ask(): void {
    let isAnswered = false
    wait(() => {
      if (isAnswered) ask()
      else connection.drop(new Error('the connection does not respond'))
    })
    const question = async (): Promise<void> => {
      try {
        await connection.query({ text: 'select 1', values: [] })
        isAnswered = true
      } catch (error) {
        connection.drop(error instanceof Error ? error : new Error(String(error)))
      }
    }
    const { clock } = settings.current
    void (clock.track ? clock.track('listening connection', question) : question())
  }

  wait(ask)
  return () => timer?.cancel()
}
