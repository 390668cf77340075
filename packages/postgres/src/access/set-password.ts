import { TaskboardError } from '@taskboard/core'
import { sessionOver, type AccessStore, type At } from '@taskboard/core/storage'
import type { Database } from '../database.js'
import type { PgConnection } from '../pool.js'
import { statement } from '../statement.js'

const setHash = statement<object>(
  'set_password',
  /* sql */ `update taskboard.account_user set password_hash = $2::text where id = $1::text returning id`,
)

/** A separate statement, so that it sees the sessions of logins that the previous one waited for. */
const endSessions = statement<{ readonly id: string }>(
  'end_sessions',
  /* sql */ `
  update taskboard.session s set expires_at = ${sessionOver}
  where s.user_id = $1::text and s.expires_at > coalesce($2::bigint, taskboard.now_ms())
  returning s.id`,
)

/** `AccessStore.setPassword`. */
export function setPassword(
  database: Database,
  { userId, passwordHash }: Parameters<AccessStore['setPassword']>[0],
  at: At<PgConnection>,
): Promise<readonly string[]> {
  return database.atomically(at, async (session) => {
    const changed = await session.run(setHash, [userId, passwordHash])
    if (changed.length === 0) throw new TaskboardError('NOT_FOUND', 'no such user')
    return (await session.run(endSessions, [userId, at.now])).map(({ id }) => id)
  })
}
