import { type Instant, TaskboardError } from '@taskboard/core'
import {
  type AccountUsage,
  type CallContext,
  eachHeld,
  type HeldResource,
  heldResources,
  type QuotaStore,
  type TakenTask,
  wireName,
} from '@taskboard/core/storage'
import type { Database } from '../database/database.js'
import type { PgConnection } from '../connection/pool.js'
import { statement } from '../connection/statement.js'
import { type KeyRequests, batchesByKey } from './batches-by-key.js'

/** A lock that doesn't block rows that only reference the account. */
const lockAccount = statement<{ readonly id: string }>(
  'lock_account',
  /* sql */ `select id from taskboard.account where id = $1::text for no key update`,
)

const ofWorkspaces = (table: string): string => /* sql */ `
  select count(*)::float8 as count from taskboard.${table} held
  join taskboard.workspace w on w.id = held.workspace_id
  where w.account_id = $1::text`

/** Counts of account `$1`. Whether keys are valid is judged at `$2`, null for the database's present. */
const heldCounts: Readonly<Record<HeldResource, string>> = {
  agents: ofWorkspaces('agent'),
  webhooks: ofWorkspaces('webhook'),
  notificationChannels: ofWorkspaces('notification_channel'),
  schedules: ofWorkspaces('schedule'),
  apiKeys: /* sql */ `
  select count(*)::float8 as count from taskboard.api_key k,
    (select coalesce($2::bigint, taskboard.now_ms()) as now) p
  where k.account_id = $1::text and k.revoked_at is null and (k.expires_at is null or k.expires_at > p.now)`,
}

const countOf = eachHeld((resource) =>
  statement<{ readonly count: number }>(`count_${wireName(resource)}`, heldCounts[resource]),
)

/** `QuotaStore.countHeld`. A separate statement counts, so that it sees commits that the lock waited for. */
async function countHeld(
  database: Database,
  { accountId, resource }: Parameters<QuotaStore['countHeld']>[0],
  call: CallContext<PgConnection>,
): Promise<number> {
  if (call.tx === undefined) throw new TaskboardError('INTERNAL_ERROR', 'counting needs a transaction')
  await database.read(call, lockAccount, [accountId])
  const values = resource === 'apiKeys' ? [accountId, call.now] : [accountId]
  const [row] = await database.read(call, countOf[resource], values)
  return row?.count ?? 0
}

const giveBack = statement<never>(
  'give_back_task',
  /* sql */ `
  update taskboard.task_quota set used = used - 1
  where account_id = $1::text and month = $2::bigint and used > 0`,
)

/** `QuotaStore.giveBackTask`. */
async function giveBackTask(
  database: Database,
  { accountId, month }: Parameters<QuotaStore['giveBackTask']>[0],
): Promise<void> {
  await database.read(null, giveBack, [accountId, month])
}

const readUsageOf = statement<AccountUsage>(
  'read_usage',
  /* sql */ `
  with p as materialized (
    select (extract(epoch from date_trunc('month', to_timestamp(n.now / 1000.0), 'UTC')) * 1000)::bigint as month
    from (select coalesce($2::bigint, taskboard.now_ms()) as now) n
  )
  select p.month::float8 as month,
    (case when q.month >= p.month then q.used else 0 end)::float8 as tasks,
    ${heldResources.map((resource) => `(${heldCounts[resource]}) as "${resource}"`).join(', ')}
  from p left join taskboard.task_quota q on q.account_id = $1::text`,
)

/** `QuotaStore.usage`. */
async function readUsage(
  database: Database,
  { accountId }: Parameters<QuotaStore['usage']>[0],
  call: CallContext<PgConnection>,
): Promise<AccountUsage> {
  const [row] = await database.read(call, readUsageOf, [accountId, call.now])
  return row as AccountUsage
}

interface TaskQuotaRequest {
  readonly accountId: string
  readonly limit: number
}

interface TakenRow {
  readonly accountId: string
  readonly taken: number
  readonly month: number
}

const monthOf = (instant: string): string =>
  /* sql */ `(extract(epoch from date_trunc('month', to_timestamp(${instant} / 1000.0), 'UTC')) * 1000)::bigint`

/** As in `take_tiers`: locks in order, decides by the current row, commits without waiting for the disk. */
const takeQuotas = statement<TakenRow>(
  'take_task_quotas',
  /* sql */ `
  with p as materialized (
    select ${monthOf('coalesce($1::bigint, taskboard.now_ms())')} as month,
      set_config('synchronous_commit', 'off', true)
  ),
  request as materialized (
    select * from json_to_recordset($2::json) as i (account_id text, most integer, requested integer)
  ),
  changed as (
    insert into taskboard.task_quota as r (account_id, month, used, most, taken)
    select a.account_id, p.month, least(a.requested, a.most), a.most, least(a.requested, a.most)
    from request a, p order by a.account_id collate "C"
    on conflict (account_id) do update set (month, used, most, taken) = (
      select present.month, before.used + fit.n, excluded.most, fit.n
      from (select ${monthOf('coalesce($1::bigint, taskboard.now_ms())')} as month) present,
        lateral (select case when present.month > r.month then 0 else r.used end as used) before,
        lateral (select least(excluded.taken, greatest(0, excluded.most - before.used)) as n) fit
    )
    returning account_id, month, taken
  )
  select account_id as "accountId", taken, month::float8 as month from changed`,
)

/** Decides a batch in its order. All requests share a present; null for the database's. */
async function takeTaskQuotas(
  database: Database,
  requests: readonly TaskQuotaRequest[],
  now: Instant | null,
): Promise<readonly TakenTask[]> {
  const results: TakenTask[] = []
  for (const accounts of batchesByKey(requests, ({ accountId }) => accountId, isAlike)) {
    const asked = Array.from(accounts.values(), ({ request, places }) => ({
      account_id: request.accountId,
      most: request.limit,
      requested: places.length,
    }))
    for (const { accountId, taken, month } of await database.read(null, takeQuotas, [
      now,
      JSON.stringify(asked),
    ])) {
      const { places } = accounts.get(accountId) as KeyRequests<TaskQuotaRequest>
      for (const [index, place] of places.entries()) results[place] = { taken: index < taken, month }
    }
  }
  return results
}

function isAlike(one: TaskQuotaRequest, other: TaskQuotaRequest): boolean {
  return one.limit === other.limit
}

interface Waiting {
  readonly request: TaskQuotaRequest
  readonly now: Instant | null
}

const MOST_AT_ONCE = 1_000

/** The next statement takes all tasks that are requested while others wait. */
export function createQuotaStore(database: Database): QuotaStore<PgConnection> {
  const take = database.join<Waiting, TakenTask>(
    (calls) =>
      takeTaskQuotas(
        database,
        calls.map(({ request }) => request),
        calls[0]?.now ?? null,
      ),
    { most: MOST_AT_ONCE, groupOf: ({ now }) => now },
  )
  return {
    takeTask: (request, { now }) => take({ request, now }),
    giveBackTask: (taken) => giveBackTask(database, taken),
    countHeld: (held, call) => countHeld(database, held, call),
    usage: (of, call) => readUsage(database, of, call),
  }
}
