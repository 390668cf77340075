import { TaskboardError } from '@taskboard/core'
import { toVerbErrors } from '../connection/connection-fault.js'
import { boardSchema, type BoardSchema } from '../connection/board-schema.js'
import { requirePool, type PgQueryable, type PgPool } from '../connection/pool.js'
import { bookkeeping, knownMigrations } from './known-migrations.js'
import { differenceOf, digestOf, type Migration, titleOf } from './migration.js'

/** One step of a run of migrations. */
export interface PlannedStep {
  /** The name of the migration, for example `0001_schema`; `0000_bookkeeping` creates the schema and the table that records the others. */
  readonly name: string
  /** The SQL of the step, including its record. You can run the steps by hand, in order and in one transaction. */
  readonly sql: string
}

/** Where the board is. */
export interface MigrationOptions {
  /** The schema that has the board's tables, created if it isn't there; default `taskboard`. As in `postgresStorage`. */
  readonly schema?: string | undefined
}

const BOOKKEEPING: PlannedStep = { name: '0000_bookkeeping', sql: bookkeeping }

/** The steps that apply `pending`. */
function plannedSteps(pending: readonly Migration[], isFirstRun: boolean): readonly PlannedStep[] {
  return [...(isFirstRun ? [BOOKKEEPING] : []), ...pending.map(stepOf)]
}

function stepOf(migration: Migration): PlannedStep {
  const { number, name } = migration
  const remember = `insert into taskboard.migration (number, name, digest) values (${number}, '${name}', '${digestOf(migration)}');\n`
  return { name: titleOf(migration), sql: `${migration.sql.trimEnd()}\n\n${remember}` }
}

/** A migration that the database has recorded. */
interface AppliedMigration {
  readonly number: number
  readonly name: string
  readonly digest: string
  /** Milliseconds since 1970, by the database's clock. */
  readonly appliedAt: number
}

/** The applied migrations, in order; null when the database has never been migrated. */
async function readApplied(connection: PgQueryable): Promise<readonly AppliedMigration[] | null> {
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
 * @throws TaskboardError `INVALID_CONFIG` when the database has a migration that the library doesn't know, or knows with
 * another name or text.
 */
function pendingOf(known: readonly Migration[], applied: readonly AppliedMigration[]): readonly Migration[] {
  const byNumber = new Map(known.map((migration) => [migration.number, migration]))
  for (const one of applied) {
    const migration = byNumber.get(one.number)
    if (migration === undefined) {
      throw new TaskboardError(
        'INVALID_CONFIG',
        `the database is newer than this version of @taskboard/postgres: it has migration ${titleOf(one)}`,
      )
    }
    const difference = differenceOf(one, migration)
    if (difference !== undefined) throw new TaskboardError('INVALID_CONFIG', difference)
    byNumber.delete(one.number)
  }
  return [...byNumber.values()]
}

/** The state of one migration. */
export interface MigrationState {
  /** For example `0001_schema`. */
  readonly name: string
  /**
   * `altered`: applied with another name or text than in this version of the library. `unknown`: applied by a newer version. `migrate`
   * rejects both.
   */
  readonly state: 'applied' | 'pending' | 'altered' | 'unknown'
  /** Milliseconds since 1970, by the database's clock; null while it is pending. */
  readonly appliedAt: number | null
}

/** The bytes of "taskmigr": one run of migrations at a time in a database. */
const LOCK_KEY = '8386110886374893426'

const PREPARE = [
  // Only with read committed do reads after the lock see what its last holder committed.
  'begin isolation level read committed',
  'set local statement_timeout = 0',
  'set local lock_timeout = 0',
  `select pg_advisory_xact_lock(${LOCK_KEY})`,
]

/**
 * Brings the board's schema up to date in one transaction, which waits for other processes that migrate. Changes
 * nothing when the schema is up to date. Resolves to the names of the migrations that it applied.
 * @throws TaskboardError `INVALID_CONFIG`, without any change, for an invalid `schema`, when the database is newer than the library or an
 * applied migration was altered. `SERVICE_UNAVAILABLE` when the database is unreachable.
 * @example
 * ```ts
 * import { migrate, openPglite } from '@taskboard/postgres'
 *
 * const database = await openPglite('board')
 * await migrate(database.pool) // the first time: every migration, '0001_schema' first
 * console.log(await migrate(database.pool)) // []
 * await database.close()
 * ```
 */
export async function migrate(pool: PgPool, { schema }: MigrationOptions = {}): Promise<readonly string[]> {
  requirePool('pool', pool)
  return migrateWith(pool, knownMigrations, boardSchema(schema))
}

/**
 * The steps that `migrate` would run now, with their SQL; changes nothing. Empty when the schema is up to date.
 * @throws TaskboardError as `migrate` would.
 * @example
 * ```ts
 * import { writeFile } from 'node:fs/promises'
 * import { migrate, openPglite, planMigrations } from '@taskboard/postgres'
 *
 * const database = await openPglite('board')
 * const steps = await planMigrations(database.pool)
 * await writeFile('migrations.sql', steps.map(({ name, sql }) => `-- ${name}\n${sql}`).join('\n'))
 * await migrate(database.pool)
 * console.log(await planMigrations(database.pool)) // []
 * await database.close()
 * ```
 */
export async function planMigrations(
  pool: PgPool,
  { schema }: MigrationOptions = {},
): Promise<readonly PlannedStep[]> {
  return toVerbErrors(planOn(pool, knownMigrations, boardSchema(schema)))
}

/**
 * The state of each migration, in order; changes nothing. Reports the states that `migrate` rejects instead of throwing.
 * @example
 * ```ts
 * import { migrate, migrationStatus, openPglite } from '@taskboard/postgres'
 *
 * const database = await openPglite('board')
 * await migrate(database.pool)
 * const [first] = await migrationStatus(database.pool)
 * console.log(first?.name, first?.state) // 0001_schema applied
 * await database.close()
 * ```
 */
export async function migrationStatus(
  pool: PgPool,
  { schema }: MigrationOptions = {},
): Promise<readonly MigrationState[]> {
  const applied = new Map(
    (await toVerbErrors(readApplied(boardSchema(schema).on(pool))))?.map((one) => [one.number, one]),
  )
  const known = knownMigrations.map((migration): MigrationState => {
    const one = applied.get(migration.number)
    applied.delete(migration.number)
    if (one === undefined) return { name: titleOf(migration), state: 'pending', appliedAt: null }
    const state = differenceOf(one, migration) === undefined ? 'applied' : 'altered'
    return { name: titleOf(one), state, appliedAt: one.appliedAt }
  })
  const unknown = [...applied.values()].map((one): MigrationState => ({
    name: titleOf(one),
    state: 'unknown',
    appliedAt: one.appliedAt,
  }))
  return [...known, ...unknown]
}

/**
 * Why the board can't run on the schema: the first migration that it lacks or has in another form. Undefined when it can, as on a newer
 * schema, so that a host can be updated process by process.
 */
export async function schemaFault(pool: PgPool, schema: BoardSchema): Promise<string | undefined> {
  const applied = new Map((await toVerbErrors(readApplied(schema.on(pool))))?.map((one) => [one.number, one]))
  for (const migration of knownMigrations) {
    const one = applied.get(migration.number)
    if (one === undefined) {
      return `schema ${schema.name} of the database lacks migration ${titleOf(migration)}: run ${callOf(schema)} of @taskboard/postgres before start()`
    }
    const difference = differenceOf(one, migration)
    if (difference !== undefined) return difference
  }
  return undefined
}

function callOf({ name }: BoardSchema): string {
  return name === boardSchema().name ? 'migrate(pool)' : `migrate(pool, { schema: '${name}' })`
}

/** `migrate` with the caller's migrations. */
export async function migrateWith(
  pool: PgPool,
  migrations: readonly Migration[],
  schema = boardSchema(),
): Promise<readonly string[]> {
  // A run with nothing to do needs no lock, and no right to change the database.
  if ((await toVerbErrors(planOn(pool, migrations, schema))).length === 0) return []
  return toVerbErrors(
    withClient(pool, async (client) => {
      for (const text of PREPARE) await client.query({ text, values: [] })
      const steps = await planOn(client, migrations, schema)
      for (const { sql } of steps) await client.query({ text: sql, values: [] })
      await client.query({ text: 'commit', values: [] })
      return steps.map(({ name }) => name)
    }),
  )
}

async function planOn(
  connection: PgQueryable,
  migrations: readonly Migration[],
  schema: BoardSchema,
): Promise<readonly PlannedStep[]> {
  const applied = await readApplied(schema.on(connection))
  const steps = plannedSteps(pendingOf(migrations, applied ?? []), applied === null)
  return steps.map(({ name, sql }) => ({ name, sql: schema.in(sql) }))
}

async function withClient<T>(pool: PgPool, work: (client: PgQueryable) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    return await work(client)
  } catch (error) {
    await client.query({ text: 'rollback', values: [] }).catch((fault: unknown) => {
      broken = fault instanceof Error ? fault : new Error(String(fault))
    })
    throw error
  } finally {
    client.release(broken)
  }
}
