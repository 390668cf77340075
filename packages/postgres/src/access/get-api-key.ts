import { TaskboardError, type ApiKeyRecord } from '@taskboard/core'
import type { At, Reach } from '@taskboard/core/storage'
import type { Database } from '../database.js'
import type { PgConnection } from '../pool.js'
import { statement } from '../statement.js'
import { apiKeyColumns } from './access-row.js'
import { keyWithinReach, reachValues } from './reach-sql.js'

const keyById = statement<ApiKeyRecord>(
  'get_api_key',
  /* sql */ `
  select ${apiKeyColumns('k')} from taskboard.api_key k
  where k.id = $3::text and ${keyWithinReach('k', '$1', '$2')}`,
)

/** `AccessStore.getApiKey`. */
export async function getApiKey(
  database: Database,
  reach: Reach,
  keyId: string,
  at: At<PgConnection>,
): Promise<ApiKeyRecord> {
  const [key] = await database.read(at, keyById, [...reachValues(reach), keyId])
  if (key === undefined) throw new TaskboardError('NOT_FOUND', 'no such API key')
  return key
}
