import { createScoring, defaultScoring, silentLogger, type Scoring, type Storage } from '@taskboard/core'
import { createNewId, systemClock } from '@taskboard/core/storage'
import { newTask } from '@taskboard/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase, createTestPool, type TestDatabase } from '@taskboard/kit/postgres/test-database'
import { migrate } from './migrations/migrate.js'
import type { PgConnection } from './connection/pool.js'
import { postgresStorage } from './postgres-storage.js'

let database: TestDatabase
beforeEach(async () => {
  database = await createTestDatabase()
})
afterEach(async () => {
  await Promise.all(opened.splice(0).map((storage) => storage.close()))
  await database.drop()
})

const opened: Storage<PgConnection>[] = []

function bound(scoring: Scoring = defaultScoring) {
  const storage = postgresStorage({ pool: database.pool })
  storage.bind({
    scoring,
    newId: createNewId(),
    clock: systemClock,
    logLimit: 5,
    outputLimit: 3,
    logger: silentLogger,
  })
  opened.push(storage)
  return storage
}

async function addTask(storage: ReturnType<typeof bound>) {
  const at = { now: null }
  const { workspace } = await storage.access.insertAccount(
    { name: 'a', tier: 'professional', workspaceName: 'w', agent: null },
    at,
  )
  const task = newTask({ workspaceId: workspace.id })
  await storage.tasks.insertTask({ task, actor: { kind: 'host', id: null }, idempotency: null }, at)
}

const other = createScoring({ weights: { flag: 10 } })

describe('postgresStorage', () => {
  it('opens no connection when it is created, bound and closed', async () => {
    await bound().close()
    expect(database.pool.totalCount).toBe(0)
  })

  it('names the option for its own prepared statements that are gone, and leaves those of the host alone', async () => {
    await migrate(database.pool)
    const pool = createTestPool({ connectionString: database.url, max: 1 })
    const storage = postgresStorage({ pool, listen: false })
    const list = () => storage.access.listAccounts({ limit: 1 }, { now: null })
    await list()
    await pool.query('discard all')
    await expect(list()).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      field: 'preparedStatements',
      message: expect.stringContaining('discard all'),
    })
    const ofHost = storage.transaction((tx) => tx.query({ text: 'execute of_the_host', values: [] }))
    await expect(ofHost).rejects.toMatchObject({ code: '26000' })
    await pool.end()
  })

  it('refuses a database that was not migrated, and says what to run', async () => {
    await expect(bound().open()).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      message: expect.stringContaining('migrate'),
    })
  })

  it('accepts a newer schema, and refuses one whose migrations were altered', async () => {
    await migrate(database.pool)
    await database.pool.query(
      `insert into taskboard.migration (number, name, digest) values (999, 'later', 'x')`,
    )
    await bound().open()
    await database.pool.query(`update taskboard.migration set digest = 'x' where number = 1`)
    await expect(bound().open()).rejects.toMatchObject({ code: 'INVALID_CONFIG' })
  })

  it('adopts the bound weights while there are no tasks, and then requires a rescore', async () => {
    await migrate(database.pool)
    await bound(other).open()
    const storage = bound()
    await storage.open()
    await addTask(storage)
    await storage.open()
    const changed = bound(other)
    await expect(changed.open()).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      message: expect.stringContaining('call `taskboard.rescore()` before `start()`'),
    })
    await changed.tasks.rescore({ now: null })
    await changed.open()
    await expect(storage.open()).rejects.toMatchObject({ code: 'INVALID_CONFIG' })
  })

  it('does not start after an interrupted rescore until another one finishes', async () => {
    await migrate(database.pool)
    const storage = bound()
    await storage.open()
    await addTask(storage)
    await database.pool.query(
      `create function taskboard.break_off() returns trigger language plpgsql as $$ begin raise 'cut'; end $$;
       create trigger break_off before update on taskboard.todo execute function taskboard.break_off()`,
    )
    const changed = bound(other)
    await expect(changed.tasks.rescore({ now: null })).rejects.toThrow('cut')
    await expect(changed.open()).rejects.toMatchObject({ code: 'INVALID_CONFIG', field: 'priority' })
    await expect(storage.open()).rejects.toMatchObject({ code: 'INVALID_CONFIG', field: 'priority' })
    await database.pool.query('drop trigger break_off on taskboard.todo')
    expect(await changed.tasks.rescore({ now: null })).toBe(1)
    await changed.open()
  })

  it('is SERVICE_UNAVAILABLE when the database cannot be reached', async () => {
    const unreachable = () => Promise.reject(Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }))
    const storage = postgresStorage({ pool: { query: unreachable, connect: unreachable } })
    await expect(storage.open()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
  })

  it('refuses an invalid time-out and names it', () => {
    expect(() => postgresStorage({ pool: database.pool, statementTimeoutMs: 0 })).toThrow(
      expect.objectContaining({ code: 'INVALID_CONFIG', field: 'statementTimeoutMs' }),
    )
  })

  it('rejects when a transaction was rolled back because of an error that the work caught', async () => {
    await migrate(database.pool)
    const work = bound().transaction(async (tx) => {
      await tx.query({ text: 'select 1 / 0', values: [] }).catch(() => undefined)
    })
    await expect(work).rejects.toMatchObject({ code: '25P02' })
  })

  it('works without prepared statements', async () => {
    await migrate(database.pool)
    const storage = postgresStorage({ pool: database.pool, preparedStatements: false })
    expect(await storage.events.feedEnd({ after: null }, { now: null })).toEqual(expect.any(String))
    const { rows } = await database.pool.query('select name from pg_prepared_statements')
    expect(rows).toEqual([])
  })
})
