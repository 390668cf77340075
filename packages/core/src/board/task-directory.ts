import type { Reach } from '../access/index.js'
import type { CallContext, Environment, InTransaction } from '../environment/index.js'
import { requireLimit, TaskboardError } from '../errors/index.js'
import { decodeTaskId, encodeTaskId } from './cursor.js'
import { type TaskDetail, type TaskStatus, taskStatuses, type TaskSummary } from './task-search.js'
import type { TaskStore } from './task-store.js'

export interface TaskFilter {
  readonly status?: TaskStatus | null | undefined
  /** Tasks that are assigned to the agent, that it works, or that it completed. */
  readonly agentId?: string | null | undefined
  readonly workspaceId?: string | null | undefined
  /** 1 to 1,000, default 100. */
  readonly limit?: number | undefined
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | null | undefined
}

export interface TaskFindings {
  readonly found: readonly TaskSummary[]
  /** Null on the last page. */
  readonly nextCursor: string | null
}

/**
 * The tasks of all workspaces within reach: of an account (`workspaceIds: 'all'`), or some of its workspaces. A task beyond reach is
 * reported exactly as one that does not exist, at the same cost.
 */
export interface TaskDirectory<Tx = unknown> {
  /** A task with its agent, the newest 100 lines of its log, its outputs and its usage. @throws TaskboardError `TASK_NOT_FOUND`. */
  find(reach: Reach, taskId: string, options?: InTransaction<Tx>): Promise<TaskDetail>
  /** The id of the workspace that a task is in, which never changes. @throws TaskboardError `TASK_NOT_FOUND`. */
  locate(reach: Reach, taskId: string, options?: InTransaction<Tx>): Promise<string>
  /**
   * The tasks that match every given filter, newest first, one page at a time.
   * @throws TaskboardError `INVALID_FIELD`; `NOT_FOUND` when the agent or workspace of a filter does not exist.
   */
  search(reach: Reach, filter?: TaskFilter, options?: InTransaction<Tx>): Promise<TaskFindings>
}

const DETAIL = ['task', 'agent', 'logs', 'outputs', 'usage'] as const
/** How many lines of its log a task includes. */
const LOG_LINES = 100
const DEFAULT_PAGE = 100

export function createTaskDirectory<Tx>(parts: {
  readonly environment: Environment
  readonly tasks: TaskStore<Tx>
}): TaskDirectory<Tx> {
  const { environment, tasks } = parts
  const at = (options?: InTransaction<Tx>): CallContext<Tx> => ({
    now: environment.storageNow(),
    tx: options?.tx,
  })

  return {
    find: (reach, taskId, options) =>
      tasks.getTask({ within: reach, taskId, parts: DETAIL, logLines: LOG_LINES }, at(options)),
    async locate(reach, taskId, options) {
      return (await tasks.getTask({ within: reach, taskId, parts: [] }, at(options))).workspaceId
    },
    async search(reach, filter = {}, options) {
      const { status = null, agentId = null, workspaceId = null, limit = DEFAULT_PAGE, cursor } = filter
      if (status !== null && !taskStatuses.includes(status)) {
        throw new TaskboardError('INVALID_FIELD', `status must be one of ${taskStatuses.join(', ')}`, {
          field: 'status',
        })
      }
      requireLimit(limit)
      const afterId = cursor == null ? null : decodeTaskId(cursor)
      const search = { reach, status, agentId, workspaceId, limit, afterId }
      const { found, nextAfterId } = await tasks.searchTasks(search, at(options))
      return { found, nextCursor: nextAfterId && encodeTaskId(nextAfterId) }
    },
  }
}
