import {
  type Column,
  isTaskboardError,
  TaskboardError,
  type TaskFilter,
  type TaskFindings,
} from '@taskboard/core'
import type { GraphqlContext } from '../graphql-context.js'
import { pageSize } from './page-size.js'

/** The arguments of a list of tasks, next to its workspace. */
export const taskListArguments = /* GraphQL */ `
      "How many at most: 1 to 100."
      first: Int = 20
      "The endCursor of the page before, with the same sort."
      after: String
      "Words, of at most 200 characters in all. Each begins a word of the title or the description, in any case, with or without accents."
      q: String
      status: TaskStatus
      column: Column
      "Tasks that are on hold for this reason."
      hold: HoldReason
      type: String
      "Tasks that have this tag."
      tag: String
      priority: Priority
      "Tasks that are assigned to this agent, that it works, or that it completed."
      agentId: ID
      "Tasks that only this agent can take."
      assignedTo: ID
      parentId: ID
      "At or after this time."
      createdAfter: DateTime
      "Before this time."
      createdBefore: DateTime
      "At or after this time."
      dueAfter: DateTime
      "Before this time."
      dueBefore: DateTime
      sort: TaskSort = CREATED`

/** Times are texts, and columns have the schema's values. */
export interface TaskListArguments extends Omit<TaskFilter, 'column' | 'limit' | 'cursor'> {
  readonly first?: number | null
  readonly after?: string | null
  readonly column?: Lowercase<Column> | null
}

/** A page of tasks, newest first. */
export interface TaskConnection extends TaskFindings {
  readonly isFirst: boolean
}

/** @throws TaskboardError `INVALID_FIELD`, `NOT_FOUND`. */
export async function searchTasks(
  { services, principal }: GraphqlContext,
  { first, after = null, column, ...filters }: TaskListArguments,
): Promise<TaskConnection> {
  const limit = pageSize(first)
  try {
    const filter = { ...filters, column: column?.toUpperCase() as Column | undefined, limit, cursor: after }
    return { ...(await services.tasks.search(principal, filter)), isFirst: after === null }
  } catch (error) {
    if (!isTaskboardError(error, 'INVALID_FIELD') || error.field !== 'cursor') throw error
    throw new TaskboardError('INVALID_FIELD', 'after must be a cursor of an earlier page', { field: 'after' })
  }
}
