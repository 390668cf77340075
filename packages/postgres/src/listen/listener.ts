import { TaskboardError } from '@taskboard/core'
import type { BoundSettings } from '@taskboard/core/storage'
import type { PgQueryable, PgPool } from '../connection/pool.js'
import type { Timeouts } from '../connection/timeouts.js'
import {
  endsWithin,
  type ListeningConnection,
  openListening,
  watchConnection,
} from './listening-connection.js'

/** Holds a connection that listens, and opens another when it is lost. */
export interface Listener {
  /** Resolves when it listens, or when the first try failed; it then keeps trying. Idempotent. */
  start(): Promise<void>
  /** Releases the connection. Leaves no timer and no setting of the session. */
  stop(): Promise<void>
  /** The connection that listens, which is otherwise idle. */
  readonly connection: PgQueryable | null
}

export interface ListenerParts {
  readonly pool: PgPool
  /** Whether a pool that can't listen is an error. If not, it works without listening. */
  readonly isRequired: boolean
  readonly timeouts: Timeouts
  readonly settings: Pick<BoundSettings, 'current'>
  readonly channel: string
  /** Called with the payload of each notification. */
  readonly onNotified: (payload: string) => void
  /** Called when it listens again, after an interval in which notifications may be lost. */
  readonly onResumed: () => void
}

const FIRST_RETRY_MS = 250
const LONGEST_RETRY_MS = 10_000
/** How long `stop` waits for a connection that is being opened; one that arrives later is released then. */
const LONGEST_OPENING_MS = 1_000

export function createListener(parts: ListenerParts): Listener {
  const { pool, isRequired, timeouts, settings, channel, onNotified, onResumed } = parts
  let isRunning = false
  let held: ListeningConnection | null = null
  let opening: Promise<void> | undefined
  let endWait: (() => void) | undefined
  let failures = 0

  /** Resolves to whether it listens. */
  async function open(): Promise<boolean> {
    const opened = await openListening(pool, timeouts, settings.current.clock, {
      channel,
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
    'the connections of the pool for listen emit no notifications',
    { field: 'listen' },
  )
}
