import type { Session } from '../database.js'
import { statement } from '../statement.js'

/** A task that another one will depend on. */
interface Dependency {
  readonly id: string
  readonly isOpen: boolean
  /** Whether a completion of the task looks for dependents. */
  readonly hasDependents: boolean
}

const COLUMNS = `t.id, t.column_name <> 'DONE' as "isOpen", t.has_dependents as "hasDependents"`

/** Ids, workspace. Waits for deletions only, and blocks only those. */
const keep = statement<Dependency>(
  'keep_dependencies',
  /* sql */ `
  select ${COLUMNS} from taskboard.task t
  where t.id = any ($1::text[]) and t.workspace_id = $2::text order by t.id for key share`,
)

const flag = statement<never>(
  'flag_dependencies',
  /* sql */ `
  with unflagged as materialized (
    select t.id from taskboard.task t where t.id = any ($1::text[]) and not t.has_dependents
    order by t.id for no key update
  )
  update taskboard.task t set has_dependents = true where t.id = any (array(select id from unflagged))`,
)

/** Ids, workspace. Waits for moves that are in progress, and blocks others. */
const keepDone = statement<Dependency>(
  'keep_done_dependencies',
  /* sql */ `
  select ${COLUMNS} from taskboard.task t
  where t.id = any ($1::text[]) and t.workspace_id = $2::text order by t.id for share`,
)

export interface LockedDependencies {
  /** The number that exist in the workspace. */
  readonly known: number
  readonly open: readonly string[]
}

/**
 * Reads the dependencies of a task. Until the commit none of them is deleted, and none that is done is reopened. A transaction
 * that completes one finds the task, or leaves it to `freeDependents`.
 *
 * Concurrent calls do not wait for each other, nor for writes to tasks that are not done, except for a task that had no
 * dependents yet. The rows are read again once it is certain that a completion is seen or sees the flag.
 */
export async function lockDependencies(
  session: Session,
  workspaceId: string,
  ids: readonly string[],
): Promise<LockedDependencies> {
  if (ids.length === 0) return { known: 0, open: [] }
  let found = await session.run(keep, [ids, workspaceId])
  const unflagged = found.filter(({ hasDependents }) => !hasDependents).map(({ id }) => id)
  if (unflagged.length > 0) {
    await session.run(flag, [unflagged])
    found = await session.run(keep, [ids, workspaceId])
  }
  const done = found.filter(({ isOpen }) => !isOpen).map(({ id }) => id)
  const kept = done.length === 0 ? [] : await session.run(keepDone, [done, workspaceId])
  const open = [...found, ...kept].filter(({ isOpen }) => isOpen).map(({ id }) => id)
  return { known: found.length, open }
}
