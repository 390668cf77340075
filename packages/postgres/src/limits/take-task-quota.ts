import type { Instant } from '@taskboard/core'
import type { TakenTask } from '@taskboard/core/storage'
import type { Database } from '../database.js'
import { statement } from '../statement.js'
import { toRounds, type KeyRequests } from './rounds.js'

export interface TaskQuotaRequest {
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
  asked as materialized (
    select * from json_to_recordset($2::json) as i (account_id text, most integer, wanted integer)
  ),
  changed as (
    insert into taskboard.task_quota as r (account_id, month, used, most, taken)
    select a.account_id, p.month, least(a.wanted, a.most), a.most, least(a.wanted, a.most)
    from asked a, p order by a.account_id collate "C"
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
export async function takeTaskQuotas(
  database: Database,
  requests: readonly TaskQuotaRequest[],
  now: Instant | null,
): Promise<readonly TakenTask[]> {
  const results: TakenTask[] = []
  for (const accounts of toRounds(requests, ({ accountId }) => accountId, isAlike)) {
    const asked = Array.from(accounts.values(), ({ request, places }) => ({
      account_id: request.accountId,
      most: request.limit,
      wanted: places.length,
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
