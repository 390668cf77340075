import type { Reach } from '@taskboard/core/storage'

/** A task to look up by its id. */
export interface AskedTask {
  readonly reach: Reach
  readonly taskId: string
}

/**
 * The source of a statement that reads tasks for several calls: `asked` (ord, from 1) and the task `t` if it is within the
 * caller's reach. Parameters 1 to 3 are `askedValues`. The limits make the planner look up each task by its id.
 */
export const FROM_ASKED = /* sql */ `
  from unnest($1::text[], $2::text[], $3::text[]) with ordinality as asked (id, account_id, workspace_ids, ord)
    cross join lateral (select * from taskboard.task t where t.id = asked.id limit 1) as t
    join lateral (
      select true from taskboard.workspace w
      where w.id = t.workspace_id and w.account_id = asked.account_id
        and (asked.workspace_ids is null or asked.workspace_ids::jsonb ? w.id)
      limit 1
    ) as reached on true`

/** The values of `FROM_ASKED`. The lists of workspaces differ in length, which an array does not allow, so they are sent as JSON. */
export function askedValues(asked: readonly AskedTask[]): readonly unknown[] {
  const ids = asked.map(({ taskId }) => taskId)
  const accounts = asked.map(({ reach }) => reach.accountId)
  const workspaces = asked.map(({ reach: { workspaceIds } }) =>
    workspaceIds === 'all' ? null : JSON.stringify(workspaceIds),
  )
  return [ids, accounts, workspaces]
}
