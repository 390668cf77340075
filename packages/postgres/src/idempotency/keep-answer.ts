import type { At, IdempotencyClaim } from '@taskboard/core/storage'
import type { Database } from '../database.js'
import type { PgConnection } from '../pool.js'
import { statement } from '../statement.js'

const keep = statement<{ readonly answer: unknown }>(
  'keep_answer',
  /* sql */ `
  update taskboard.idempotency set answer = coalesce(answer, $3::json)
  where scope = $1::text and key = $2::text
  returning answer`,
)

/** `Storage.keepAnswer`. */
export async function keepAnswer<T extends object>(
  database: Database,
  { scope, key }: Pick<IdempotencyClaim, 'scope' | 'key'>,
  answer: T,
  at: At<PgConnection>,
): Promise<T> {
  const [row] = await database.write(at, keep, [scope, key, JSON.stringify(answer)])
  return row === undefined ? answer : (row.answer as T)
}
