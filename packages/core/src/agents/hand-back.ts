import type { TaskStore } from '../board/index.js'
import type { Environment } from '../environment/index.js'
import type { TaskRun } from './task-run.js'

/** How many tasks are handed back at once. */
const BATCH = 100

/**
 * Hands tasks back, so that other processes need not wait for their leases to end. Tries each task once and never rejects: a task
 * that cannot be handed back returns when its lease ends.
 */
export async function handBack<Tx>(
  parts: { readonly environment: Environment; readonly tasks: Pick<TaskStore<Tx>, 'changeTask'> },
  runs: readonly TaskRun[],
): Promise<void> {
  const { environment, tasks } = parts
  const handBackOne = async ({ proof }: TaskRun): Promise<void> => {
    try {
      const { fencingToken } = proof
      const command = { kind: 'hand_back', fencingToken, reason: 'the process stopped' } as const
      await tasks.changeTask({ target: proof, command }, { now: environment.storageNow() })
    } catch (error) {
      const fields = { taskId: proof.taskId, err: error }
      environment.logger.warn(fields, 'a task could not be handed back; it returns when its lease ends')
    }
  }
  for (let first = 0; first < runs.length; first += BATCH) {
    await Promise.all(runs.slice(first, first + BATCH).map(handBackOne))
  }
}
