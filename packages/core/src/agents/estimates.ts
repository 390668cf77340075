import type { Task } from '../board/index.js'
import type { At, Environment, Instant } from '../environment/index.js'
import type { Forecast } from './agent.js'
import type { AgentStore } from './agent-store.js'

/** When tasks will be done, as far as the past can tell. */
export interface Estimates<Tx = unknown> {
  /**
   * One for each task, in their order; one round trip for all of them, none when there is nothing to ask. A task in DONE has the
   * time at which it was done. Null when nobody can tell: the task is on hold, waits for others, nothing of its kind was ever
   * completed, or all agents that may take it are offline.
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
  return {
    async forTasks(tasks, options) {
      const open = tasks.filter(canTell)
      if (open.length === 0) return tasks.map(({ completedAt }) => completedAt)
      const at: At<Tx> = { now: environment.storageNow(), tx: options?.tx }
      const forecasts = new Map(
        (await store.readForecasts(open, at)).map((forecast) => [forecast.taskId, forecast]),
      )
      return tasks.map((task) => {
        const forecast = forecasts.get(task.id)
        return forecast === undefined ? task.completedAt : estimateCompletion(task, forecast)
      })
    },
  }
}

/** Whether anything but other tasks and people stands between the task and its end. */
function canTell({ column, hold, openDependencies }: Task): boolean {
  return column === 'DOING' || (column === 'TODO' && hold === null && openDependencies === 0)
}

/**
 * When an open task will be done: one under way takes as long as is typical, and what goes on for longer may end at any moment;
 * one that waits is taken when those before it are done, the agents working at once.
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
