import { TaskboardError } from '@taskboard/core'
import { mostOpenSubtasks, requireSubtaskRoom, taskLevels } from '@taskboard/core/storage'
import type { Session } from '../database/database.js'
import { statement } from '../connection/statement.js'

/** Tasks, workspace. */
const lockEach = statement<{ readonly id: string }>(
  'lock_parents',
  /* sql */ `
  select t.id from taskboard.task t
  where t.id = any ($1::text[]) and t.workspace_id = $2::text order by t.id for no key update`,
)

/**
 * Locks the parents of tasks before these are inserted, since that locks the log. Only one transaction at a time therefore adds subtasks to
 * each. Resolves to those that the workspace has.
 */
export async function lockParents(
  session: Session,
  workspaceId: string,
  parentIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (parentIds.length === 0) return new Set()
  return new Set((await session.run(lockEach, [parentIds, workspaceId])).map(({ id }) => id))
}

/** Task, limit. A separate statement, which sees the subtasks that were added until the parent was locked. Counts a few more than may be. */
const readParent = statement<{ readonly level: number; readonly open: number }>(
  'read_parent',
  /* sql */ `
  with recursive ancestor (parent_id, level) as (
    select t.parent_id, 1 from taskboard.task t where t.id = $1::text
    union all
    select t.parent_id, a.level + 1 from ancestor a join taskboard.task t on t.id = a.parent_id
    where a.level < ${taskLevels}
  )
  select (select max(level) from ancestor) as level, (
    select count(*) from (
      select from taskboard.task t where t.parent_id = $1::text and t.column_name <> 'DONE' limit $2::integer
    ) as open_subtask
  )::integer as open`,
)

/**
 * Checks the bounds of a locked parent after `added` subtasks were added in this transaction.
 * @throws TaskboardError `INVALID_FIELD` for a parent that the workspace doesn't have; what `requireSubtaskRoom` throws.
 */
export async function requireParent(
  session: Session,
  known: ReadonlySet<string>,
  parentId: string,
  added: number,
): Promise<void> {
  if (!known.has(parentId)) {
    throw new TaskboardError('INVALID_FIELD', 'parentId must be a task of the workspace', {
      field: 'parentId',
    })
  }
  const [row] = await session.run(readParent, [parentId, mostOpenSubtasks + added + 1])
  requireSubtaskRoom({ level: row?.level ?? 1, open: (row?.open ?? 0) - added }, added)
}
