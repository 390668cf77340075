import type { Task } from '../board/index.js'
import type { Environment, Instant } from '../environment/index.js'
import type { Forecast } from './agent.js'
import type { AgentStore } from './agent-store.js'

/** Estimates when tasks will be done, from past attempts. */
export interface Estimates<Tx = unknown> {
  /**
   * One for each task, in their order, in one round trip; in none when no task is open. For a task in DONE: when it was done. Null when
   * there is no estimate. The task is on hold or waits for others, no such task was ever completed, or all agents that may take it are
   * offline. Also null, with a warning in the log, when the storage fails outside a transaction: an estimate is never worth a failed
   * request.
   */
  forTasks(
    tasks: readonly Task[],
    options?: { readonly tx?: Tx | undefined },
  ): Promise<readonly (Instant | null)[]>
}

export function createEstimates<Tx>(
  environment: Environment,
  store: Pick<AgentStore<Tx>, 'readForecasts'>,
): Estimates<Tx> {
  async function read(tasks: readonly Task[], tx: Tx | undefined): Promise<readonly Forecast[]> {
    try {
      return await store.readForecasts({ tasks }, environment.call({ tx }))
    } catch (error) {
      // The host's transaction may be lost with the statement.
      if (tx !== undefined) throw error
      environment.logger.warn({ err: error }, 'could not estimate when tasks will be done')
      return []
    }
  }
  return {
    async forTasks(tasks, options) {
      const open = tasks.filter(canEstimate)
      if (open.length === 0) return tasks.map(({ completedAt }) => completedAt)
      const forecasts = new Map(
        (await read(open, options?.tx)).map((forecast) => [forecast.taskId, forecast]),
      )
      return tasks.map((task) => {
        const forecast = forecasts.get(task.id)
        return forecast === undefined ? task.completedAt : estimateCompletion(task, forecast)
      })
    },
  }
}

/** Whether agents can finish the task without a person and without other tasks. */
function canEstimate({ column, hold, openDependencies }: Task): boolean {
  return column === 'DOING' || (column === 'TODO' && hold === null && openDependencies === 0)
}

/**
 * When an open task will be done. A task in progress takes the typical time, and an overdue one may end at any moment. A waiting task
 * starts when those before it are done by the agents in parallel.
 */
export function estimateCompletion(
  { column, startedAt, notBefore }: Pick<Task, 'column' | 'startedAt' | 'notBefore'>,
  { typicalMs, ahead, agents, asOf }: Pick<Forecast, 'typicalMs' | 'ahead' | 'agents' | 'asOf'>,
): Instant | null {
  if (typicalMs === null) return null
  if (column === 'DOING') return Math.round(Math.max(asOf, (startedAt ?? asOf) + typicalMs))
  if (agents === 0) return null
  const rounds = Math.floor(ahead / agents) + 1
  return Math.round(Math.max(asOf, notBefore ?? asOf) + rounds * typicalMs)
}
