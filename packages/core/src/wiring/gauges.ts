import type { Environment, Gauges } from '../environment/index.js'
import type { Realtime } from '../realtime/index.js'
import type { Storage, TaskCounts } from '../storage/index.js'

const COUNTED_EVERY_MS = 30_000

/** Reads the gauges of telemetry. However many readers there are, the storage counts its tasks at most every 30 seconds. */
export function createGauges(
  { clock, logger, storageNow }: Pick<Environment, 'clock' | 'logger' | 'storageNow'>,
  storage: Pick<Storage, 'check'>,
  realtime: Pick<Realtime, 'countConnections'>,
): () => Promise<Gauges> {
  let counted: Promise<TaskCounts | null> = Promise.resolve(null)
  let countedAt = -Infinity

  async function count(): Promise<TaskCounts | null> {
    try {
      return (await storage.check({ withCounts: true }, { now: storageNow() })).counts
    } catch (error) {
      logger.warn({ err: error }, 'the tasks could not be counted for telemetry')
      return null
    }
  }

  return async () => {
    const now = clock.now()
    if (now < countedAt || now >= countedAt + COUNTED_EVERY_MS) {
      countedAt = now
      counted = count()
    }
    const counts = await counted
    return {
      waitingTasks: counts?.waiting ?? null,
      runningTasks: counts?.running ?? null,
      connections: realtime.countConnections(),
    }
  }
}
