import { TaskboardError } from '@taskboard/core'
import type { AccessStore, CallContext, DeletionProgress } from '@taskboard/core/storage'
import type { Database, Session } from '../database/database.js'
import type { PgConnection } from '../connection/pool.js'
import { statement, type Statement } from '../connection/statement.js'

interface Counted {
  readonly count: number
  /** How many of them were tasks under a lease. */
  readonly revoked?: number
}

/** Deletes rows of the accounts or workspaces `ids`, at most `limit`. */
type Step = (session: Session, ids: readonly string[], limit: number) => Promise<Counted>

const NOTHING: Counted = { count: 0 }

/** A statement whose parameters are the ids and the limit. */
function stepOf(deleteRows: Statement<Counted>): Step {
  return async (session, ids, limit) => (await session.run(deleteRows, [ids, limit]))[0] ?? NOTHING
}

/**
 * Tables whose rows belong to a task, by the column that names it. A batch deletes at most its limit of each, and the tasks of which
 * nothing is left.
 */
const partsOfTasks = [
  ['task_log', 'task_id'],
  ['task_output', 'task_id'],
  ['earlier_attempt', 'task_id'],
  ['task_dependency', 'task_id'],
  ['task_dependency', 'depends_on'],
  ['freeing', 'task_id'],
  ['todo', 'task_id'],
  ['task_comment', 'task_id'],
  ['task_usage', 'task_id'],
  ['approval', 'task_id'],
  ['link', 'task_id'],
] as const

/** Tables whose rows belong to a workspace, in an order that their references allow. */
const partsOfWorkspaces = [
  'webhook',
  'event_batch',
  'analytics_day',
  'analytics_mark',
  'notification_target',
  'notification_channel',
  'schedule',
  'usage_day',
  'usage_month',
  'monthly_budget',
  'bot_conversation',
  'bot_message',
  'agent',
  'rerouting',
] as const

/**
 * Deletes the rows `r` of a table that `condition` selects. Where a row is doesn't identify it in a table with partitions, whose rows
 * `also` distinguishes.
 */
function step(table: string, condition: string, join = '', also = 'true'): Step {
  return stepOf(
    statement<Counted>(
      `delete_all_${table}`,
      /* sql */ `
  with deleted as (
    delete from taskboard.${table} where ctid = any (array(
      select r.ctid from taskboard.${table} r ${join} where ${condition} limit $2::integer
    )) and ${also}
    returning 1
  )
  select count(*)::float8 as count from deleted`,
    ),
  )
}

const OF_WORKSPACES = 'workspace_id = any ($1::text[])'

/** Tasks that another transaction has locked are left to a later batch. */
const lockTasks = statement<{ readonly id: string }>(
  'lock_leaving_tasks',
  /* sql */ `
  select t.id from taskboard.task t where t.workspace_id = any ($1::text[]) limit $2::integer for update skip locked`,
)

/** Tasks, limit. A separate statement, which sees all that was written until they were locked. */
const deleteLocked = statement<Counted>(
  'delete_all_task',
  /* sql */ `
  with ${partsOfTasks
    .map(
      ([table, column], place) => /* sql */ `part_${place} as (
    delete from taskboard.${table} where ctid = any (array(
      select r.ctid from taskboard.${table} r where r.${column} = any ($1::text[]) limit $2::integer
    ))
    returning 1
  )`,
    )
    .join(',\n  ')},
  deleted_part as (
    ${partsOfTasks.map((_, place) => `select count(*) as count from part_${place}`).join(' union all ')}
  ),
  deleted as (
    delete from taskboard.task
    where id = any ($1::text[]) and (select max(count) < $2::integer from deleted_part)
    returning lease_agent_id
  )
  select ((select sum(count) from deleted_part) + (select count(*) from deleted))::float8 as count,
    (select count(lease_agent_id) from deleted)::float8 as revoked`,
)

const deleteTasks: Step = async (session, workspaceIds, limit) => {
  const leaving = await session.run(lockTasks, [workspaceIds, limit])
  if (leaving.length === 0) return NOTHING
  const [row] = await session.run(deleteLocked, [leaving.map(({ id }) => id), limit])
  return row ?? NOTHING
}

/** Keys or users, with the limits of their requests. */
function callers(table: 'api_key' | 'account_user', condition: string): Step {
  return stepOf(
    statement<Counted>(
      `delete_all_${table}`,
      /* sql */ `
  with leaving as materialized (select r.id from taskboard.${table} r where ${condition} limit $2::integer),
  deleted_limit as (
    delete from taskboard.rolling_limit where key = any (array(select 'board:' || id from leaving))
  ),
  deleted as (delete from taskboard.${table} where id = any (array(select id from leaving)) returning 1)
  select count(*)::float8 as count from deleted`,
    ),
  )
}

/** First, so that addresses of users are soon free again. */
const stepsOfAccount: readonly Step[] = [
  step('session', 'u.account_id = any ($1::text[])', 'join taskboard.account_user u on u.id = r.user_id'),
  step('invitation', 'r.account_id = any ($1::text[])'),
  step('link', 'r.account_id = any ($1::text[])'),
  step('bot_link', 'r.account_id = any ($1::text[])'),
  step('bot_link_code', 'r.account_id = any ($1::text[])'),
  callers('account_user', 'r.account_id = any ($1::text[])'),
  callers('api_key', 'r.account_id = any ($1::text[])'),
]

const stepsOfWorkspaces: readonly Step[] = [
  deleteTasks,
  ...(['due_delivery', 'ended_delivery'] as const).map((table) =>
    step(table, `w.${OF_WORKSPACES}`, 'join taskboard.webhook w on w.id = r.webhook_id', OF_WORKSPACES),
  ),
  ...partsOfWorkspaces.map((table) => step(table, `r.${OF_WORKSPACES}`, '', OF_WORKSPACES)),
  callers('api_key', 'r.workspace_id = any ($1::text[])'),
  step('idempotency', 'taskboard.workspace_of_scope(r.scope) = any ($1::text[])'),
]

const endDeletion = step('deletion', 'r.id = any ($1::text[])')

const deleteAudit = step('audit', 'r.account_id = any ($1::text[])')

/** Last, as requests that were in progress write them. */
const lastStepsOfAccount = (keepAudit: boolean): readonly Step[] => [
  ...(keepAudit ? [] : [deleteAudit]),
  step('realtime_slot', 'r.account_id = any ($1::text[])'),
  step('task_quota', 'r.account_id = any ($1::text[])'),
  step('tier_limit', `r.key = any (array(select 'account:' || unnest($1::text[])))`),
  step('every_account', 'r.id = any ($1::text[])'),
  endDeletion,
]

const lastStepsOfWorkspaces: readonly Step[] = [
  step('workspace_log', 'r.workspace_id = any ($1::text[])'),
  step('every_workspace', 'r.id = any ($1::text[])'),
]

/** Rows that are deleted lie close together, so the planner thinks that reading the table finds them soon. */
const useIndexes = statement<object>('use_indexes', `select set_config('enable_seqscan', 'off', true)`)

interface Deletion {
  readonly id: string
  readonly accountId: string
  /** Whether every transaction is over that might not have seen the mark; null before everything was looked through. */
  readonly isAlone: boolean | null
}

/** Id, or null for the first that doesn't wait for others. */
const nextDeletion = statement<Deletion>(
  'next_deletion',
  /* sql */ `
  select d.id, d.account_id as "accountId", d.horizon <= pg_snapshot_xmin(pg_current_snapshot()) as "isAlone"
  from taskboard.deletion d where $1::text is null or d.id = $1::text
  order by d.horizon > pg_snapshot_xmin(pg_current_snapshot()) nulls first, d.asked_at, d.id limit 1`,
)

const setHorizon = statement<object>(
  'set_deletion_horizon',
  `update taskboard.deletion set horizon = pg_snapshot_xmax(pg_current_snapshot()) where id = $1::text`,
)

/** Account. Workspaces that were being added when it was marked. */
const markLate = statement<object>(
  'mark_late_workspaces',
  /* sql */ `
  with late as (
    update taskboard.every_workspace w set deleting = true where w.account_id = $1::text and not w.deleting returning w.id
  )
  select taskboard.stop_workspaces(array_agg(id)) from late having count(*) > 0`,
)

/** Account, id of the deletion. */
const workspacesToDelete = statement<{ readonly id: string }>(
  'workspaces_to_delete',
  /* sql */ `
  select w.id from taskboard.every_workspace w
  where w.account_id = $1::text and w.deleting and $2::text in (w.account_id, w.id) order by w.id limit 50`,
)

const moveDefaults = statement<object>(
  'move_defaults',
  `select taskboard.move_defaults($1::text[], $2::text)`,
)

/** What one row a workspace or an account is bounded by. */
const MOST_LAST = 100_000

/** Runs steps until `limit` rows are deleted; returns how many were. */
async function run(
  { session, recordRevocation }: Batch,
  steps: readonly Step[],
  ids: readonly string[],
  limit: number,
): Promise<number> {
  let deleted = 0
  for (const each of steps) {
    if (deleted >= limit) break
    const { count, revoked = 0 } = await each(session, ids, limit - deleted)
    deleted += count
    if (revoked > 0) recordRevocation()
  }
  return deleted
}

type Request = Parameters<AccessStore['continueDeletion']>[0]

interface Batch {
  readonly session: Session
  readonly recordRevocation: () => void
}

async function continueWith(
  batch: Batch,
  deletion: Deletion,
  { limit, keepAudit }: Pick<Request, 'limit' | 'keepAudit'>,
): Promise<number> {
  const { session } = batch
  const { id, accountId, isAlone } = deletion
  const isAccount = id === accountId
  if (isAccount) await session.run(markLate, [accountId])
  const callersDeleted = isAccount ? await run(batch, stepsOfAccount, [accountId], limit) : 0
  const ids = (await session.run(workspacesToDelete, [accountId, id])).map((workspace) => workspace.id)
  const partsDeleted = await run(batch, stepsOfWorkspaces, ids, limit - callersDeleted)
  const deleted = callersDeleted + partsDeleted
  if (deleted > 0 || isAlone === false) return deleted
  if (isAlone === null) {
    await session.run(setHorizon, [id])
    return 0
  }
  if (ids.length > 0) {
    await session.run(moveDefaults, [ids, accountId])
    return run(batch, lastStepsOfWorkspaces, ids, MOST_LAST)
  }
  return run(batch, isAccount ? lastStepsOfAccount(keepAudit) : [endDeletion], [id], MOST_LAST)
}

/** `AccessStore.continueDeletion`. */
export async function continueDeletion(
  database: Database,
  { of, ...batchOf }: Request,
  { now }: CallContext<PgConnection>,
): Promise<DeletionProgress> {
  let revokes = false
  const progress = await database.atomically({ now }, async (session) => {
    const [deletion] = await session.run(nextDeletion, [of])
    if (deletion === undefined) return { deleted: 0, isOver: true }
    await session.run(useIndexes, [])
    const batch = { session, recordRevocation: () => void (revokes = true) }
    return { deleted: await continueWith(batch, deletion, batchOf), isOver: false }
  })
  if (revokes) database.recordRevocation(null)
  return progress
}

const markAccount = statement<{ readonly isKnown: boolean }>(
  'mark_account',
  `select taskboard.mark_account($2::text, coalesce($1::bigint, taskboard.now_ms())) as "isKnown"`,
)

const markWorkspace = statement<{ readonly mark: 'marked' | 'unknown' | 'last'; readonly accountId: string }>(
  'mark_workspace',
  `select taskboard.mark_workspace($2::text, coalesce($1::bigint, taskboard.now_ms())) as mark,
    (select w.account_id from taskboard.every_workspace w where w.id = $2::text) as "accountId"`,
)

/** `AccessStore.beginDeletion`. */
export async function beginDeletion(
  database: Database,
  target: Parameters<AccessStore['beginDeletion']>[0],
  call: CallContext<PgConnection>,
): ReturnType<AccessStore['beginDeletion']> {
  if ('accountId' in target) {
    const [row] = await database.write(call, markAccount, [call.now, target.accountId])
    if (row?.isKnown !== true) throw new TaskboardError('NOT_FOUND', 'no such account')
    return { accountId: target.accountId }
  }
  const [row] = await database.write(call, markWorkspace, [call.now, target.workspaceId])
  if (row?.mark === 'last') {
    throw new TaskboardError(
      'CONFLICT',
      'an account must keep at least one workspace; delete the account instead',
    )
  }
  if (row?.mark !== 'marked') throw new TaskboardError('NOT_FOUND', 'no such workspace')
  return { accountId: row.accountId }
}
