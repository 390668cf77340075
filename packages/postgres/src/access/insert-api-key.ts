import { TaskboardError, type ApiKeyRecord } from '@taskboard/core'
import type { AccessStore, At } from '@taskboard/core/storage'
import type { Database, Session } from '../database.js'
import type { PgConnection } from '../pool.js'
import { statement } from '../statement.js'
import { apiKeyColumns } from './access-row.js'
import { makeKeyOnce } from './make-key-once.js'

type Added = { readonly [Member in keyof ApiKeyRecord]: ApiKeyRecord[Member] | null }

interface AddedRow extends Added {
  readonly hasAccount: boolean
  readonly hasWorkspaces: boolean
  readonly isFuture: boolean
}

/** The row gives the refusal: no such account or workspace, an end in the past, or a hash that is in use (then no key is returned). */
const addKey = statement<AddedRow>(
  'insert_api_key',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now),
  reach as materialized (
    select exists (select from taskboard.account where id = $3::text) as has_account,
      exists (select from taskboard.workspace where id = $5::text and account_id = $3::text)
        and exists (
          select from taskboard.workspace where id = coalesce($4::text, $5::text) and account_id = $3::text
        ) as has_workspaces,
      coalesce($10::bigint > p.now, true) as is_future
    from p
  ),
  added as (
    insert into taskboard.api_key
      (id, hash, account_id, workspace_id, default_workspace_id, name, scopes, prefix, created_at, expires_at)
    select $2::text, $9::text, $3::text, $4::text, $5::text, $6::text, $7::text[], $8::text, p.now, $10::bigint
    from p, reach r where r.has_account and r.has_workspaces and r.is_future
    on conflict (hash) do nothing
    returning *
  )
  select r.has_account as "hasAccount", r.has_workspaces as "hasWorkspaces",
    r.is_future as "isFuture", ${apiKeyColumns('k')}
  from reach r left join added k on true`,
)

/** `AccessStore.insertApiKey`. */
export function insertApiKey(
  database: Database,
  { key, idempotency }: Parameters<AccessStore['insertApiKey']>[0],
  at: At<PgConnection>,
): Promise<ApiKeyRecord> {
  const { accountId, workspaceId, defaultWorkspaceId, name, scopes, prefix, hash, expiresAt } = key
  const id = database.settings.current.newId('ak')
  const values = [id, accountId, workspaceId, defaultWorkspaceId, name, scopes, prefix, hash, expiresAt]
  return makeKeyOnce(database, at, idempotency, async (session) => added(session, [at.now, ...values]))
}

async function added(session: Session, values: readonly unknown[]): Promise<ApiKeyRecord> {
  const [row] = await session.run(addKey, values)
  if (row?.hasAccount !== true) throw new TaskboardError('NOT_FOUND', 'no such account')
  if (!row.hasWorkspaces) {
    throw new TaskboardError('NOT_FOUND', 'no such workspace', { field: 'workspaceId' })
  }
  if (!row.isFuture) {
    throw new TaskboardError('INVALID_FIELD', 'expiresAt must be in the future', { field: 'expiresAt' })
  }
  if (row.id === null) throw new TaskboardError('CONFLICT', 'the key already exists')
  const { hasAccount: _account, hasWorkspaces: _workspaces, isFuture: _future, ...record } = row
  return record as ApiKeyRecord
}
