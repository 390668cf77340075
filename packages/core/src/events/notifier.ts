import type { Environment } from '../environment/index.js'
import { createChannelWorker } from './channel-worker.js'
import type { NotificationStore } from './notification-store.js'
import { channelsByName, type NotificationChannel } from './notification-channel.js'

export interface NotifierOptions {
  readonly environment: Environment
  readonly store: Pick<NotificationStore, 'claimNotifications' | 'settleNotifications'>
  readonly channels: readonly NotificationChannel[]
  /** See `LoopOptions.pollIntervalMs`. */
  readonly pollIntervalMs: number | null
  /** How long a channel may take for one event. Default 30 s. */
  readonly sendTimeoutMs?: number | undefined
  /** How often one process tries an event before it skips it, so that later ones get through. Default 10. */
  readonly maxTries?: number | undefined
  /** How many workspaces one channel serves at a time. Default 20. */
  readonly concurrency?: number | undefined
}

/**
 * Sends each change of state to every channel of its workspace: at least once, and in the log's order per workspace and channel. A
 * failed send is retried after 1 s, doubling up to 5 min, while later events of that target wait. After `maxTries` the event is skipped
 * with an error in the log. Channels do not wait for one another.
 */
export interface Notifier {
  start(): void
  /** Requests a look at the log. */
  wake(): void
  /**
   * Starts no more sends, waits `drainTimeoutMs` (default 0) for those in progress, then aborts them. Aborted events are sent again after
   * the next start. Leaves no timer.
   */
  stop(drainTimeoutMs?: number): Promise<void>
}

const DEFAULT_SEND_TIMEOUT_MS = 30_000
const DEFAULT_MAX_TRIES = 10
const DEFAULT_CONCURRENCY = 20

/** @throws TaskboardError `INVALID_CONFIG` for channels with a blank or repeated name. */
export function createNotifier(options: NotifierOptions): Notifier {
  const { environment, store, pollIntervalMs } = options
  const settings = {
    sendTimeoutMs: options.sendTimeoutMs ?? DEFAULT_SEND_TIMEOUT_MS,
    maxTries: options.maxTries ?? DEFAULT_MAX_TRIES,
    concurrency: options.concurrency ?? DEFAULT_CONCURRENCY,
    pollIntervalMs,
  }
  const workers = [...channelsByName(options.channels).values()].map((channel) =>
    createChannelWorker({ environment, store, channel, settings }),
  )
  return {
    start: () => workers.forEach((worker) => worker.start()),
    wake: () => workers.forEach((worker) => worker.wake()),
    async stop(drainTimeoutMs = 0) {
      await Promise.all(workers.map((worker) => worker.stop(drainTimeoutMs)))
    },
  }
}
