import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Taskboard, TaskboardOptions } from '@taskboard/core'
import type { PgConnection, PgPool } from '@taskboard/postgres'
import { CliError } from '../cli-error.js'
import { type Call, textOf } from '../command.js'
import { loadCore, loadPg, loadPglite, loadPostgres } from '../optional-packages.js'

/** The database of a command, and the library that works on it. */
export interface Opened {
  readonly pool: PgPool
  readonly postgres: Awaited<ReturnType<typeof loadPostgres>>
  /** Where the board is in the database. */
  readonly inSchema: { readonly schema?: string | undefined }
}

const CONNECT_TIMEOUT_MS = 10_000

/**
 * Works on the database that DATABASE_URL names, or on the PGlite directory of `--data`, which has to be there unless the command
 * `creates` it.
 */
export async function withDatabase<T>(
  call: Call,
  work: (opened: Opened) => Promise<T>,
  { creates = false }: { readonly creates?: boolean } = {},
): Promise<T> {
  const { cli, options } = call
  const postgres = await loadPostgres()
  const directory = textOf(options, 'data') ?? (cli.env['TASKBOARD_DATA']?.trim() || undefined)
  const url = cli.env['DATABASE_URL']?.trim()
  const inSchema = { schema: textOf(options, 'schema') ?? (cli.env['TASKBOARD_SCHEMA'] || undefined) }
  if (textOf(options, 'data') === undefined && url !== undefined && url !== '') {
    if (!/^postgres(ql)?:\/\//.test(url) || !URL.canParse(url)) {
      throw new CliError(
        'usage',
        'DATABASE_URL must be a URL such as postgres://user:password@127.0.0.1:5432/board',
      )
    }
    const { default: pg } = await loadPg()
    const pool = new pg.Pool({
      connectionString: url,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      max: 4,
      // As a statement: PgBouncer refuses connections with options. To compile the plans of an export takes longer than they run.
      // oxlint-disable-next-line typescript/no-misused-promises -- The pool waits for it, which its type does not say.
      onConnect: (client) => client.query('set jit = off').then(() => undefined),
    })
    // Without a listener a lost connection ends the process.
    pool.on('error', () => undefined)
    try {
      return await work({ pool, postgres, inSchema })
    } finally {
      await pool.end()
    }
  }
  if (directory === undefined) {
    throw new CliError('usage', 'set DATABASE_URL to the database, or --data to a PGlite directory')
  }
  if (!creates && !existsSync(join(directory, 'data'))) {
    throw new CliError(
      'unknown',
      `${directory} contains no database: \`taskboard migrate --data ${directory}\` creates one`,
    )
  }
  await loadPglite()
  const database = await postgres.openPglite(directory)
  try {
    return await work({ pool: database.pool, postgres, inSchema })
  } finally {
    await database.close()
  }
}

/** A board on the database, which isn't started: it only reads and writes. Without keys, it seals and opens nothing. */
export async function withBoard<T>(
  call: Call,
  work: (taskboard: Taskboard<PgConnection>) => Promise<T>,
  encryptionKey: NonNullable<TaskboardOptions['secrets']>['encryptionKey'] = randomBytes(32),
): Promise<T> {
  const { createTaskboard } = await loadCore()
  return withDatabase(call, async ({ pool, postgres, inSchema }) => {
    const taskboard = createTaskboard({
      storage: postgres.postgresStorage({ pool, listen: false, ...inSchema }),
      logger: false,
      // A board on a durable storage requires one.
      secrets: { encryptionKey },
    })
    try {
      return await work(taskboard)
    } finally {
      await taskboard.close({ drainTimeoutMs: 0 })
    }
  })
}
