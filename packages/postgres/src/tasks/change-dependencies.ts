import type { Session } from '../database.js'
import { statement } from '../statement.js'
import { lockDependencies } from './lock-dependencies.js'

/**
 * Serializes the edits of dependencies in a workspace until the transaction ends: two concurrent ones could close a cycle that
 * neither sees.
 */
const takeTurn = statement<never>(
  'take_dependency_turn',
  `select pg_advisory_xact_lock(hashtextextended('taskboard.dependencies ' || $1::text, 0))`,
)

/** Task, dependencies. Returns whether the dependencies lead back to the task. Locks the task. */
const lockTask = statement<{ readonly leadsBack: boolean }>(
  'lock_dependent',
  /* sql */ `
  with recursive above (id) as (
    select unnest($2::text[])
    union
    select d.depends_on from above a join taskboard.task_dependency d on d.task_id = a.id where a.id <> $1::text
  ),
  task as materialized (select t.id from taskboard.task t where t.id = $1::text for update)
  select exists (select from above where id = $1::text) and (select count(*) from task) >= 0 as "leadsBack"`,
)

/**
 * Task, dependencies, the open ones among them. Returns how many count as open. Existing dependencies keep their count: a
 * statement that completes or reopens one updates it once the task's lock is free.
 */
const writeDependencies = statement<{ readonly open: number }>(
  'write_dependencies',
  /* sql */ `
  with gone as (
    delete from taskboard.task_dependency d where d.task_id = $1::text and d.depends_on <> all ($2::text[])
  ),
  added as (
    insert into taskboard.task_dependency (depends_on, task_id, is_open)
    select n.id, t.id, n.id = any ($3::text[]) from unnest($2::text[]) as n (id) join taskboard.task t on t.id = $1::text
    on conflict do nothing
    returning is_open
  )
  select (
    (select count(*) from added where is_open) + (select count(*) from taskboard.task_dependency d
      where d.task_id = $1::text and d.depends_on = any ($2::text[]) and d.is_open)
  )::integer as open`,
)

export interface ChangedDependencies {
  /** To write with the rest of the task. */
  readonly columns: { readonly depends_on: readonly string[]; readonly open_dependencies: number }
  /** Why the dependencies are refused; null when they are valid. */
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
  const [row] = await session.run(lockTask, [taskId, dependsOn])
  const columns = { depends_on: dependsOn, open_dependencies: open.length }
  if (known < dependsOn.length) return { columns, fault: 'dependsOn must name other tasks of the workspace' }
  if (row?.leadsBack === true) return { columns, fault: 'dependsOn must not lead back to the task' }
  const [written] = await session.run(writeDependencies, [taskId, dependsOn, open])
  return { columns: { ...columns, open_dependencies: written?.open ?? 0 }, fault: null }
}
