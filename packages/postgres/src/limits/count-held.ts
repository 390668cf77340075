import { TaskboardError } from '@taskboard/core'
import type { At, HeldResource, QuotaStore } from '@taskboard/core/storage'
import type { Database } from '../database.js'
import type { PgConnection } from '../pool.js'
import { statement } from '../statement.js'

/** A lock that does not block rows that only reference the account. */
const lockAccount = statement<{ readonly id: string }>(
  'lock_account',
  /* sql */ `select id from taskboard.account where id = $1::text for no key update`,
)

const ofWorkspaces = (table: string): string => /* sql */ `
  select count(*)::float8 as count from taskboard.${table} held
  join taskboard.workspace w on w.id = held.workspace_id
  where w.account_id = $1::text`

/** Counts of account `$1`. Whether keys are valid is judged at `$2`, null for the database's present. */
export const heldCounts: Readonly<Record<HeldResource, string>> = {
  agents: ofWorkspaces('agent'),
  webhooks: ofWorkspaces('webhook'),
  apiKeys: /* sql */ `
  select count(*)::float8 as count from taskboard.api_key k,
    (select coalesce($2::bigint, taskboard.now_ms()) as now) p
  where k.account_id = $1::text and k.revoked_at is null and (k.expires_at is null or k.expires_at > p.now)`,
}

const countOf = {
  agents: statement<{ readonly count: number }>('count_agents', heldCounts.agents),
  webhooks: statement<{ readonly count: number }>('count_webhooks', heldCounts.webhooks),
  apiKeys: statement<{ readonly count: number }>('count_api_keys', heldCounts.apiKeys),
}

/** `QuotaStore.countHeld`. A separate statement counts, so that it sees commits that the lock waited for. */
export async function countHeld(
  database: Database,
  { accountId, resource }: Parameters<QuotaStore['countHeld']>[0],
  at: At<PgConnection>,
): Promise<number> {
  if (at.tx === undefined) throw new TaskboardError('INTERNAL_ERROR', 'counting needs a transaction')
  await database.read(at, lockAccount, [accountId])
  const values = resource === 'apiKeys' ? [accountId, at.now] : [accountId]
  const [row] = await database.read(at, countOf[resource], values)
  return row?.count ?? 0
}
