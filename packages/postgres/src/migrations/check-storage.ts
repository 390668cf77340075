import type { StorageState, TaskCounts } from '@taskboard/core/storage'
import type { Database } from '../database/database.js'
import { schemaFault } from './migrate.js'
import type { BoardSchema } from '../connection/board-schema.js'
import type { PgPool } from '../connection/pool.js'
import { statement } from '../connection/statement.js'

const countTasks = statement<TaskCounts>(
  'count_tasks',
  /* sql */ `
  select (select count(*) from taskboard.todo where not held)::float8 as waiting,
    (select count(*) from taskboard.task where lease_expires_at is not null)::float8 as running`,
)

/** `Storage.check`. */
export async function checkStorage(
  database: Database,
  pool: PgPool,
  schema: BoardSchema,
  { withCounts }: { readonly withCounts: boolean },
): Promise<StorageState> {
  const isCurrent = (await schemaFault(pool, schema)) === undefined
  if (!withCounts || !isCurrent) return { isCurrent, counts: null }
  const [counts] = await database.read(null, countTasks, [])
  return { isCurrent, counts: counts ?? null }
}
