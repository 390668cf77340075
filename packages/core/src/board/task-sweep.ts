import { createBackgroundLoop, type BackgroundLoop, type Environment } from '../environment/index.js'
import type { TasksLeft, TaskStore } from './task-store.js'

/** How many tasks one pass settles. */
const SWEEP_BATCH = 1_000

/** Settles the tasks that commits left for later. `pollIntervalMs` null: the storage leaves none, or `wake` says when. */
export function createTaskSweep<Tx>(options: {
  readonly name: string
  readonly left: TasksLeft
  readonly environment: Environment
  readonly tasks: Pick<TaskStore<Tx>, 'settleTasks'>
  readonly pollIntervalMs: number | null
}): BackgroundLoop {
  const { name, left, environment, tasks, pollIntervalMs } = options
  return createBackgroundLoop({
    name,
    environment,
    pollIntervalMs,
    async pass() {
      const sweep = { left, limit: SWEEP_BATCH }
      const { hasMore } = await tasks.settleTasks(sweep, environment.call())
      return hasMore ? 'now' : null
    },
  })
}
