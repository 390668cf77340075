import { sessionOver, type CallContext, type SessionRecord, type SessionStore } from '@taskboard/core/storage'
import type { Database } from '../database/database.js'
import type { PgConnection } from '../connection/pool.js'
import { statement } from '../connection/statement.js'

const sessionsOfUser = statement<SessionRecord>(
  'list_sessions',
  /* sql */ `
  select s.id, s.user_id as "userId", s.created_at::float8 as "createdAt", s.last_used_at::float8 as "lastUsedAt",
    s.expires_at::float8 as "expiresAt", s.client_address as "clientAddress", s.user_agent as "userAgent"
  from taskboard.session s
  where s.user_id = $2::text and s.expires_at > coalesce($1::bigint, taskboard.now_ms())
  order by s.created_at desc, s.id desc`,
)

/** Present, user, the session to end or null for all, the session to keep or null. */
const endOfUser = statement<{ readonly id: string }>(
  'end_sessions_of_user',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now)
  update taskboard.session s set expires_at = ${sessionOver} from p
  where s.user_id = $2::text and s.id = coalesce($3::text, s.id) and s.id is distinct from $4::text and s.expires_at > p.now
  returning s.id`,
)

/** `SessionStore.endSessions`. */
async function endSessions(
  database: Database,
  { userId, ...which }: Parameters<SessionStore['endSessions']>[0],
  call: CallContext<PgConnection>,
): Promise<readonly string[]> {
  const names = 'id' in which ? [which.id, null] : [null, which.exceptId]
  return (await database.read(call, endOfUser, [call.now, userId, ...names])).map(({ id }) => id)
}

const prove = statement<object>(
  'prove_session',
  /* sql */ `
  with p as materialized (select coalesce($3::bigint, taskboard.now_ms()) as now)
  update taskboard.session s set proven_at = p.now from p
  where s.id = $1::text and s.user_id = $2::text and s.expires_at > p.now
  returning s.id`,
)

/** The part of the session store that is about all sessions of a user. */
export function createSessionsOfUser(
  database: Database,
): Pick<SessionStore<PgConnection>, 'listSessions' | 'endSessions' | 'proveSession'> {
  return {
    listSessions: ({ userId }, call) => database.read(call, sessionsOfUser, [call.now, userId]),
    endSessions: (which, call) => endSessions(database, which, call),
    proveSession: async ({ id, userId }, call) =>
      (await database.read(call, prove, [id, userId, call.now])).length > 0,
  }
}
