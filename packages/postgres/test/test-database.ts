import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'

/** A database of the caller's own on the tests' server. */
export interface TestDatabase {
  readonly url: string
  readonly pool: pg.Pool
  /** Ends the pool and drops the database. */
  drop(): Promise<void>
}

/**
 * Makes an empty database; its schema is the caller's to migrate. It sorts text by its bytes, or as people of `icuLocale` do.
 */
export async function createTestDatabase(
  options: pg.PoolConfig = {},
  icuLocale?: string,
): Promise<TestDatabase> {
  const serverUrl = inject('databaseUrl')
  const name = `taskboard_test_${randomBytes(6).toString('hex')}`
  const locale = icuLocale && `template template0 locale_provider icu icu_locale '${icuLocale}'`
  await onServer(serverUrl, `create database ${name} ${locale ?? ''}`)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  const pool = createTestPool({ connectionString: url.href, ...options })
  return {
    url: url.href,
    pool,
    async drop() {
      await pool.end()
      await onServer(serverUrl, `drop database ${name} with (force)`)
    },
  }
}

/**
 * A pool on a database that may go before its last connection has: the end of a pool does not wait for those, and one that hears
 * of the drop tells it when nobody waits for it any more, which would end the process.
 */
export function createTestPool(options: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool(options)
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

async function onServer(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(text)
  } finally {
    await client.end()
  }
}
