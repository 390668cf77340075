import { dependentsToLock } from './dependents-sql.js'
import { taskColumns } from './task-row.js'

/**
 * The part of a statement that completes claimed tasks: reads `p` (now) and `completion` (ord, workspace_id, task_id,
 * fencing_token, result), and leaves behind `found` (the tasks, and whether their leases hold), `done` (the tasks that were
 * completed, with the `ord` of the completion) and `completed`, the events to log. Only tasks `t` that `condition` is true of
 * are done; `before` is more to do first, and `also` more to ask of it.
 *
 * The lists of ids say to the planner that few rows are meant; a lease's end is compared in a way that keeps it from
 * going through all leases instead.
 */
function completeWhere(condition: string, before: string, also: string): string {
  return /* sql */ `
  found as materialized (
    select c.ord, t.id, t.fencing_token, t.lease_agent_id, t.started_at, t.has_dependents, c.result as new_result,
      t.fencing_token = c.fencing_token and coalesce(t.lease_expires_at, 0) > p.now and ${condition} as is_held
    from completion c join taskboard.task t on t.id = c.task_id and t.workspace_id = c.workspace_id, p
    where t.id = any (array(select task_id from completion))
    order by t.id ${also === '' ? '' : 'for update of t'}
  ),${before}
  done as (
    update taskboard.task t
    set column_name = 'DONE', lease_agent_id = null, lease_expires_at = null, completed_at = p.now, progress = 100,
      result = f.new_result, updated_at = p.now, version = t.version + 1
    from p, found f
    where t.id = any (array(select id from found)) and t.id = f.id and f.is_held
      and t.fencing_token = f.fencing_token and coalesce(t.lease_expires_at, 0) > p.now and ${condition} ${also}
    returning t.*, f.ord, f.lease_agent_id as done_by
  ),
  ended as (
    insert into taskboard.attempt (task_id, fencing_token, agent_id, started_at, ended_at, outcome)
    select d.id, d.fencing_token, d.done_by, coalesce(d.started_at, d.completed_at), d.completed_at, 'completed'
    from done d
  ),
  completed as (
    select d.workspace_id, d.ord, 'task.completed' as type, d.completed_at as at, jsonb_build_object(
      'taskId', d.id, 'title', d.title, 'status', 'DONE', 'startedAt', coalesce(d.started_at, d.completed_at),
      'completedAt', d.completed_at, 'result', d.result, 'type', d.type) as facts
    from done d
  )`
}

/**
 * Tasks are locked in the order of their ids, then those that wait for completed ones and that the database frees in the same commit, too.
 * `outcome` says of each completion whether the task exists, whether it was done, and gives the task.
 */
export const COMPLETE_CLAIMED = /* sql */ `${completeWhere(
  'true',
  /* sql */ `
  waiting as materialized (
    select d.id from taskboard.task d
    where d.id in (
      select w.task_id from found f cross join lateral (${dependentsToLock('f.id', 'true')}) w
      where f.is_held and f.has_dependents
    )
    order by d.id for update
  ),`,
  'and (select count(*) from waiting) >= 0',
)},
  outcome as (
    select f.id is not null as "exists", d.id is not null as "isHeld", c.ord, ${taskColumns('d')}
    from completion c left join found f on f.ord = c.ord left join done d on d.ord = c.ord
  )`

/**
 * For statements that claim as well: reads `stale` too. Nothing is done while the claim may not go on, or when `condition` says
 * that there is nobody to claim; nor for tasks that others wait for, as what becomes free by them would not be seen by the claim.
 * Tasks are not locked first: two completions of one task end in one of them, and collide at worst.
 */
export const completeBeforeClaim = (condition: string): string =>
  completeWhere(`not t.has_dependents and ${condition}`, '', '')

/** The completions of a JSON list, the parameter of that number. */
export function completionsOf(parameter: number): string {
  return /* sql */ `
  completion as materialized (
    select * from jsonb_to_recordset($${parameter}::jsonb) as c (
      ord integer, workspace_id text, task_id text, fencing_token bigint, result text
    )
  )`
}
