import type { TaskStore } from '../board/index.js'
import type { Environment } from '../environment/index.js'
import { isTaskboardError } from '../errors/index.js'
import type { LoggedEvent } from '../events/index.js'

const MOST_CACHED = 1_000

/** Finds the trace of an event's task. A task keeps its trace, so the traces of the last thousand are cached. Never rejects. */
export function createTaskTraces(
  { storageNow, logger }: Pick<Environment, 'storageNow' | 'logger'>,
  tasks: Pick<TaskStore, 'getTask'>,
): (event: LoggedEvent) => Promise<string | null> {
  const cached = new Map<string, string | null>()

  async function read(within: string, taskId: string): Promise<string | null> {
    try {
      return (await tasks.getTask({ within, taskId, parts: ['task'] }, { now: storageNow() })).task
        .traceparent
    } catch (error) {
      // It may be deleted by now.
      if (!isTaskboardError(error, 'TASK_NOT_FOUND')) {
        logger.warn({ taskId, err: error }, 'the trace of a task could not be read')
      }
      return null
    }
  }

  return async ({ data, workspaceId }) => {
    const taskId = 'taskId' in data ? data.taskId : null
    if (typeof taskId !== 'string') return null
    const known = cached.get(taskId)
    if (known !== undefined) return known
    const traceparent = await read(workspaceId, taskId)
    const [first] = cached.keys()
    if (first !== undefined && cached.size >= MOST_CACHED) cached.delete(first)
    cached.set(taskId, traceparent)
    return traceparent
  }
}
