import { createLoop, type Environment, type NextPass } from '../environment/index.js'
import { TaskboardError } from '../errors/index.js'
import type { LoggedEvent } from './catalogue.js'
import type { EventStore, FeedPosition } from './event-store.js'

export interface FollowerOptions {
  readonly environment: Environment
  readonly store: Pick<EventStore, 'feedEnd' | 'readFeed'>
  /** See `LoopOptions.pollIntervalMs`. */
  readonly pollIntervalMs: number | null
  readonly pageSize?: number
}

/** Reads the log of all workspaces as it grows and passes it on within this process; skips it while nobody listens. */
export interface Follower {
  /**
   * Calls `listener` with every event that is committed after `start`, in each workspace's order. It must be quick; what it
   * throws is logged. Returns how to stop that.
   *
   * `isHeard` says whether anybody is told by it now; default: always. What is committed after it became true is passed on,
   * and perhaps some of what was shortly before; while it is false for all listeners, nothing is read.
   */
  subscribe(listener: (event: LoggedEvent) => void, isHeard?: () => boolean): () => void
  /** Begins at the present end of the log. @throws when the storage cannot be read; it may then be called again. */
  start(): Promise<void>
  /** Asks for a look at the log. */
  wake(): void
  /** Passes on what is committed by now, then reads no more. No timer is left. */
  stop(): Promise<void>
}

const DEFAULT_PAGE_SIZE = 500
/** A listener that raises an event for every event must not keep `stop` from ending. */
const MOST_PAGES_AFTER_STOP = 100

export function createFollower(options: FollowerOptions): Follower {
  const { environment, store, pageSize = DEFAULT_PAGE_SIZE } = options
  const { clock, logger } = environment
  const listeners = new Map<(event: LoggedEvent) => void, () => boolean>()
  let position: FeedPosition | null = null

  const loop = createLoop({
    name: 'events',
    clock,
    logger,
    pollIntervalMs: options.pollIntervalMs,
    pass: async (): Promise<NextPass> => ((await passOn()) > 0 ? 'now' : null),
  })

  /** The position moves only once a page has been passed on, so a fault of the storage loses nothing. */
  async function passOn(): Promise<number> {
    if (position === null) return 0
    if (!isHeard()) {
      const skippedTo = await store.feedEnd(position)
      // Whoever began to listen meanwhile may have missed something by it.
      if (!isHeard()) {
        position = skippedTo
        return 0
      }
    }
    const page = await store.readFeed(position, pageSize)
    for (const event of page.events) tell(event)
    position = page.position
    return page.events.length
  }

  function isHeard(): boolean {
    for (const isListening of listeners.values()) if (isListening()) return true
    return false
  }

  function tell(event: LoggedEvent): void {
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
      if (position !== null) throw new TaskboardError('CONFLICT', 'the log is being followed already')
      position = await store.feedEnd(null)
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
