import { TaskboardError } from '@taskboard/core'
import type { PgConnection } from '../pool.js'
import { digestOf, titleOf, type Migration } from './migration.js'

/** A migration that the database has recorded. */
export interface AppliedMigration {
  readonly number: number
  readonly name: string
  readonly digest: string
  /** Milliseconds since 1970, by the database's clock. */
  readonly appliedAt: number
}

/** The applied migrations, in order; null when the database has never been migrated. */
export async function readApplied(connection: PgConnection): Promise<readonly AppliedMigration[] | null> {
  // `to_regclass` may use the session's cache and miss a commit of another session; a scan does not.
  const known = await connection.query({
    text: `select exists (select from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
      where n.nspname = 'taskboard' and c.relname = 'migration') as "isThere"`,
    values: [],
  })
  const [row] = known.rows as { readonly isThere: boolean }[]
  if (row?.isThere !== true) return null
  const { rows } = await connection.query({
    text: `select number, name, digest, (extract(epoch from applied_at) * 1000)::float8 as "appliedAt"
      from taskboard.migration order by number`,
    values: [],
  })
  return (rows as AppliedMigration[]).map((applied) => ({
    ...applied,
    appliedAt: Math.floor(applied.appliedAt),
  }))
}

/**
 * The pending migrations, in order.
 * @throws TaskboardError `INVALID_CONFIG` when the database has a migration that the library does not know, or knows with
 * another text.
 */
export function pendingOf(
  known: readonly Migration[],
  applied: readonly AppliedMigration[],
): readonly Migration[] {
  const byNumber = new Map(known.map((migration) => [migration.number, migration]))
  for (const one of applied) {
    const migration = byNumber.get(one.number)
    if (migration === undefined) {
      throw new TaskboardError(
        'INVALID_CONFIG',
        `the database is newer than this version of @taskboard/postgres: it has migration ${titleOf(one)}`,
      )
    }
    if (one.digest !== digestOf(migration)) {
      throw new TaskboardError(
        'INVALID_CONFIG',
        `migration ${titleOf(one)} was applied to the database with another text than this version of @taskboard/postgres has`,
      )
    }
    byNumber.delete(one.number)
  }
  return [...byNumber.values()]
}
