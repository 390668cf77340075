import { approvalAt, type ApprovalPage, type ApprovalQuery, type CallContext } from '@taskboard/core/storage'
import { approvalStatuses, type ApprovalStatus } from '@taskboard/core'
import { reachValues } from '../database/reach.js'
import type { Database } from '../database/database.js'
import type { PgConnection } from '../connection/pool.js'
import { statement } from '../connection/statement.js'
import { approvalColumns, type ApprovalRow, toApproval } from './approval-row.js'

interface FoundRow extends ApprovalRow {
  readonly now: number
}

/** Present $1, account or null $2, workspaces or null $3, status or null $4, last id or null $5, limit $6. */
const PRESENT = `p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now)`

/** Approval `a` comes behind the page before, and has the status. `b` is above every `apr_…` in each language. */
const MATCHES = /* sql */ `a.id < coalesce($5::text, 'b')
      and (a.state <> 'pending' or $4::text is null or (a.expires_at <= p.now) = ($4::text = 'expired'))`

const selected = (source: string): string => /* sql */ `
  select p.now::float8 as now, ${approvalColumns('a')} from p, ${source} as a
  order by a.id desc limit $6::integer`

/** The condition that the workspace of approval `a` is within reach. */
const IS_REACHED = /* sql */ `exists (
        select from taskboard.workspace w
        where w.id = a.workspace_id and ($2::text is null or w.account_id = $2::text)
          and ($3::text[] is null or w.id = any ($3::text[]))
      )`

/** More parameters: states, approval or null, task or null. One of the last two is given. */
const listOfTask = statement<FoundRow>(
  'list_approvals_of_task',
  /* sql */ `
  with ${PRESENT}
  ${selected(/* sql */ `lateral (
      select * from taskboard.approval a
      where a.id = $8::text and ($9::text is null or a.task_id = $9::text)
        and a.state = any ($7::text[]) and ${MATCHES} and ${IS_REACHED}
      union all
      (select * from taskboard.approval a
      where $8::text is null and a.task_id = $9::text
        and a.state = any ($7::text[]) and ${MATCHES} and ${IS_REACHED}
      order by a.id desc limit $6::integer)
    )`)}`,
)

/** One more parameter: states. */
const listOfWorkspaces = statement<FoundRow>(
  'list_approvals',
  /* sql */ `
  with ${PRESENT},
  reached as materialized (
    select w.id from taskboard.workspace w where $3::text[] is null and w.account_id = $2::text
    union all
    select w.id from unnest($3::text[]) as named (id) cross join lateral (
      select w.id from taskboard.workspace w
      where w.id = named.id and ($2::text is null or w.account_id = $2::text) limit 1
    ) as w
  )
  ${selected(/* sql */ `lateral (
      select q.* from reached w cross join unnest($7::text[]) as s (state) cross join lateral (
        select * from taskboard.approval a
        where a.workspace_id = w.id and a.state = s.state and ${MATCHES}
        order by a.id desc limit $6::integer
      ) as q
    )`)}`,
)

const LONGEST_PAGE = 1_000

/** The stored states of a status: one that has expired may still be stored as pending. */
function statesOf(status: ApprovalStatus | null): readonly ApprovalStatus[] {
  if (status === null) return approvalStatuses
  return status === 'expired' ? ['pending', 'expired'] : [status]
}

/** `ApprovalStore.listApprovals`. A page has at most 1,000 approvals; the rest is in the next one. */
export async function listApprovals(
  database: Database,
  { within, approvalId, taskId, status, limit: requested, afterId }: ApprovalQuery,
  call: CallContext<PgConnection>,
): Promise<ApprovalPage> {
  const limit = Math.min(requested, LONGEST_PAGE)
  const [account, workspaces] = typeof within === 'string' ? [null, [within]] : reachValues(within)
  // One more than the page, to detect a next page.
  const page = [account, workspaces, status, afterId, limit + 1, statesOf(status)]
  const rows =
    approvalId === null && taskId === null
      ? await database.readLatest(call, listOfWorkspaces, (now) => [now, ...page])
      : await database.read(call, listOfTask, [call.now, ...page, approvalId, taskId])
  const approvals = rows.slice(0, limit).map((row) => approvalAt(toApproval(row), row.now))
  return { approvals, nextAfterId: rows.length > limit ? (approvals.at(-1)?.id ?? null) : null }
}
