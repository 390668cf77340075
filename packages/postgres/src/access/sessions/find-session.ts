import { scopes, type Instant, type Principal } from '@taskboard/core'
import type { At, FoundPrincipal } from '@taskboard/core/storage'
import type { Database } from '../../database.js'
import type { PgConnection } from '../../pool.js'
import { statement } from '../../statement.js'

interface SessionRow extends Omit<Principal, 'kind' | 'workspaceIds' | 'scopes'> {
  /** Null for all scopes. */
  readonly scopes: Principal['scopes'] | null
  readonly sessionId: string
  readonly expiresInMs: number
}

/** Present, ids of sessions. */
const principalsBySession = statement<SessionRow>(
  'find_sessions',
  /* sql */ `
  select s.id as "sessionId", u.id, u.account_id as "accountId", a.tier, u.scopes,
    u.default_workspace_id as "defaultWorkspaceId", 
    (s.expires_at - coalesce($1::bigint, taskboard.now_ms()))::float8 as "expiresInMs"
  from unnest($2::text[]) as asked (id)
    cross join lateral (select * from taskboard.session s where s.id = asked.id limit 1) as s
    join taskboard.account_user u on u.id = s.user_id
    join taskboard.account a on a.id = u.account_id
  where s.expires_at > coalesce($1::bigint, taskboard.now_ms())`,
)

interface Call {
  readonly sessionId: string
  readonly now: Instant | null
}

const MOST_AT_ONCE = 200

/** Finds the principal of one kind of credential. */
export type FindPrincipal = (credential: string, at: At<PgConnection>) => Promise<FoundPrincipal | null>

/** Finds the users of sessions. Concurrent calls share a statement. */
export function createFindSession(database: Database): FindPrincipal {
  const find = database.join<Call, SessionRow | undefined>(
    async (calls) => {
      const rows = await database.read(null, principalsBySession, toValues(calls))
      const found = new Map(rows.map((row) => [row.sessionId, row]))
      return calls.map(({ sessionId }) => found.get(sessionId))
    },
    { most: MOST_AT_ONCE, atOnce: 2, groupOf: ({ now }) => now },
  )

  return async (sessionId, at) => {
    const call = { sessionId, now: at.now }
    const row =
      at.tx === undefined
        ? await find(call)
        : (await database.read(at, principalsBySession, toValues([call])))[0]
    if (row === undefined) return null
    const { sessionId: _, expiresInMs, scopes: listed, ...known } = row
    return {
      principal: { ...known, scopes: listed ?? scopes, kind: 'user', workspaceIds: 'all' },
      expiresInMs,
    }
  }
}

function toValues(calls: readonly Call[]): readonly unknown[] {
  return [calls[0]?.now ?? null, [...new Set(calls.map(({ sessionId }) => sessionId))]]
}
