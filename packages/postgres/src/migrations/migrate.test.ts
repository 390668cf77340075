import { PGlite } from '@electric-sql/pglite'
import { defaultScoring } from '@taskboard/core'
import { readdir, readFile } from 'node:fs/promises'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '@taskboard/kit/postgres/test-database'
import { pglitePool } from '../pglite/pglite-pool.js'
import type { PgPool } from '../connection/pool.js'
import { scoringColumns } from '../database/stored-scoring.js'
import { postgresStorage } from '../postgres-storage.js'
import { bookkeeping, knownMigrations } from './known-migrations.js'
import { migrate, migrateWith, migrationStatus, planMigrations } from './migrate.js'
import { titleOf, type Migration } from './migration.js'

const names = knownMigrations.map(titleOf)
const nextNumber = (knownMigrations.at(-1)?.number ?? 0) + 1
const rowsOf = async (pool: PgPool, text: string) => (await pool.query({ text, values: [] })).rows

describe('the migrations', () => {
  it('are the files of schema/ and migrations/, in their order', async () => {
    const textsOf = async (folder: string): Promise<readonly string[]> => {
      const directory = new URL(`../../${folder}/`, import.meta.url)
      const files = await readdir(directory).catch(() => [])
      const sqlFiles = files.filter((file) => file.endsWith('.sql')).toSorted()
      return Promise.all(sqlFiles.map((file) => readFile(new URL(file, directory), 'utf8')))
    }
    const [first, ...schema] = await textsOf('schema')
    expect(bookkeeping).toBe(first)
    expect(knownMigrations.map(({ sql }) => sql)).toEqual([
      schema.join('\n'),
      ...(await textsOf('migrations')),
    ])
    expect(knownMigrations.map(({ number }) => number)).toEqual(knownMigrations.map((_, index) => index + 1))
  })
})

let database: TestDatabase
beforeEach(async () => {
  database = await createTestDatabase()
})
afterEach(() => database.drop())

describe('migrate', () => {
  it('applies all once, and then nothing', async () => {
    const { pool } = database
    expect(await migrate(pool)).toEqual(['0000_bookkeeping', ...names])
    expect(await migrate(pool)).toEqual([])
    const stored = Object.entries(scoringColumns(defaultScoring)).map(([name, value]) => [
      name,
      String(value),
    ])
    expect(await rowsOf(pool, 'select * from taskboard.scoring')).toEqual([
      { only_row: true, rescoring: null, ...Object.fromEntries(stored) },
    ])
  })

  it('runs once when many start at once', async () => {
    const { pool } = database
    for (let round = 0; round < 5; round++) {
      await rowsOf(pool, 'drop schema if exists taskboard cascade')
      // Each connection has seen, and may have cached, that the table does not exist.
      await Promise.all(Array.from({ length: 8 }, () => planMigrations(pool)))
      const runs = await Promise.all(Array.from({ length: 8 }, () => migrate(pool)))
      expect(runs.filter((applied) => applied.length > 0)).toEqual([['0000_bookkeeping', ...names]])
    }
  })

  it('applies only the new migrations to a database of an earlier version', async () => {
    const { pool } = database
    const next: Migration = { number: nextNumber, name: 'next', sql: 'create table taskboard.next ();' }
    await migrate(pool)
    expect(await migrateWith(pool, [...knownMigrations, next])).toEqual([titleOf(next)])
    expect(await rowsOf(pool, `select to_regclass('taskboard.next')::text as name`)).toEqual([
      { name: 'taskboard.next' },
    ])
  })

  it('leaves nothing of a run that fails', async () => {
    const { pool } = database
    const bad: Migration = {
      number: nextNumber,
      name: 'bad',
      sql: 'create table taskboard.bad (); select 1 / 0;',
    }
    await expect(migrateWith(pool, [...knownMigrations, bad])).rejects.toMatchObject({ code: '22012' })
    expect(await rowsOf(pool, `select to_regnamespace('taskboard')::text as name`)).toEqual([{ name: null }])
    expect(await migrate(pool)).toEqual(['0000_bookkeeping', ...names])
  })

  it('refuses a database whose migrations were altered or are newer, and names the migration', async () => {
    const { pool } = database
    await migrate(pool)
    await rowsOf(pool, `insert into taskboard.migration (number, name, digest) values (999, 'later', 'x')`)
    const newer = { code: 'INVALID_CONFIG', message: expect.stringContaining('newer') }
    await expect(migrate(pool)).rejects.toMatchObject(newer)
    await expect(planMigrations(pool)).rejects.toMatchObject({
      message: expect.stringContaining('0999_later'),
    })
    expect((await migrationStatus(pool)).at(-1)).toMatchObject({ name: '0999_later', state: 'unknown' })

    await rowsOf(pool, `delete from taskboard.migration where number = 999`)
    await rowsOf(pool, `update taskboard.migration set digest = 'x' where number = 1`)
    const altered = { code: 'INVALID_CONFIG', message: expect.stringContaining('0001_schema') }
    await expect(migrate(pool)).rejects.toMatchObject(altered)
    expect(await migrationStatus(pool)).toMatchObject([
      { state: 'altered' },
      ...names.slice(1).map(() => ({})),
    ])
  })

  it('refuses a database that was made by other migrations, and says what to do', async () => {
    const { pool } = database
    await rowsOf(pool, bookkeeping)
    await rowsOf(
      pool,
      `insert into taskboard.migration (number, name, digest) values (1, 'board', 'x'), (2, 'limits', 'y')`,
    )
    const refusal = {
      code: 'INVALID_CONFIG',
      message: expect.stringMatching(/0001_board where .* has 0001_schema, .*: create a new database/),
    }
    await expect(migrate(pool)).rejects.toMatchObject(refusal)
    await expect(planMigrations(pool)).rejects.toMatchObject(refusal)
    await expect(postgresStorage({ pool, listen: false }).open()).rejects.toMatchObject(refusal)
    expect(await migrationStatus(pool)).toMatchObject([
      { name: '0001_board', state: 'altered' },
      { name: '0002_limits', state: 'unknown' },
    ])
  })

  it('needs no right to change a database that is up to date', async () => {
    await migrate(database.pool)
    await rowsOf(database.pool, `create role reader_of_${process.pid} login password 'x'`)
    const name = `reader_of_${process.pid}`
    try {
      await rowsOf(database.pool, `grant usage on schema taskboard to ${name}`)
      await rowsOf(database.pool, `grant select on taskboard.migration to ${name}`)
      const client = await database.pool.connect()
      try {
        await client.query(`set role ${name}`)
        const pool: PgPool = {
          query: (query) => client.query(query),
          connect: () => Promise.reject(new Error('none')),
        }
        expect(await migrate(pool)).toEqual([])
      } finally {
        client.release(true)
      }
    } finally {
      await rowsOf(database.pool, `drop owned by ${name}`)
      await rowsOf(database.pool, `drop role ${name}`)
    }
  })

  it('reports a database that cannot be reached', async () => {
    const unreachable = () => Promise.reject(Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }))
    await expect(migrate({ query: unreachable, connect: unreachable })).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    })
  })
})

describe('planMigrations', () => {
  it('returns what migrate would do as SQL to run by hand, and changes nothing', async () => {
    const { pool } = database
    const plan = await planMigrations(pool)
    expect(plan.map(({ name }) => name)).toEqual(['0000_bookkeeping', ...names])
    expect(await planMigrations(pool)).toEqual(plan)
    for (const { sql } of plan) await rowsOf(pool, sql)
    expect(await planMigrations(pool)).toEqual([])
    expect(await migrationStatus(pool)).toMatchObject(names.map((name) => ({ name, state: 'applied' })))
  })
})

describe('migrationStatus', () => {
  it('returns what is pending and when the rest was applied', async () => {
    const { pool } = database
    expect(await migrationStatus(pool)).toEqual(
      names.map((name) => ({ name, state: 'pending', appliedAt: null })),
    )
    await migrate(pool)
    const [first] = await migrationStatus(pool)
    const [row] = (await rowsOf(pool, 'select applied_at from taskboard.migration')) as { applied_at: Date }[]
    expect(first).toEqual({ name: names[0], state: 'applied', appliedAt: row?.applied_at.getTime() })
  })
})

describe('on PGlite', () => {
  const pglite = new PGlite()
  afterAll(() => pglite.close())

  it('is migrated by the same', async () => {
    const pool = pglitePool(pglite)
    const runs = await Promise.all([migrate(pool), migrate(pool)])
    expect(runs.filter((applied) => applied.length > 0)).toEqual([['0000_bookkeeping', ...names]])
    expect(await migrationStatus(pool)).toMatchObject(names.map((name) => ({ name, state: 'applied' })))
  })
})
