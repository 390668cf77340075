import type { AccessStore, At, Principal } from '@taskboard/core'
import type { Database } from '../database.js'
import type { PgConnection } from '../pool.js'
import { statement } from '../statement.js'

interface PrincipalRow extends Omit<Principal, 'kind' | 'workspaceIds'> {
  readonly workspaceId: string | null
  readonly expiresAt: number | null
}

const principalByHash = statement<PrincipalRow>(
  'find_principal',
  /* sql */ `
  select k.id, k.account_id as "accountId", a.tier, k.scopes, k.workspace_id as "workspaceId",
    k.default_workspace_id as "defaultWorkspaceId", k.expires_at::float8 as "expiresAt"
  from taskboard.api_key k join taskboard.account a on a.id = k.account_id
  where k.hash = $2::text and k.revoked_at is null
    and (k.expires_at is null or k.expires_at > coalesce($1::bigint, taskboard.now_ms()))`,
)

/** `AccessStore.findPrincipalByKeyHash`. */
export async function findPrincipalByKeyHash(
  database: Database,
  hash: string,
  at: At<PgConnection>,
): ReturnType<AccessStore['findPrincipalByKeyHash']> {
  const [row] = await database.read(at, principalByHash, [at.now, hash])
  if (row === undefined) return null
  const { workspaceId, expiresAt, ...known } = row
  const workspaceIds = workspaceId === null ? 'all' : [workspaceId]
  return { principal: { ...known, kind: 'api_key', workspaceIds }, expiresAt }
}
