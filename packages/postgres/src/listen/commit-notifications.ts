import { randomUUID } from 'node:crypto'
import { type BoundSettings, type CommitSignal, createCommitSignal } from '@taskboard/core/storage'
import { boardSchema } from '../connection/board-schema.js'
import { type BoundedPool, boundedPool } from '../connection/bounded-pool.js'
import { mostConnections } from '../connection/sole-connection.js'
import type { PgQueryable, PgPool } from '../connection/pool.js'
import { resolveTimeouts, type Timeouts } from '../connection/timeouts.js'
import { createListener, type Listener } from './listener.js'
import { createListeningCheck, type ListeningCheck } from './listening-check.js'
import { endsWithin } from './listening-connection.js'
import { createTaskLines, type TaskLines } from './task-lines.js'
import { createThrottle } from './throttle.js'

/** Signals commits between the processes of one database. */
export interface CommitNotifications {
  readonly taskLines: TaskLines
  /** Raised by the commits of this process, which it sends to the others; emits the commits of all processes. */
  readonly commits: CommitSignal
  /** Starts to listen. @throws TaskboardError `INVALID_CONFIG` when the given pool can't listen. */
  open(): Promise<void>
  /** Sends the last commits, and leaves no connection, timer or setting of a session behind. */
  close(): Promise<void>
}

export interface CommitNotificationsParts {
  readonly pool: PgPool
  /** See `PostgresStorageOptions.listen`. */
  readonly listen: boolean | PgPool
  readonly settings: Pick<BoundSettings, 'current'>
  /** Default: the ones of `postgresStorage`. */
  readonly timeouts?: Timeouts | undefined
  /** Default: the channel of the default schema. */
  readonly channel?: string | undefined
}

/**
 * The least time between two notifications of a process. Each takes a transaction id and a lock that all notifying commits of the server
 * share. That lasts for a fraction of a millisecond and doesn't wait for the disk. Fifty a second cost little next to the commits that they
 * signal. The receivers read the database after each, so this limits their reads too.
 */
const LEAST_GAP_MS = 20
/** Follows the sender in a notification of commits that revoked tasks from their agents. */
const REVOKED = 'revoked'
/** Follows the sender in a notification of a line of a task's log, before the line. */
const LINE = 'line'
/** Follows the sender in a notification to itself, which shows that it hears any. */
const ECHO = 'echo'
/** How long `close` waits for a database that doesn't respond. */
const LONGEST_FLUSH_MS = 1_000

export function createCommitNotifications(parts: CommitNotificationsParts): CommitNotifications {
  const { pool, listen, settings, timeouts = resolveTimeouts({}), channel = boardSchema().channel } = parts
  const signal = createCommitSignal()
  if (pool.isSoleUser === true) return notificationsOfOne(signal, settings)
  const origin = randomUUID()
  let hasRevoked = false
  const received = createThrottle(settings, LEAST_GAP_MS, () => {
    signal.raise()
    return Promise.resolve()
  })
  /** Passes revocations on immediately: they are rare, and until then an agent works on a task that it has lost. */
  function hear(revokes: boolean): void {
    if (revokes) signal.raise({ revokes })
    received.request()
  }
  const source = listeningPool(pool, listen)
  const listener =
    source &&
    createListener({
      pool: source,
      isRequired: typeof listen === 'object',
      timeouts,
      settings,
      channel,
      onNotified(payload) {
        const [sender, news] = payload.split(' ', 2)
        if (news === ECHO && sender === origin) check?.heard()
        if (news === ECHO || sender === origin) return
        if (news === LINE) taskLines.hear(payload.slice(`${sender} ${LINE} `.length))
        else hear(news === REVOKED)
      },
      onResumed() {
        void check?.begin()
        hear(true)
      },
    })

  const bounded = boundedPool(pool, timeouts)
  const check = listener && checkOf(listener, { settings, pool: bounded, channel, origin })
  // A separate statement: a transaction that writes would hold the lock until it is on the disk.
  async function notify(): Promise<void> {
    const connection = listener?.connection ?? bounded
    const payload = hasRevoked ? `${origin} ${REVOKED}` : origin
    hasRevoked = false
    await connection.query({ text: 'select pg_notify($1, $2)', values: [channel, payload] })
  }
  const sent = createThrottle(settings, LEAST_GAP_MS, () => {
    const { clock } = settings.current
    return clock.track ? clock.track('commit notification', notify) : notify()
  })

  const taskLines = createTaskLines(settings, LEAST_GAP_MS, (texts) =>
    notifyLines(listener?.connection ?? bounded, { channel, origin }, texts),
  )

  return {
    taskLines,
    commits: {
      raise(commit) {
        const revokes = commit?.revokes === true
        hasRevoked ||= revokes
        hear(revokes)
        sent.request()
      },
      listen: (onCommit) => signal.listen(onCommit),
    },
    async open() {
      await listener?.start()
      if (listener?.connection) await check?.begin()
    },
    async close() {
      check?.stop()
      const flushed = Promise.all([sent.flush(), taskLines.flush()])
      await endsWithin(settings.current.clock, LONGEST_FLUSH_MS, flushed)
      await listener?.stop()
      await received.flush()
    },
  }
}

/** Who notifies, and where. */
interface Sender {
  readonly channel: string
  readonly origin: string
}

function checkOf(
  listener: Listener,
  {
    settings,
    pool,
    channel,
    origin,
  }: Pick<CommitNotificationsParts, 'settings'> & Sender & { readonly pool: BoundedPool },
): ListeningCheck {
  return createListeningCheck({
    settings,
    send: () => pool.query({ text: 'select pg_notify($1, $2)', values: [channel, `${origin} ${ECHO}`] }),
    async catchUp() {
      await listener.connection?.query({ text: 'select true', values: [] })
      return listener.connection !== null
    },
  })
}

const nothing = (): Promise<void> => Promise.resolve()

/** No other process uses the database. */
function notificationsOfOne(
  commits: CommitSignal,
  settings: CommitNotificationsParts['settings'],
): CommitNotifications {
  const taskLines = createTaskLines(settings, LEAST_GAP_MS, () => Promise.resolve())
  return { taskLines: { ...taskLines, send: () => undefined }, commits, open: nothing, close: nothing }
}

async function notifyLines(
  connection: PgQueryable,
  { channel, origin }: Sender,
  texts: readonly string[],
): Promise<void> {
  const payloads = texts.map((text) => `${origin} ${LINE} ${text}`)
  const text = 'select pg_notify($1, t.line) from unnest($2::text[]) as t (line)'
  await connection.query({ text, values: [channel, payloads] })
}

/** A pool of one connection would have none left. */
function listeningPool(pool: PgPool, listen: boolean | PgPool): PgPool | null {
  if (typeof listen === 'object') return listen
  return listen && mostConnections(pool) !== 1 ? pool : null
}
