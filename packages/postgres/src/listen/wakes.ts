import { createCommitSignal, type BoundSettings, type CommitSignal } from '@taskboard/core/storage'
import { randomUUID } from 'node:crypto'
import { boundedPool } from '../bounded-pool.js'
import type { PgPool } from '../pool.js'
import { mostConnections } from '../sole-connection.js'
import { resolveTimeouts, type Timeouts } from '../timeouts.js'
import { endsWithin } from './ends-within.js'
import { createListener } from './listener.js'
import { CHANNEL } from './listening-connection.js'
import { createPace } from './pace.js'

/** Tells the processes of one database of each other's commits. */
export interface Wakes {
  /** Raised by the commits of this process, of which it tells the others; told of those and of the others'. */
  readonly commits: CommitSignal
  /** Listens from now on. @throws TaskboardError `INVALID_CONFIG` when the pool given for it cannot. */
  open(): Promise<void>
  /** Tells of the last commits, and leaves no connection, timer or setting of a session behind. */
  close(): Promise<void>
}

export interface WakesParts {
  readonly pool: PgPool
  /** See `PostgresStorageOptions.listen`. */
  readonly listen: boolean | PgPool
  readonly settings: Pick<BoundSettings, 'current'>
  /** Default: those of `postgresStorage`. */
  readonly timeouts?: Timeouts | undefined
}

/**
 * The least time between two notifications of a process. Each takes a transaction id and a lock that all notifying commits of
 * the server share, for a fraction of a millisecond and without waiting for the disk; fifty in a second are nothing beside
 * the commits that they tell of. Who is told looks at the database, so it does that no more often either.
 */
const LEAST_GAP_MS = 20
/** Follows the sender in a notification of commits that took tasks away from their agents. */
const REVOKED = 'revoked'
/** What a database that does not answer may keep `close` waiting for. */
const LONGEST_FLUSH_MS = 1_000

export function createWakes(parts: WakesParts): Wakes {
  const { pool, listen, settings, timeouts = resolveTimeouts({}) } = parts
  const signal = createCommitSignal()
  if (pool.isSoleUser === true) {
    return { commits: signal, open: () => Promise.resolve(), close: () => Promise.resolve() }
  }
  const origin = randomUUID()
  let hasRevoked = false
  const told = createPace(settings, LEAST_GAP_MS, () => {
    signal.raise()
    return Promise.resolve()
  })
  /** Revocations are passed on at once: they are rare, and until then an agent works on a task that it has lost. */
  function hear(revokes: boolean): void {
    if (revokes) signal.raise({ revokes })
    told.ask()
  }
  const source = listeningPool(pool, listen)
  const listener =
    source &&
    createListener({
      pool: source,
      isRequired: typeof listen === 'object',
      timeouts,
      settings,
      onNotified(payload) {
        const [sender, news] = payload.split(' ')
        if (sender !== origin) hear(news === REVOKED)
      },
      onResumed: () => hear(true),
    })

  const bounded = boundedPool(pool, timeouts)
  // A statement of its own: within a transaction that writes, the lock would be held until that one is on the disk.
  async function notify(): Promise<void> {
    const connection = listener?.connection ?? bounded
    const payload = hasRevoked ? `${origin} ${REVOKED}` : origin
    hasRevoked = false
    await connection.query({ text: 'select pg_notify($1, $2)', values: [CHANNEL, payload] })
  }
  const tell = createPace(settings, LEAST_GAP_MS, () => {
    const { clock } = settings.current
    return clock.track ? clock.track('commit notification', notify) : notify()
  })

  return {
    commits: {
      raise(commit) {
        const revokes = commit?.revokes === true
        hasRevoked ||= revokes
        hear(revokes)
        tell.ask()
      },
      listen: (call) => signal.listen(call),
    },
    open: async () => listener?.start(),
    async close() {
      await endsWithin(settings.current.clock, LONGEST_FLUSH_MS, tell.flush())
      await listener?.stop()
      await told.flush()
    },
  }
}

/** A pool of one connection would have none left. */
function listeningPool(pool: PgPool, listen: boolean | PgPool): PgPool | null {
  if (typeof listen === 'object') return listen
  return listen && mostConnections(pool) !== 1 ? pool : null
}
