import { cte } from './claim-tables.js'
import type { ClaimedTask } from './claimed-tasks.js'
import type { ClaimProof } from '@taskboard/core/storage'
import { dependentsToLock } from '../dependents.js'
import { taskColumns } from '../task-row.js'

/** One task to complete. */
export interface CompletionInput {
  readonly proof: ClaimProof
  readonly result: string
  /** The task, if this process has claimed it. */
  readonly claimed?: ClaimedTask | undefined
}

/** The parameter of a statement that completes. */
export function completionValues(completions: readonly CompletionInput[]): string {
  return JSON.stringify(
    completions.map(({ proof, result, claimed }, ord) => ({
      ord,
      workspace_id: proof.workspaceId,
      task_id: proof.taskId,
      fencing_token: proof.fencingToken,
      result,
      expected_version: claimed === undefined ? 0 : claimed.version + 1,
    })),
  )
}

/**
 * The part of a statement that completes claimed tasks. Reads `p` (now) and `completion` (ord, workspace_id, task_id, fencing_token,
 * result). Leaves `found` (the tasks, and whether they may be completed) and `done` (the completed tasks, with the `ord` of the
 * completion). It also leaves `completed`, the events to log. Completes only tasks `t` for which `condition` is true. `before` is more to
 * do first, `also` one more condition.
 *
 * The lists of ids show the planner that few rows are meant. The comparison of a lease's end keeps it from scanning all leases.
 */
function completeWhere(condition: string, before: string, also: string): string {
  return /* sql */ `
  ${cte.found} as materialized (
    select c.ord, t.id, t.fencing_token, t.lease_agent_id, t.started_at, t.has_dependents, c.result as new_result, c.expected_version,
      t.fencing_token = c.fencing_token and coalesce(t.lease_expires_at, 0) > p.now and ${condition} as is_completable
    from ${cte.completion} c join taskboard.task t on t.id = c.task_id and t.workspace_id = c.workspace_id, p
    where t.id = any (array(select task_id from ${cte.completion}))
    order by t.id ${also === '' ? '' : 'for update of t'}
  ),${before}
  ${cte.done} as (
    update taskboard.task t
    set column_name = 'DONE', lease_agent_id = null, lease_expires_at = null, completed_at = p.now, progress = 100,
      result = f.new_result, done_by = f.lease_agent_id, updated_at = p.now, version = t.version + 1
    from ${cte.present}, ${cte.found} f
    where t.id = any (array(select id from ${cte.found})) and t.id = f.id and f.is_completable
      and t.fencing_token = f.fencing_token and coalesce(t.lease_expires_at, 0) > p.now and ${condition} ${also}
    returning t.*, f.ord, f.expected_version
  ),
  ${cte.completed} as (
    select d.workspace_id, d.ord, 'task.completed' as type, d.completed_at as at, jsonb_build_object(
      'taskId', d.id, 'title', d.title, 'status', 'DONE', 'startedAt', coalesce(d.started_at, d.completed_at),
      'completedAt', d.completed_at, 'result', d.result, 'type', d.type) as data
    from ${cte.done} d
  )`
}

/**
 * Locks the tasks in the order of their ids, then the dependents that the database frees in the same commit. `outcome` has for
 * each completion whether the task exists, whether it was completed, and the task.
 */
export const COMPLETE_CLAIMED = /* sql */ `${completeWhere(
  'true',
  /* sql */ `
  waiting as materialized (
    select d.id from taskboard.task d
    where d.id in (
      select w.task_id from ${cte.found} f cross join lateral (${dependentsToLock('f.id', 'true')}) w
      where f.is_completable and f.has_dependents
    )
    order by d.id for update
  ),`,
  'and (select count(*) from waiting) >= 0',
)},
  outcome as (
    select f.id is not null as "exists", d.id is not null as "isHeld", c.ord, ${taskColumns('d')}
    from ${cte.completion} c left join ${cte.found} f on f.ord = c.ord left join ${cte.done} d on d.ord = c.ord
  )`

/**
 * For statements that also claim. Completes nothing while placements are stale, or when `condition` shows that no agent can claim. It
 * completes no tasks with dependents, because the claim wouldn't see the tasks that become ready. Doesn't lock tasks first: two completions
 * of one task result in one of them, and collide at worst.
 */
export const completeBeforeClaim = (condition: string): string =>
  completeWhere(`not t.has_dependents and ${condition}`, '', '')

/** The completions in a JSON list, the parameter of that number. */
export function completionsOf(parameter: number): string {
  return /* sql */ `
  ${cte.completion} as materialized (
    select * from jsonb_to_recordset($${parameter}::jsonb) as c (
      ord integer, workspace_id text, task_id text, fencing_token bigint, result text, expected_version bigint
    )
  )`
}
