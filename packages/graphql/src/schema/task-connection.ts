import { isTaskboardError, TaskboardError, type TaskStatus } from '@taskboard/core'
import type { TaskFindings } from '@taskboard/core/transport'
import type { GraphqlContext } from '../graphql-context.js'
import { pageSize } from './page-size.js'

export interface TaskListArguments {
  readonly first?: number | null
  readonly after?: string | null
  readonly status?: TaskStatus | null
  readonly agentId?: string | null
  readonly workspaceId?: string | null
}

/** A page of tasks, newest first. */
export interface TaskConnection extends TaskFindings {
  readonly isFirst: boolean
}

/** @throws TaskboardError `INVALID_FIELD`, `NOT_FOUND`. */
export async function searchTasks(
  { services, principal }: GraphqlContext,
  { first, after = null, status, agentId, workspaceId }: TaskListArguments,
): Promise<TaskConnection> {
  const limit = pageSize(first)
  try {
    const filter = { status, agentId, workspaceId, limit, cursor: after }
    return { ...(await services.tasks.search(principal, filter)), isFirst: after === null }
  } catch (error) {
    if (!isTaskboardError(error, 'INVALID_FIELD') || error.field !== 'cursor') throw error
    throw new TaskboardError('INVALID_FIELD', 'after must be a cursor of an earlier page', { field: 'after' })
  }
}
