import { createBackgroundLoop, type Environment, type NextPass } from '../environment/index.js'
import { TaskboardError } from '../errors/index.js'
import type { LoggedEvent } from './catalog.js'
import type { EventStore, FeedPosition } from './event-store.js'

export interface EventLogTailerOptions {
  readonly environment: Environment
  readonly store: Pick<EventStore, 'feedEnd' | 'readFeed'>
  /** See `LoopOptions.pollIntervalMs`. */
  readonly pollIntervalMs: number | null
  readonly pageSize?: number
}

/** Reads the log of all workspaces as it grows and passes it on within this process; skips events while no one listens. */
export interface EventLogTailer {
  /**
   * Calls `listener` with every event that is committed after `start`, in each workspace's order. It must be quick; what it
   * throws is logged. Returns a function that stops it.
   *
   * `isHeard` says whether the listener passes events to anyone now; default: always. It receives all events committed after that became
   * true, and perhaps some from shortly before. While it is false for all listeners, nothing is read.
   */
  subscribe(listener: (event: LoggedEvent) => void, isHeard?: () => boolean): () => void
  /** Begins at the present end of the log. @throws when the storage can't be read; you may then call it again. */
  start(): Promise<void>
  /** Requests a read of the log. */
  wake(): void
  /** Passes on all committed events, then reads no more. Leaves no timer. */
  stop(): Promise<void>
}

const DEFAULT_PAGE_SIZE = 500
/** A listener that raises an event for every event must not keep `stop` from ending. */
const MOST_PAGES_AFTER_STOP = 100

export function createEventLogTailer(options: EventLogTailerOptions): EventLogTailer {
  const { environment, store, pageSize = DEFAULT_PAGE_SIZE } = options
  const { clock, logger, telemetry } = environment
  const listeners = new Map<(event: LoggedEvent) => void, () => boolean>()
  let position: FeedPosition | null = null

  const loop = createBackgroundLoop({
    name: 'events',
    environment,
    pollIntervalMs: options.pollIntervalMs,
    pass: async (): Promise<NextPass> => ((await passOn()) > 0 ? 'now' : null),
  })

  /** The position moves only after a page was passed on, so a storage fault loses no event. */
  async function passOn(): Promise<number> {
    if (position === null) return 0
    if (!isHeard()) {
      const skippedTo = await store.feedEnd({ after: position }, environment.call())
      // A listener that was added meanwhile must not miss the skipped events.
      if (!isHeard()) {
        position = skippedTo
        return 0
      }
    }
    const page = await store.readFeed({ position, limit: pageSize }, environment.call())
    const [oldest] = page.events
    if (telemetry !== null && oldest !== undefined) {
      telemetry.measure({ kind: 'event_lag', lagMs: Math.max(0, clock.now() - oldest.at) })
    }
    for (const event of page.events) deliver(event)
    position = page.position
    return page.events.length
  }

  function isHeard(): boolean {
    for (const isListening of listeners.values()) if (isListening()) return true
    return false
  }

  function deliver(event: LoggedEvent): void {
    for (const listener of listeners.keys()) {
      try {
        listener(event)
      } catch (error) {
        logger.error({ event: event.id, type: event.type, err: error }, 'a listener of the log failed')
      }
    }
  }

  async function drain(): Promise<void> {
    try {
      for (let page = 0; page < MOST_PAGES_AFTER_STOP; page++) {
        if ((await passOn()) === 0) return
      }
    } catch (error) {
      logger.error({ err: error }, 'the end of the log could not be read')
    }
  }

  return {
    subscribe(listener, isListening = () => true) {
      const own = (event: LoggedEvent): void => listener(event)
      listeners.set(own, isListening)
      return () => void listeners.delete(own)
    },
    async start() {
      if (position !== null) throw new TaskboardError('CONFLICT', 'the tailer is already started')
      position = await store.feedEnd({ after: null }, environment.call())
      loop.start()
    },
    wake: () => loop.wake(),
    async stop() {
      await loop.stop()
      await drain()
      position = null
    },
  }
}
