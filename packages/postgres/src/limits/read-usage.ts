import type { AccountUsage, At, QuotaStore } from '@taskboard/core/storage'
import type { Database } from '../database.js'
import type { PgConnection } from '../pool.js'
import { statement } from '../statement.js'
import { heldCounts } from './count-held.js'

const readUsageOf = statement<AccountUsage>(
  'read_usage',
  /* sql */ `
  with p as materialized (
    select (extract(epoch from date_trunc('month', to_timestamp(n.now / 1000.0), 'UTC')) * 1000)::bigint as month
    from (select coalesce($2::bigint, taskboard.now_ms()) as now) n
  )
  select p.month::float8 as month,
    (case when q.month >= p.month then q.used else 0 end)::float8 as tasks,
    (${heldCounts.agents}) as agents, (${heldCounts.apiKeys}) as "apiKeys", (${heldCounts.webhooks}) as webhooks
  from p left join taskboard.task_quota q on q.account_id = $1::text`,
)

/** `QuotaStore.usage`. */
export async function readUsage(
  database: Database,
  { accountId }: Parameters<QuotaStore['usage']>[0],
  at: At<PgConnection>,
): Promise<AccountUsage> {
  const [row] = await database.read(at, readUsageOf, [accountId, at.now])
  return row as AccountUsage
}
