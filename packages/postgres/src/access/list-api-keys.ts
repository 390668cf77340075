import type { ApiKeyRecord, At } from '@taskboard/core'
import type { Database } from '../database.js'
import type { PgConnection } from '../pool.js'
import { statement } from '../statement.js'
import { apiKeyColumns } from './access-row.js'

const keysOfAccount = statement<ApiKeyRecord>(
  'list_api_keys',
  /* sql */ `
  select ${apiKeyColumns('k')} from taskboard.api_key k where k.account_id = $1::text
  order by k.created_at desc, k.id desc`,
)

/** `AccessStore.listApiKeys`. */
export function listApiKeys(
  database: Database,
  accountId: string,
  at: At<PgConnection>,
): Promise<readonly ApiKeyRecord[]> {
  return database.read(at, keysOfAccount, [accountId])
}
