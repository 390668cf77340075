import { defaultBackoff, type Backoff, type TaskStore } from '../board/index.js'
import { createBackgroundLoop, type Environment } from '../environment/index.js'
import type { EventStore } from '../events/index.js'

export interface LeaseSweepOptions<Tx> {
  readonly environment: Environment
  readonly tasks: Pick<TaskStore<Tx>, 'expireLeases'>
  readonly events: Pick<EventStore<Tx>, 'onCommit'>
  /** The backoff of a task whose lease expired. */
  readonly backoff?: Backoff | undefined
  /** The longest wait between sweeps; null for storages that report every change. */
  readonly pollIntervalMs: number | null
}

/** Returns tasks to TODO whose agents didn't renew the lease. */
export interface LeaseSweep {
  start(): void
  stop(): Promise<void>
}

/** How many leases one statement ends. */
const SWEEP_BATCH = 200

export function createLeaseSweep<Tx>(options: LeaseSweepOptions<Tx>): LeaseSweep {
  const { environment, tasks, events, backoff = defaultBackoff, pollIntervalMs } = options
  const { logger } = environment
  let unsubscribe: (() => void) | undefined

  const loop = createBackgroundLoop({
    name: 'lease-sweep',
    environment,
    pollIntervalMs,
    async pass() {
      const { expired, nextExpiryInMs } = await tasks.expireLeases(
        { limit: SWEEP_BATCH, backoff },
        environment.call(),
      )
      if (expired > 0) logger.info({ expired }, 'leases expired')
      return expired === SWEEP_BATCH ? 'now' : nextExpiryInMs
    },
  })

  return {
    start() {
      // A shared storage is polled: a query after each commit would double its statements.
      if (pollIntervalMs === null) unsubscribe = events.onCommit(() => loop.wake())
      loop.start()
    },
    async stop() {
      unsubscribe?.()
      await loop.stop()
    },
  }
}
