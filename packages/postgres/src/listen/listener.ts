import { TaskboardError } from '@taskboard/core'
import type { BoundSettings } from '@taskboard/core/storage'
import type { PgConnection, PgPool } from '../pool.js'
import type { Timeouts } from '../timeouts.js'
import { endsWithin } from './ends-within.js'
import { openListening, type ListeningConnection } from './listening-connection.js'
import { watchConnection } from './watch-connection.js'

/** Holds a connection that listens, and makes another when it is lost. */
export interface Listener {
  /** Resolves when it listens; or when it could not begin to, and goes on trying. Idempotent. */
  start(): Promise<void>
  /** Gives the connection back. No timer and nothing of the session is left. */
  stop(): Promise<void>
  /** The connection that listens now, which is otherwise idle. */
  readonly connection: PgConnection | null
}

export interface ListenerParts {
  readonly pool: PgPool
  /** Whether a pool that cannot listen is an error, rather than a reason to go without. */
  readonly isRequired: boolean
  readonly timeouts: Timeouts
  readonly settings: Pick<BoundSettings, 'current'>
  /** Something was notified, with this payload. */
  readonly onNotified: (payload: string) => void
  /** It listens again after a time of which nothing is known. */
  readonly onResumed: () => void
}

const FIRST_RETRY_MS = 250
const LONGEST_RETRY_MS = 10_000
/** What `stop` waits for a connection that is on its way; one that comes later is given back then. */
const LONGEST_OPENING_MS = 1_000

export function createListener(parts: ListenerParts): Listener {
  const { pool, isRequired, timeouts, settings, onNotified, onResumed } = parts
  let isRunning = false
  let held: ListeningConnection | null = null
  let opening: Promise<void> | undefined
  let endWait: (() => void) | undefined
  let failures = 0

  /** Resolves to whether it listens. */
  async function open(): Promise<boolean> {
    const opened = await openListening(pool, timeouts, settings.current.clock, {
      onNotified,
      onLost,
    }).catch(() => 'failed')
    if (typeof opened === 'string') {
      tryLater()
      return false
    }
    if (opened === null) {
      isRunning = false
      if (isRequired) throw cannotListen()
      return false
    }
    if (!isRunning) {
      await opened.giveBack()
      return false
    }
    held = opened
    failures = 0
    endWait = watchConnection(settings, opened)
    return true
  }

  async function reopen(): Promise<void> {
    if (await open()) onResumed()
  }

  function tryLater(): void {
    if (!isRunning) return
    const delayMs = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** failures)
    failures += 1
    const timer = settings.current.clock.setTimer(() => {
      opening = reopen().catch(() => undefined)
    }, delayMs)
    endWait = () => timer.cancel()
  }

  function onLost(): void {
    held = null
    endWait?.()
    tryLater()
  }

  return {
    get connection() {
      return held
    },
    async start() {
      if (!isRunning) {
        isRunning = true
        opening = open().then(() => undefined)
      }
      await opening
    },
    async stop() {
      isRunning = false
      endWait?.()
      if (opening) await endsWithin(settings.current.clock, LONGEST_OPENING_MS, opening)
      const connection = held
      held = null
      await connection?.giveBack()
    },
  }
}

function cannotListen(): TaskboardError {
  return new TaskboardError(
    'INVALID_CONFIG',
    'the connections of the pool that is to listen emit no notifications',
    { field: 'listen' },
  )
}
