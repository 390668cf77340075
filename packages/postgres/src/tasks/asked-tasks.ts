import type { Reach } from '@taskboard/core/storage'

/** A look for a task by its id. */
export interface AskedTask {
  readonly reach: Reach
  readonly taskId: string
}

/**
 * The source of a statement about several tasks, each asked for by somebody: `asked` (ord, from 1 on) and the task `t`, where
 * it is within the reach of whoever asks. Parameters 1 to 3 are `askedValues`. The limits say that each is looked up by its id.
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

/** The values of `FROM_ASKED`. Lists of different lengths make no array, so those of workspaces go as JSON. */
export function askedValues(asked: readonly AskedTask[]): readonly unknown[] {
  const ids = asked.map(({ taskId }) => taskId)
  const accounts = asked.map(({ reach }) => reach.accountId)
  const workspaces = asked.map(({ reach: { workspaceIds } }) =>
    workspaceIds === 'all' ? null : JSON.stringify(workspaceIds),
  )
  return [ids, accounts, workspaces]
}
