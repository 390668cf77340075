import type { Instant, Principal } from '@taskboard/core'
import type { AccessStore } from '@taskboard/core/storage'
import type { Database } from '../database.js'
import type { PgConnection } from '../pool.js'
import { statement } from '../statement.js'
import { createFindSession, type FindPrincipal } from './sessions/find-session.js'

interface PrincipalRow extends Omit<Principal, 'kind' | 'workspaceIds'> {
  readonly hash: string
  readonly workspaceId: string | null
  readonly expiresInMs: number | null
}

/** Present, hashes. */
const principalsByHash = statement<PrincipalRow>(
  'find_principals',
  /* sql */ `
  select k.hash, k.id, k.account_id as "accountId", a.tier, k.scopes, k.workspace_id as "workspaceId",
    k.default_workspace_id as "defaultWorkspaceId", (k.expires_at - coalesce($1::bigint, taskboard.now_ms()))::float8 as "expiresInMs"
  from unnest($2::text[]) as asked (hash)
    cross join lateral (select * from taskboard.api_key k where k.hash = asked.hash limit 1) as k
    join taskboard.account a on a.id = k.account_id
  where k.revoked_at is null and (k.expires_at is null or k.expires_at > coalesce($1::bigint, taskboard.now_ms()))`,
)

interface Call {
  readonly hash: string
  readonly now: Instant | null
}

const MOST_AT_ONCE = 200

/** `AccessStore.findPrincipal`. */
export function createFindPrincipal(database: Database): AccessStore<PgConnection>['findPrincipal'] {
  const ofKey = createFindKey(database)
  const ofSession = createFindSession(database)
  return (credential, at) =>
    'keyHash' in credential ? ofKey(credential.keyHash, at) : ofSession(credential.sessionId, at)
}

/** Finds the principals of keys by their hashes. Concurrent calls share a statement. */
function createFindKey(database: Database): FindPrincipal {
  const find = database.join<Call, PrincipalRow | undefined>(
    async (calls) => {
      const rows = await database.read(null, principalsByHash, toValues(calls))
      const found = new Map(rows.map((row) => [row.hash, row]))
      return calls.map(({ hash }) => found.get(hash))
    },
    { most: MOST_AT_ONCE, atOnce: 2, groupOf: ({ now }) => now },
  )

  return async (hash, at) => {
    const call = { hash, now: at.now }
    const row =
      at.tx === undefined
        ? await find(call)
        : (await database.read(at, principalsByHash, toValues([call])))[0]
    if (row === undefined) return null
    const { hash: _, workspaceId, expiresInMs, ...known } = row
    const workspaceIds = workspaceId === null ? 'all' : [workspaceId]
    return { principal: { ...known, kind: 'api_key', workspaceIds }, expiresInMs }
  }
}

function toValues(calls: readonly Call[]): readonly unknown[] {
  return [calls[0]?.now ?? null, [...new Set(calls.map(({ hash }) => hash))]]
}
