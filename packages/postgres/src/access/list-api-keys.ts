import type { ApiKeyRecord } from '@taskboard/core'
import type { ApiKeyQuery, At } from '@taskboard/core/storage'
import type { Database } from '../database.js'
import type { PgConnection } from '../pool.js'
import { statement } from '../statement.js'
import { apiKeyColumns } from './access-row.js'
import { keyWithinReach, reachValues } from './reach-sql.js'

/** The page after a key that does not exist is empty. */
const keysWithinReach = statement<ApiKeyRecord>(
  'list_api_keys',
  /* sql */ `
  select ${apiKeyColumns('k')} from taskboard.api_key k
  where ${keyWithinReach('k', '$1', '$2')}
    and ($3::text is null or (k.created_at, k.id) < (
      select l.created_at, l.id from taskboard.api_key l where l.id = $3::text and l.account_id = $1::text
    ))
  order by k.created_at desc, k.id desc limit $4::integer`,
)

const keyById = statement<ApiKeyRecord>(
  'get_api_key',
  /* sql */ `
  select ${apiKeyColumns('k')} from taskboard.api_key k
  where k.id = $3::text and ${keyWithinReach('k', '$1', '$2')}`,
)

/** `AccessStore.listApiKeys`. */
export function listApiKeys(
  database: Database,
  query: ApiKeyQuery,
  at: At<PgConnection>,
): Promise<readonly ApiKeyRecord[]> {
  const reach = reachValues(query.reach)
  return 'keyId' in query
    ? database.read(at, keyById, [...reach, query.keyId])
    : database.read(at, keysWithinReach, [...reach, query.afterId, query.limit])
}
