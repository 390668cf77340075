import type { Session } from '../database.js'
import { statement } from '../statement.js'

/**
 * Lets the edits of one workspace's dependencies go one after the other: two at once could close a circle that neither sees.
 * Until the transaction's end.
 */
const takeTurn = statement<never>(
  'take_dependency_turn',
  `select pg_advisory_xact_lock(hashtextextended('taskboard.dependencies ' || $1::text, 0))`,
)

/**
 * Workspace, task, dependencies: what is wrong with them, how many are open. What was and will be depended on is locked before
 * the task, as completions lock what others wait for before those that wait; so none is done or undone between here and the
 * commit.
 */
const lockDependencies = statement<{
  readonly known: number
  readonly open: number
  readonly leadsBack: boolean
}>(
  'lock_new_dependencies',
  /* sql */ `
  with recursive above (id) as (
    select unnest($3::text[])
    union
    select d.depends_on from above a join taskboard.task_dependency d on d.task_id = a.id where a.id <> $2::text
  ),
  dependency as materialized (
    select t.id, t.column_name from taskboard.task t
    where t.id = any ($3::text[] || array(
        select d.depends_on from taskboard.task_dependency d where d.task_id = $2::text
      ))
      and t.id <> $2::text and t.workspace_id = $1::text
    order by t.id for update
  ),
  task as materialized (
    select t.id from taskboard.task t
    where t.id = $2::text and t.workspace_id = $1::text and (select count(*) from dependency) >= 0
    for update
  )
  select count(*)::integer as known, count(*) filter (where column_name <> 'DONE')::integer as open,
    exists (select from above where id = $2::text) as "leadsBack"
  from dependency where id = any ($3::text[]) and (select count(*) from task) >= 0`,
)

/** Task, dependencies. */
const writeDependencies = statement<never>(
  'write_dependencies',
  /* sql */ `
  with gone as (
    delete from taskboard.task_dependency d where d.task_id = $1::text and d.depends_on <> all ($2::text[])
    returning depends_on
  ),
  added as (
    insert into taskboard.task_dependency (depends_on, task_id)
    select n.id, t.id from unnest($2::text[]) as n (id) join taskboard.task t on t.id = $1::text
    where exists (select from taskboard.task o where o.id = n.id and o.workspace_id = t.workspace_id)
    on conflict do nothing
    returning depends_on
  ),
  change as (select depends_on, -1 as by from gone union all select depends_on, 1 from added)
  update taskboard.task t set dependents = t.dependents + c.by from change c where t.id = c.depends_on`,
)

export interface ChangedDependencies {
  /** To be written with the rest of the task. */
  readonly columns: { readonly depends_on: readonly string[]; readonly open_dependencies: number }
  /** Why they cannot be; null when they can. */
  readonly fault: string | null
}

/** Replaces what a task waits for, but for the task's own row. Within a transaction that is rolled back on a fault. */
export async function changeDependencies(
  session: Session,
  workspaceId: string,
  taskId: string,
  dependsOn: readonly string[],
): Promise<ChangedDependencies> {
  await session.run(takeTurn, [workspaceId])
  const [row] = await session.run(lockDependencies, [workspaceId, taskId, dependsOn])
  const { known = 0, open = 0, leadsBack = false } = row ?? {}
  const columns = { depends_on: dependsOn, open_dependencies: open }
  if (known < dependsOn.length) return { columns, fault: 'dependsOn must name other tasks of the workspace' }
  if (leadsBack) return { columns, fault: 'dependsOn must not lead back to the task' }
  await session.run(writeDependencies, [taskId, dependsOn])
  return { columns, fault: null }
}
