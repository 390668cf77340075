import { createBackgroundLoop, type BackgroundLoop, type Environment } from '../environment/index.js'
import type { TaskStore } from './task-store.js'

/** How many tasks one pass routes. */
const SWEEP_BATCH = 1_000

/** Routes the tasks that wait by their type, after the agents of their workspace have changed. */
export function createRouteSweep<Tx>(options: {
  readonly environment: Environment
  readonly tasks: Pick<TaskStore<Tx>, 'routeTasks'>
  readonly pollIntervalMs: number | null
}): BackgroundLoop {
  const { environment, tasks, pollIntervalMs } = options
  const { clock, logger } = environment
  return createBackgroundLoop({
    name: 'route-sweep',
    clock,
    logger,
    pollIntervalMs,
    async pass() {
      const { hasMore } = await tasks.routeTasks({ limit: SWEEP_BATCH }, { now: environment.storageNow() })
      return hasMore ? 'now' : null
    },
  })
}
