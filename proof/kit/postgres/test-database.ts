import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { migrate } from '@taskboard/postgres'

/** A database for the caller on the tests' server. */
export interface TestDatabase {
  readonly url: string
  readonly pool: pg.Pool
  /** Ends the pool and drops the database. */
  drop(): Promise<void>
}

/** Creates an empty database; the caller migrates its schema. It sorts text by its bytes, or by the rules of `icuLocale`. */
export function createTestDatabase(options: pg.PoolConfig = {}, icuLocale?: string): Promise<TestDatabase> {
  const locale = icuLocale && `template template0 locale_provider icu icu_locale '${icuLocale}'`
  return createDatabase(options, locale ?? '')
}

let template: Promise<void> | undefined

/** Creates a database in the state after its first `migrate`: a copy of a template that is migrated once for all files of a run. */
export async function createMigratedDatabase(options: pg.PoolConfig = {}): Promise<TestDatabase> {
  await (template ??= onServer(inject('databaseUrl'), makeTemplate))
  return createDatabase(options, `template ${inject('migratedTemplate')}`)
}

async function createDatabase(options: pg.PoolConfig, clauses: string): Promise<TestDatabase> {
  const serverUrl = inject('databaseUrl')
  const name = `taskboard_test_${randomBytes(6).toString('hex')}`
  await onServer(serverUrl, (client) => client.query(`create database ${name} ${clauses}`))
  const url = urlOf(name)
  const pool = createTestPool({ connectionString: url, ...options })
  return {
    url,
    pool,
    async drop() {
      await pool.end()
      await onServer(serverUrl, (client) => client.query(`drop database ${name} with (force)`))
    },
  }
}

/** Creates the template unless it exists. It appears complete, or not at all. */
async function makeTemplate(client: pg.Client): Promise<void> {
  const name = inject('migratedTemplate')
  const find = async () => (await client.query('select from pg_database where datname = $1', [name])).rowCount
  if ((await find()) === 1) return
  // Until this connection ends. Only one file of a run creates it at a time.
  await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [name])
  if ((await find()) === 1) return
  const draft = `${name}_draft`
  await client.query(`drop database if exists ${draft}`)
  await client.query(`create database ${draft}`)
  const pool = createTestPool({ connectionString: urlOf(draft), max: 1 })
  try {
    await migrate(pool)
  } finally {
    await pool.end()
  }
  await client.query(`alter database ${draft} rename to ${name}`)
}

function urlOf(name: string): string {
  const url = new URL(inject('databaseUrl'))
  url.pathname = `/${name}`
  return url.href
}

/**
 * A pool on a database that may be dropped before the pool's last connection ends: the end of a pool does not wait for its
 * connections. One that reports the drop when nothing listens any more would end the process.
 */
export function createTestPool(options: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool(options)
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

async function onServer(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}
