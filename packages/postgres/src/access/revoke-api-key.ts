import { TaskboardError, type ApiKeyRecord } from '@taskboard/core'
import type { AccessStore, At } from '@taskboard/core/storage'
import type { Database } from '../database.js'
import type { PgConnection } from '../pool.js'
import { statement } from '../statement.js'
import { apiKeyColumns } from './access-row.js'
import { keyWithinReach, reachValues } from './reach-sql.js'

/** A repeat keeps the time of the first revocation. */
const revokeKey = statement<ApiKeyRecord>(
  'revoke_api_key',
  /* sql */ `
  update taskboard.api_key k
  set revoked_at = coalesce(k.revoked_at, $1::bigint, taskboard.now_ms())
  where k.id = $4::text and ${keyWithinReach('k', '$2', '$3')}
  returning ${apiKeyColumns('k')}`,
)

/** `AccessStore.revokeApiKey`. */
export async function revokeApiKey(
  database: Database,
  { reach, keyId }: Parameters<AccessStore['revokeApiKey']>[0],
  at: At<PgConnection>,
): Promise<ApiKeyRecord> {
  const [key] = await database.write(at, revokeKey, [at.now, ...reachValues(reach), keyId])
  if (key === undefined) throw new TaskboardError('NOT_FOUND', 'no such API key')
  return key
}
