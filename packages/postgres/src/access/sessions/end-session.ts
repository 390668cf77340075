import { sessionOver, type At, type Session, type SessionStore } from '@taskboard/core/storage'
import type { Database } from '../../database.js'
import type { PgConnection } from '../../pool.js'
import { statement } from '../../statement.js'

/**
 * Sets an end before any present, because a refresh that waits for the row read the clock earlier. Present, id, hash of the
 * family: one of the last two is null.
 */
const end = statement<Session>(
  'end_session',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now)
  update taskboard.session s set expires_at = ${sessionOver} from p
  where (s.id = $2::text or s.family_hash = $3::text) and s.expires_at > p.now
  returning s.id, s.user_id as "userId"`,
)

/** `SessionStore.endSession`. */
export async function endSession(
  database: Database,
  named: Parameters<SessionStore['endSession']>[0],
  at: At<PgConnection>,
): Promise<Session | null> {
  const names = 'id' in named ? [named.id, null] : [null, named.familyHash]
  const [session] = await database.read(at, end, [at.now, ...names])
  return session ?? null
}
