import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/test-database.js'
import { embeddedMigrations } from '../migrations/embedded-migrations.js'
import { migrate, migrateWith } from '../migrations/migrate.js'

let database: TestDatabase
beforeEach(async () => {
  database = await createTestDatabase()
})
afterEach(() => database.drop())

describe('addresses that an earlier version has stored', () => {
  it('are normalized, but for those that would be the same as another', async () => {
    const { pool } = database
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
  })
})
