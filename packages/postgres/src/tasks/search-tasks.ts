import { TaskboardError, taskStatuses } from '@taskboard/core'
import type { At, TaskSearch, TaskSearchPage } from '@taskboard/core/storage'
import { reachValues } from '../access/reach.js'
import type { Database } from '../database.js'
import type { PgConnection } from '../pool.js'
import { LONGEST_PAGE } from './list-todo.js'
import { searchTasks as anyTasks, searchTasksOfAgent } from './search-sql.js'
import { toSummary } from './summary-row.js'

const ALL_STATUSES = taskStatuses.map((_, code) => code)

/** `TaskStore.searchTasks`. A page has at most 1,000 tasks; the rest is in the next one. */
export async function searchTasks(
  database: Database,
  { reach, status, agentId, workspaceId, limit: wanted, afterId }: TaskSearch,
  at: At<PgConnection>,
): Promise<TaskSearchPage> {
  const limit = Math.min(wanted, LONGEST_PAGE)
  const statuses = status === null ? ALL_STATUSES : [taskStatuses.indexOf(status)]
  // One more than the page, to detect a next page.
  const values = [...reachValues(reach), workspaceId, statuses, afterId, limit + 1, at.now]
  const rows =
    agentId === null
      ? await database.read(at, anyTasks, values)
      : await database.read(at, searchTasksOfAgent, [...values, agentId])
  if (rows[0]?.hasWorkspace !== true) throw unknown('workspace', 'workspaceId')
  if (!rows[0].hasAgent) throw unknown('agent', 'agentId')
  const found = rows.filter(({ id }) => (id as string | null) !== null)
  const shown = found.slice(0, limit)
  return {
    found: shown.map(toSummary),
    nextAfterId: found.length > limit ? (shown.at(-1)?.id ?? null) : null,
  }
}

function unknown(what: string, field: string): TaskboardError {
  return new TaskboardError('NOT_FOUND', `no such ${what}`, { field })
}
