import { TaskboardError, type ApiKeyRecord } from '@taskboard/core'
import type { At, IdempotencyClaim } from '@taskboard/core/storage'
import type { Database, Session } from '../database.js'
import { once } from '../idempotency/once.js'
import type { PgConnection } from '../pool.js'

/**
 * Creates a key, with an idempotency key if there is one. The key's text is shown only once: a repeat returns no second one.
 * @throws TaskboardError `CONFLICT` with the key's id for a repeat.
 */
export async function makeKeyOnce<T extends ApiKeyRecord>(
  database: Database,
  at: At<PgConnection>,
  claim: IdempotencyClaim | null,
  make: (session: Session) => Promise<T>,
): Promise<T> {
  if (claim === null) return make({ run: (what, values) => database.write(at, what, values) })
  const { value, replayed } = await database.atomically(at, (session) => once(session, claim, at.now, make))
  if (!replayed) return value
  const { id } = value
  throw new TaskboardError(
    'CONFLICT',
    `the idempotency key was used to make ${id}, which is not shown again`,
    {
      resourceId: id,
    },
  )
}
