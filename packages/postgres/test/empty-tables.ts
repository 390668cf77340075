import { defaultScoring } from '@taskboard/core'
import type { PgConnection } from '../src/pool.js'
import { scoringInsert } from '../src/stored-scoring.js'

/** Restores the state of the database after its first `migrate`. */
export async function emptyTables(connection: PgConnection): Promise<void> {
  const { rows } = await connection.query({
    text: `select string_agg(format('%I.%I', schemaname, tablename), ', ') as tables
      from pg_tables where schemaname = 'taskboard' and tablename <> 'migration'`,
    values: [],
  })
  const [row] = rows as { readonly tables: string }[]
  await connection.query({
    text: `truncate ${row?.tables ?? ''} restart identity; ${scoringInsert(defaultScoring)}`,
    values: [],
  })
}
