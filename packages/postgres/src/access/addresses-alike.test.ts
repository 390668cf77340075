import { PGlite } from '@electric-sql/pglite'
import { afterEach, describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../test/test-database.js'
import { embeddedMigrations } from '../migrations/embedded-migrations.js'
import { migrate, migrateWith } from '../migrations/migrate.js'
import { pglitePool } from '../pglite/pglite-pool.js'
import type { PgPool } from '../connection/pool.js'

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

async function onPg(): Promise<PgPool> {
  const database = await createTestDatabase()
  closers.push(() => database.drop())
  return database.pool
}

async function onPglite(): Promise<PgPool> {
  const database = new PGlite()
  closers.push(() => database.close())
  return pglitePool(database)
}

describe.each([
  ['PostgreSQL', onPg],
  ['PGlite', onPglite],
])('addresses that an earlier version has stored on %s', (_, open) => {
  it('are normalized, except those that would equal another one', async () => {
    const pool = await open()
    const place = embeddedMigrations.findIndex(({ name }) => name === 'addresses_alike')
    await migrateWith(pool, embeddedMigrations.slice(0, place))
    const stored = [
      'ada@example.com',
      'ｂｏｂ@example.com',
      'ﬁn@example.com',
      'fin@example.com',
      '℡@example.com',
    ]
    for (const [index, email] of stored.entries()) {
      const text = `with a as (insert into taskboard.account (id, name, tier, created_at) values ($1, 'a', 'custom', 0) returning id),
        w as (insert into taskboard.workspace (id, account_id, name, created_at) select $1, a.id, 'w', 0 from a returning id)
        insert into taskboard.account_user (id, account_id, default_workspace_id, email, password_hash, scopes, created_at)
        select $1, a.id, w.id, $2, 'h', '{}'::text[], 0 from a, w`
      await pool.query({ text, values: [`u${index}`, email] })
    }
    await migrate(pool)
    const { rows } = await pool.query({
      text: 'select email from taskboard.account_user order by id',
      values: [],
    })
    expect((rows as { email: string }[]).map(({ email }) => email)).toEqual([
      'ada@example.com',
      'bob@example.com',
      'ﬁn@example.com',
      'fin@example.com',
      'tel@example.com',
    ])
  }, 60_000)
})
