import { TaskboardError, type ApiKeyRecord } from '@taskboard/core'
import type { AccessStore, At } from '@taskboard/core/storage'
import type { Database, Session } from '../database.js'
import type { PgConnection } from '../pool.js'
import { statement } from '../statement.js'
import { apiKeyColumns } from './access-row.js'
import { makeKeyOnce } from './make-key-once.js'
import { keyWithinReach, reachValues } from './reach-sql.js'

type KeyRow = ApiKeyRecord & { readonly isNew: boolean }

/** Returns the old key and the new one; only the old one when it has ended; no row when it does not exist. */
const rotateKey = statement<KeyRow>(
  'rotate_api_key',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now),
  old as materialized (
    select k.* from taskboard.api_key k
    where k.id = $4::text and ${keyWithinReach('k', '$2', '$3')} for update
  ),
  live as materialized (
    select o.* from old o, p where o.revoked_at is null and (o.expires_at is null or o.expires_at > p.now)
  ),
  replaced as (
    update taskboard.api_key k set expires_at = least(l.expires_at, p.now + $8::bigint)
    from live l, p where k.id = l.id
    returning k.*
  ),
  added as (
    insert into taskboard.api_key
      (id, hash, account_id, workspace_id, default_workspace_id, name, scopes, prefix, created_at, expires_at)
    select $5::text, $6::text, l.account_id, l.workspace_id, l.default_workspace_id, l.name, l.scopes,
      $7::text, p.now, l.expires_at
    from live l, p
    returning *
  )
  select ${apiKeyColumns('a')}, true as "isNew" from added a
  union all select ${apiKeyColumns('r')}, false from replaced r
  union all select ${apiKeyColumns('o')}, false from old o where not exists (select from live)`,
)

/** `AccessStore.rotateApiKey`. */
export async function rotateApiKey(
  database: Database,
  { reach, keyId, prefix, hash, overlapMs, idempotency }: Parameters<AccessStore['rotateApiKey']>[0],
  at: At<PgConnection>,
): ReturnType<AccessStore['rotateApiKey']> {
  const id = database.settings.current.newId('ak')
  const values = [at.now, ...reachValues(reach), keyId, id, hash, prefix, overlapMs]
  let replaced: ApiKeyRecord | undefined
  const rotate = async (session: Session): Promise<ApiKeyRecord> => {
    const rows = await session.run(rotateKey, values)
    const added = rows.find(({ isNew }) => isNew)
    replaced = toRecord(rows.find(({ isNew }) => !isNew))
    if (replaced === undefined) throw new TaskboardError('NOT_FOUND', 'no such API key')
    if (added === undefined) throw new TaskboardError('CONFLICT', 'the key has ended')
    return toRecord(added)
  }
  const added = await makeKeyOnce(database, at, idempotency, rotate)
  if (replaced === undefined) throw new Error('a key was rotated without being asked for')
  return { added, replaced }
}

function toRecord(row: KeyRow): ApiKeyRecord
function toRecord(row: KeyRow | undefined): ApiKeyRecord | undefined
function toRecord(row: KeyRow | undefined): ApiKeyRecord | undefined {
  if (row === undefined) return undefined
  const { isNew: _, ...key } = row
  return key
}
