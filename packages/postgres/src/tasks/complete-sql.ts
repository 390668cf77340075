import { taskColumns } from './task-row.js'

/**
 * The part of a statement that completes claimed tasks: reads `p` (now) and `completion` (ord, workspace_id, task_id,
 * fencing_token, result), and leaves `completed` behind, the events to log, and `outcome`: for each completion whether the
 * task exists, whether it was done, and the task. Only tasks `t` that `condition` is true of are done.
 *
 * Tasks are locked in the order of their ids.
 */
function completeWhere(condition: string, afterWaiting: string): string {
  return /* sql */ `
  found as materialized (
    select c.ord, c.result as new_result, t.*,
      t.fencing_token = c.fencing_token and t.lease_expires_at > p.now and ${condition} as is_held
    from completion c join taskboard.task t on t.id = c.task_id and t.workspace_id = c.workspace_id, p
    order by t.id for update of t
  ),
  ${afterWaiting}
  ended as (
    insert into taskboard.attempt (task_id, fencing_token, agent_id, started_at, ended_at, outcome)
    select f.id, f.fencing_token, f.lease_agent_id, coalesce(f.started_at, p.now), p.now, 'completed'
    from found f, p where f.is_held
  ),
  completed as (
    select d.workspace_id, f.ord, 'task.completed' as type, d.completed_at as at, jsonb_build_object(
      'taskId', d.id, 'title', d.title, 'status', 'DONE', 'startedAt', coalesce(d.started_at, d.completed_at),
      'completedAt', d.completed_at, 'result', d.result) as facts
    from done d join found f on f.id = d.id
  ),
  outcome as (
    select f.id is not null as "exists", coalesce(f.is_held, false) as "isHeld", c.ord, ${taskColumns('d')}
    from completion c left join found f on f.ord = c.ord left join done d on d.id = f.id and f.is_held
  )`
}

const done = (from: string, also: string): string => /* sql */ `
  done as (
    update taskboard.task t
    set column_name = 'DONE', lease_agent_id = null, lease_expires_at = null, completed_at = p.now, progress = 100,
      result = f.new_result, updated_at = p.now, version = t.version + 1
    from ${from}
    where t.id = f.id and f.is_held ${also}
    returning t.*
  ),`

/** Tasks that wait for completed ones are locked too, in the order of their ids; the database tells them. */
export const COMPLETE_CLAIMED = completeWhere(
  'true',
  /* sql */ `
  waiting as materialized (
    select d.id from taskboard.task d
    where d.id in (
      select w.task_id from found f join taskboard.task_dependency w on w.depends_on = f.id
      where f.is_held and f.dependents > 0
    )
    order by d.id for update
  ),${done('p, found f', 'and (select count(*) from waiting) >= 0')}`,
)

/**
 * For statements that claim as well: reads `stale` too. Nothing is done while the claim may not go on, or when `condition` says
 * that there is nobody to claim; nor for tasks that others wait for, as what becomes free by them would not be seen by the claim.
 */
export const completeBeforeClaim = (condition: string): string =>
  completeWhere(
    `t.dependents = 0 and not (select is_stale from stale) and ${condition}`,
    done('p, found f', ''),
  )

/** The completions of a JSON list, the parameter of that number. */
export function completionsOf(parameter: number): string {
  return /* sql */ `
  completion as materialized (
    select * from jsonb_to_recordset($${parameter}::jsonb) as c (
      ord integer, workspace_id text, task_id text, fencing_token bigint, result text
    )
  )`
}
