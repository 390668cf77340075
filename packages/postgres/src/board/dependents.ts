import type { CallContext } from '@taskboard/core/storage'
import type { Database } from '../database/database.js'
import type { PgConnection } from '../connection/pool.js'
import { statement } from '../connection/statement.js'

/** Limit. Tasks with dependents left to free, and tasks for which it is now certain whether any is left. */
const findFreeing = statement<{ readonly taskId: string }>(
  'find_freeing',
  /* sql */ `
  select f.task_id as "taskId" from taskboard.freeing f
  where f.horizon is null or f.horizon <= pg_snapshot_xmin(pg_current_snapshot())
    or exists (select from taskboard.task_dependency d where d.depends_on = f.task_id and d.is_open)
  order by f.task_id limit $1::integer`,
)

/** Task, limit, present. */
const freeMore = statement<{ readonly freed: number }>(
  'free_more',
  `select taskboard.free_more($1::text, $2::integer, coalesce($3::bigint, taskboard.now_ms())) as freed`,
)

/** The outcome of `TaskStore.settleTasks`. */
export interface Settled {
  readonly settled: number
  readonly hasMore: boolean
}

/** The maximum of tasks that one call reads. */
const MOST_DONE = 100

/** `TaskStore.settleTasks`: one commit for each completed task. */
export async function freeDependents(
  database: Database,
  limit: number,
  call: CallContext<PgConnection>,
): Promise<Settled> {
  const done = await database.read(call, findFreeing, [MOST_DONE])
  let freed = 0
  for (const { taskId } of done) {
    if (freed >= limit) break
    const [row] = await database.read(call, freeMore, [taskId, limit - freed, call.now])
    freed += row?.freed ?? 0
  }
  if (freed > 0 && call.tx === undefined) database.commits.raise()
  return { settled: freed, hasMore: freed >= limit || done.length === MOST_DONE }
}

/** How many dependents the commit that completes a task frees: the same number as in `taskboard.tell_dependents`. */
const FREED_AT_ONCE = 100

/**
 * The dependents that the trigger frees when the task is done, or blocks when it is reopened. They are locked before the log,
 * in the order of their ids.
 */
export const dependentsToLock = (taskId: string, isDone: string): string => /* sql */ `
        select d.task_id from taskboard.task_dependency d
        where d.depends_on = ${taskId} and d.is_open = (${isDone})
        order by d.task_id limit case when ${isDone} then ${FREED_AT_ONCE} end`
