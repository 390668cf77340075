import { createBackgroundLoop, type Environment, type BackgroundLoop } from '../environment/index.js'
import type { TaskStore } from './task-store.js'

/** How many dependents one pass frees. */
const SWEEP_BATCH = 1_000

/** Frees the dependents that completions left for later. `pollIntervalMs` null: the storage leaves none. */
export function createDependentSweep<Tx>(options: {
  readonly environment: Environment
  readonly tasks: Pick<TaskStore<Tx>, 'freeDependents'>
  readonly pollIntervalMs: number | null
}): BackgroundLoop {
  const { environment, tasks, pollIntervalMs } = options
  const { clock, logger } = environment
  return createBackgroundLoop({
    name: 'dependent-sweep',
    clock,
    logger,
    pollIntervalMs,
    async pass() {
      const { hasMore } = await tasks.freeDependents(
        { limit: SWEEP_BATCH },
        { now: environment.storageNow() },
      )
      return hasMore ? 'now' : null
    },
  })
}
