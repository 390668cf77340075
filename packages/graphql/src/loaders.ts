import {
  isTaskboardError,
  type AgentOverview,
  type Principal,
  type Task,
  type TaskDetail,
} from '@taskboard/core'
import type { TransportServices } from '@taskboard/core/transport'
import DataLoader from 'dataloader'

/** Batches the single reads of many fields into one call of the storage. Lives for one request. */
export interface Loaders {
  /** Agents within reach, by id. */
  readonly agents: DataLoader<string, AgentOverview | null>
  /** When tasks will be done; null when unknown. */
  readonly estimates: DataLoader<Task, number | null>
  /** Tasks with their logs and outputs, by id. */
  readonly details: DataLoader<string, TaskDetail | null>
}

export function createLoaders(services: TransportServices, principal: Principal): Loaders {
  return {
    agents: new DataLoader(
      async (ids) => {
        const found = await services.agents.findAll(principal, ids)
        const byId = new Map(found.map((agent) => [agent.id, agent]))
        return ids.map((id) => byId.get(id) ?? null)
      },
      { maxBatchSize: 1_000 },
    ),
    estimates: new DataLoader((tasks) => services.estimates.forTasks(tasks).then((all) => [...all])),
    // Look-ups of one tick share statements in the storage.
    details: new DataLoader((ids) =>
      Promise.all(ids.map((id) => nullIfAbsent(services.tasks.find(principal, id)))),
    ),
  }
}

/** Null for what doesn't exist or is beyond reach. */
export async function nullIfAbsent<T>(found: Promise<T>): Promise<T | null> {
  try {
    return await found
  } catch (error) {
    if (isTaskboardError(error, 'NOT_FOUND') || isTaskboardError(error, 'TASK_NOT_FOUND')) return null
    throw error
  }
}
