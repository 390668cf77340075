import { createTaskboard, scopes } from '@taskboard/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createMigratedDatabase, type TestDatabase } from '@taskboard/kit/postgres/test-database'
import { postgresStorage } from '../postgres-storage.js'

let database: TestDatabase
beforeEach(async () => {
  database = await createMigratedDatabase()
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
})
