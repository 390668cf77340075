import type { Session } from '../database/database.js'
import { statement } from '../connection/statement.js'

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

/** Ids, workspace. */
const flag = statement<never>(
  'flag_dependencies',
  /* sql */ `
  with unflagged as materialized (
    select t.id from taskboard.task t where t.id = any ($1::text[]) and t.workspace_id = $2::text and not t.has_dependents
    order by t.id for no key update
  )
  update taskboard.task t set has_dependents = true
  where t.id = any (array(select id from unflagged)) and t.workspace_id = $2::text`,
)

/** Ids, workspace. Waits for moves that are in progress, and blocks others. */
const keepDone = statement<Dependency>(
  'keep_done_dependencies',
  /* sql */ `
  select ${COLUMNS} from taskboard.task t
  where t.id = any ($1::text[]) and t.workspace_id = $2::text order by t.id for share`,
)

interface LockedDependencies {
  /** The number that exist in the workspace. */
  readonly known: number
  readonly open: readonly string[]
}

/**
 * Reads the dependencies of a task. Until the commit none of them is deleted, and none that is done is reopened. A transaction
 * that completes one finds the task, or leaves it to `settleTasks`.
 *
 * Concurrent calls don't wait for each other, nor for writes to tasks that aren't done, except for a task that had no
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
    await session.run(flag, [unflagged, workspaceId])
    found = await session.run(keep, [ids, workspaceId])
  }
  const done = found.filter(({ isOpen }) => !isOpen).map(({ id }) => id)
  const kept = done.length === 0 ? [] : await session.run(keepDone, [done, workspaceId])
  const open = [...found, ...kept].filter(({ isOpen }) => isOpen).map(({ id }) => id)
  return { known: found.length, open }
}

/**
 * Serializes the edits of dependencies in a workspace until the commit: two concurrent ones could close a cycle that neither sees.
 */
const takeTurn = statement<never>(
  'take_dependency_turn',
  `select pg_advisory_xact_lock(hashtextextended('taskboard.dependencies ' || $1::text, 0))`,
)

/** Takes the turn before the task is locked, which it is before its dependencies change. */
export async function takeDependencyTurn(session: Session, workspaceId: string): Promise<void> {
  await session.run(takeTurn, [workspaceId])
}

/** Marks tasks of this transaction as those that others depend on. */
export async function flagDependencies(
  session: Session,
  workspaceId: string,
  ids: readonly string[],
): Promise<void> {
  await session.run(flag, [ids, workspaceId])
}

/** Task, dependencies, workspace. Returns whether the dependencies lead back to the task. Locks the task. */
const lockTask = statement<{ readonly leadsBack: boolean }>(
  'lock_dependent',
  /* sql */ `
  with recursive ancestor (id) as (
    select unnest($2::text[])
    union
    select d.depends_on from ancestor a join taskboard.task_dependency d on d.task_id = a.id where a.id <> $1::text
  ),
  task as materialized (select t.id from taskboard.task t where t.id = $1::text and t.workspace_id = $3::text for update)
  select exists (select from ancestor where id = $1::text) and (select count(*) from task) >= 0 as "leadsBack"`,
)

/**
 * Task, dependencies, the open ones among them, workspace. Returns how many count as open. Existing dependencies keep their count: a
 * statement that completes or reopens one updates it once the task's lock is free.
 */
const writeDependencies = statement<{ readonly open: number }>(
  'write_dependencies',
  /* sql */ `
  with removed as (
    delete from taskboard.task_dependency d where d.task_id = $1::text and d.depends_on <> all ($2::text[])
  ),
  added as (
    insert into taskboard.task_dependency (depends_on, task_id, is_open)
    select n.id, t.id, n.id = any ($3::text[]) from unnest($2::text[]) as n (id)
      join taskboard.task t on t.id = $1::text and t.workspace_id = $4::text
    on conflict do nothing
    returning is_open
  )
  select (
    (select count(*) from added where is_open) + (select count(*) from taskboard.task_dependency d
      where d.task_id = $1::text and d.depends_on = any ($2::text[]) and d.is_open)
  )::integer as open`,
)

interface ChangedDependencies {
  /** To write with the rest of the task. */
  readonly columns: { readonly depends_on: readonly string[]; readonly open_dependencies: number }
  /** Why the dependencies are rejected; null when they are valid. */
  readonly fault: string | null
}

/** Replaces the dependencies of a task, except in the task's own row. Runs within a transaction that is rolled back on a fault. */
export async function changeDependencies(
  session: Session,
  workspaceId: string,
  taskId: string,
  dependsOn: readonly string[],
): Promise<ChangedDependencies> {
  await session.run(takeTurn, [workspaceId])
  const others = dependsOn.filter((id) => id !== taskId)
  const { known, open } = await lockDependencies(session, workspaceId, others)
  const [row] = await session.run(lockTask, [taskId, dependsOn, workspaceId])
  const columns = { depends_on: dependsOn, open_dependencies: open.length }
  if (known < dependsOn.length) return { columns, fault: 'dependsOn must name other tasks of the workspace' }
  if (row?.leadsBack === true) return { columns, fault: 'dependsOn must not lead back to the task' }
  const [written] = await session.run(writeDependencies, [taskId, dependsOn, open, workspaceId])
  return { columns: { ...columns, open_dependencies: written?.open ?? 0 }, fault: null }
}
