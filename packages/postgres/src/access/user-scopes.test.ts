import { createTaskboard, scopes } from '@taskboard/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/test-database.js'
import { embeddedMigrations } from '../migrations/embedded-migrations.js'
import { migrate, migrateWith } from '../migrations/migrate.js'
import { postgresStorage } from '../postgres-storage.js'

let database: TestDatabase
beforeEach(async () => {
  database = await createTestDatabase()
})
afterEach(() => database.drop())

async function storedScopes(): Promise<Readonly<Record<string, readonly string[] | null>>> {
  const { rows } = await database.pool.query({
    text: 'select email, scopes from taskboard.account_user',
    values: [],
  })
  return Object.fromEntries(
    (rows as { email: string; scopes: string[] | null }[]).map(({ email, scopes: stored }) => [
      email,
      stored,
    ]),
  )
}

describe('the scopes of users', () => {
  it('are stored only where the host has listed them', async () => {
    await migrate(database.pool)
    const taskboard = createTaskboard({
      storage: postgresStorage({ pool: database.pool }),
      secrets: { encryptionKey: '0'.repeat(64) },
    })
    const password = 'correct horse battery'
    const owner = { email: 'all@example.com', password }
    const { account, user } = await taskboard.accounts.create({ name: 'Acme', tier: 'professional', owner })
    await taskboard.accounts.createUser(account.id, {
      email: 'some@example.com',
      password,
      scopes: ['tasks:read'],
    })
    expect(user?.scopes).toEqual(scopes)
    expect(await storedScopes()).toEqual({ 'all@example.com': null, 'some@example.com': ['tasks:read'] })
    await taskboard.close()
  })

  it('become all when an earlier version stored all scopes that it had', async () => {
    const { pool } = database
    const place = embeddedMigrations.findIndex(({ name }) => name === 'scopes_of_users')
    await migrateWith(pool, embeddedMigrations.slice(0, place))
    const insert = (email: string, list: readonly string[]) => ({
      text: `with a as (insert into taskboard.account (id, name, tier, created_at) values ($1, 'a', 'custom', 0) returning id),
        w as (insert into taskboard.workspace (id, account_id, name, created_at) select $1, a.id, 'w', 0 from a returning id)
        insert into taskboard.account_user (id, account_id, default_workspace_id, email, password_hash, scopes, created_at)
        select $1, a.id, w.id, $1, 'h', $2::text[], 0 from a, w`,
      values: [email, list],
    })
    const former = scopes.filter((scope) => scope !== 'approvals:write')
    await pool.query(insert('all', former.toReversed()))
    await pool.query(insert('most', former.slice(1)))
    await migrate(pool)
    expect(await storedScopes()).toEqual({ all: null, most: former.slice(1) })
  })
})
