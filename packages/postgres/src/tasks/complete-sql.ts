import { taskColumns } from './task-row.js'

/**
 * The part of a statement that completes claimed tasks: reads `p` (now) and `completion` (ord, workspace_id, task_id,
 * fencing_token, result), and leaves `completed` behind, the events to log, and `outcome`: for each completion whether the
 * task exists, whether its lease was held, how many tasks wait for it, and the task.
 *
 * Tasks are locked in the order of their ids, and those that wait for them next; the database tells them.
 */
export const COMPLETE_CLAIMED = /* sql */ `
  found as materialized (
    select c.ord, c.result as new_result, t.*, t.fencing_token = c.fencing_token and t.lease_expires_at > p.now as is_held
    from completion c join taskboard.task t on t.id = c.task_id and t.workspace_id = c.workspace_id, p
    order by t.id for update of t
  ),
  waiting as materialized (
    select d.id from taskboard.task d
    where d.id in (
      select w.task_id from found f join taskboard.task_dependency w on w.depends_on = f.id
      where f.is_held and f.dependents > 0
    )
    order by d.id for update
  ),
  done as (
    update taskboard.task t
    set column_name = 'DONE', lease_agent_id = null, lease_expires_at = null, completed_at = p.now, progress = 100,
      result = f.new_result, updated_at = p.now, version = t.version + 1
    from p, found f
    where t.id = f.id and f.is_held and (select count(*) from waiting) >= 0
    returning t.*
  ),
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
    select c.ord, f.id is not null as "exists", coalesce(f.is_held, false) as "isHeld", f.dependents,
      ${taskColumns('d')}
    from completion c left join found f on f.ord = c.ord left join done d on d.id = f.id and f.is_held
  )`

/** The completions of a JSON list. */
export const COMPLETIONS = /* sql */ `
  completion as materialized (
    select * from jsonb_to_recordset($2::jsonb) as c (
      ord integer, workspace_id text, task_id text, fencing_token bigint, result text
    )
  )`
