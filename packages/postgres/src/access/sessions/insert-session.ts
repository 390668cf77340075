import { TaskboardError } from '@taskboard/core'
import type { At, Session, SessionStore } from '@taskboard/core/storage'
import type { Database } from '../../database.js'
import type { PgConnection } from '../../pool.js'
import { statement } from '../../statement.js'

/** Locks the user's row, so that a password change comes either before the login, or after its commit and ends the session. */
const addSession = statement<Session>(
  'insert_session',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now)
  insert into taskboard.session (id, user_id, family_hash, refresh_hash, created_at, expires_at)
  select $2::text, u.id, $4::text, $5::text, p.now, p.now + $6::bigint
  from p, (
    select * from taskboard.account_user u
    where u.id = $3::text and u.password_hash = coalesce($7::text, u.password_hash) for share
  ) as u
  returning id, user_id as "userId"`,
)

/** `SessionStore.insertSession`. */
export async function insertSession(
  database: Database,
  { userId, passwordHash, familyHash, tokenHash, ttlMs }: Parameters<SessionStore['insertSession']>[0],
  at: At<PgConnection>,
): Promise<Session> {
  const id = database.settings.current.newId('ses')
  const [session] = await database.read(at, addSession, [
    at.now,
    id,
    userId,
    familyHash,
    tokenHash,
    ttlMs,
    passwordHash ?? null,
  ])
  if (session === undefined) throw new TaskboardError('NOT_FOUND', 'no such user')
  return session
}
