import { createTaskboard, type Taskboard } from '@taskboard/core'
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  createMigratedDatabase,
  createTestPool,
  type TestDatabase,
} from '@taskboard/kit/postgres/test-database'
import { migrate } from './migrations/migrate.js'
import type { PgConnection } from './connection/pool.js'
import { postgresStorage, type PostgresStorageOptions } from './postgres-storage.js'

let database: TestDatabase
let taskboard: Taskboard<PgConnection>
let workspaceId: string
beforeAll(async () => {
  database = await createMigratedDatabase()
  const storage = postgresStorage({ pool: database.pool, statementTimeoutMs: 300 })
  taskboard = createTaskboard({ storage, logger: false, secrets: { encryptionKey: randomBytes(32) } })
  const { workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'custom' })
  workspaceId = workspace.id
})
afterAll(() => database.drop())

describe('an option of postgresStorage', () => {
  const secret = 'postgres://user:hunter2@host/db'
  it.each([
    ['pool', {}],
    ['pool', { pool: undefined }],
    ['pool', { pool: secret }],
    ['connectionString', { connectionString: secret }],
    ['readPool', { readPool: secret }],
    ['listen', { listen: secret }],
    ['statementTimeout', { statementTimeout: 5 }],
  ])('that is wrong is named, without its value: %s', (field, options) => {
    const given = { pool: database.pool, ...options } as unknown as PostgresStorageOptions
    let error: unknown
    try {
      postgresStorage(field === 'pool' ? (options as PostgresStorageOptions) : given)
    } catch (thrown) {
      error = thrown
    }
    expect(error).toMatchObject({ code: 'INVALID_CONFIG', field })
    expect(String(error)).not.toContain('hunter2')
  })

  it('is the pool, which is not the options', () => {
    const wrong = () => postgresStorage(database.pool as never)
    expect(wrong).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG', field: 'pool' }))
  })

  it.each([undefined, secret])('so it is for migrate: %s', async (pool) => {
    await expect(migrate(pool as never)).rejects.toMatchObject({ code: 'INVALID_CONFIG', field: 'pool' })
  })

  it.each([
    ['/nowhere', 'the database of the pool does not exist'],
    ['nobody@', 'the server rejects the role or the password of the pool'],
  ])('that the server refuses is named: %s', async (wrong, message) => {
    const url = new URL(database.url)
    if (wrong.startsWith('/')) url.pathname = wrong
    else url.username = 'nobody'
    const pool = createTestPool({ connectionString: url.href, max: 1 })
    const secrets = { encryptionKey: randomBytes(32) }
    const wrongly = createTaskboard({ storage: postgresStorage({ pool }), logger: false, secrets })
    const calls = [() => migrate(pool), () => wrongly.start(), () => wrongly.accounts.list()]
    for (const call of calls)
      await expect(call()).rejects.toMatchObject({ code: 'INVALID_CONFIG', field: 'pool', message })
    await wrongly.close()
    await pool.end()
  })
})

describe('a transaction', () => {
  it('says what a change without its tx may wait for', async () => {
    const board = taskboard.board(workspaceId)
    const work = taskboard.transaction(async (tx) => {
      await board.add({ title: 'with' }, { tx })
      await board.add({ title: 'without' })
    })
    await expect(work).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: expect.stringMatching(/did not respond within 300 ms.*pass its tx/) as unknown,
    })
  })

  it('is refused within another one, and not after it', async () => {
    const inner = () => taskboard.transaction(async () => 'done')
    const refused = await taskboard.transaction(async () => inner().catch((error: unknown) => error))
    expect(refused).toMatchObject({ code: 'MISSING_FIELD', field: 'tx' })
    let end = (): void => undefined
    const over = new Promise<void>((resolve) => (end = resolve))
    // What a transaction has begun goes on after it.
    const { later } = await taskboard.transaction(async () => ({ later: over.then(inner) }))
    end()
    expect(await later).toBe('done')
    expect(await Promise.all([inner(), inner()])).toEqual(['done', 'done'])
  })

  it('is none on a pool', async () => {
    const tx = database.pool as unknown as PgConnection
    const add = taskboard.board(workspaceId).add({ title: 'nowhere' }, { tx })
    await expect(add).rejects.toMatchObject({ code: 'INVALID_FIELD', field: 'tx' })
  })

  it('takes nothing after its end, as in memory', async () => {
    const over = await taskboard.transaction((tx) => Promise.resolve(tx))
    const add = taskboard.board(workspaceId).add({ title: 'late' }, { tx: over })
    await expect(add).rejects.toMatchObject({
      code: 'CONFLICT',
      message: 'the transaction is no longer open',
    })
  })

  it('is none on a client before its begin, and after its commit', async () => {
    const board = taskboard.board(workspaceId)
    const client = await database.pool.connect()
    const add = (title: string) => board.add({ title }, { tx: client }).catch((error: unknown) => error)
    const refused = { code: 'INVALID_FIELD', field: 'tx' }
    expect(await add('too early')).toMatchObject(refused)
    await client.query('begin')
    expect(await add('in time')).toMatchObject({ title: 'in time' })
    await client.query('commit')
    expect(await add('too late')).toMatchObject(refused)
    client.release()
    const titles = (await board.list('TODO')).tasks.map(({ title }) => title)
    expect(titles.filter((title) => title.includes(' '))).toEqual(['in time'])
  })
})
