import { createTaskboard } from '@taskboard/core'
import { openPglite, postgresStorage } from '@taskboard/postgres'
import { chmodSync, copyFileSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  createMigratedDatabase,
  createTestDatabase,
  type TestDatabase,
} from '@taskboard/kit/postgres/test-database'
import { newFolder, run, start, type Ended } from '../test/cli-process.js'

const opened: TestDatabase[] = []
let folder = ''

beforeEach(() => {
  folder = newFolder()
})
afterEach(async () => {
  for (const database of opened.splice(0)) await database.drop()
})

async function migrated(): Promise<TestDatabase> {
  const database = await createMigratedDatabase()
  opened.push(database)
  return database
}

const on = (database: TestDatabase, args: readonly string[], input?: string): Promise<Ended> =>
  run(args, { env: { DATABASE_URL: database.url }, ...(input !== undefined && { input }) })

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

describe('export and import', () => {
  it('go through pipes, and refuse what is no export', { timeout: 60_000 }, async () => {
    const [source, target] = [await migrated(), await migrated()]
    const made = await on(source, ['create-key', 'tests', '--new-account', 'Acme', '--scope', 'tasks:read'])
    expect(made).toMatchObject({ code: 0 })
    const { stdout, code } = await on(source, ['export', '-'])
    expect(code).toBe(0)
    expect(await on(target, ['import', '-'], stdout)).toMatchObject({ code: 0, stderr: '' })
    const cut = stdout.slice(0, stdout.indexOf('\n') + 1)
    expect(await on(target, ['import', '-'], cut)).toMatchObject({ code: 8 })
    const own = join(folder, 'notes.txt')
    writeFileSync(own, 'my notes\nwithout an end')
    copyFileSync(own, `${own}.kept`)
    expect(await on(source, ['export', own, '--resume'])).toMatchObject({ code: 2 })
    expect(readFileSync(own)).toEqual(readFileSync(`${own}.kept`))
    expect(await on(source, ['import', own])).toMatchObject({ code: 8 })
    expect(await on(source, ['import', join(folder, 'none')])).toMatchObject({ code: 4 })
    // What others can read does not get hashes of passwords and keys.
    const shared = join(folder, 'shared.ndjson')
    writeFileSync(shared, stdout.slice(0, -5), { mode: 0o644 })
    chmodSync(shared, 0o644)
    const refused = await on(source, ['export', shared, '--resume'])
    expect(refused).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('other users can read it') as string,
    })
    expect(readFileSync(shared, 'utf8')).toBe(stdout.slice(0, -5))
    chmodSync(shared, 0o600)
    expect(await on(source, ['export', shared, '--resume'])).toMatchObject({ code: 0 })
    expect(readFileSync(shared, 'utf8')).toBe(stdout)
    const accountId = /"table":"every_account","row":\{"id":"(acct_\w+)"/.exec(stdout)?.[1] ?? ''
    const frozen = await on(source, ['read-only', accountId, '--json'])
    expect(frozen.json()).toEqual({ account_id: accountId, read_only: true })
    const more = ['create-key', 'late', '--account', accountId, '--scope', 'tasks:read']
    expect(await on(source, more)).toMatchObject({
      code: 7,
      stderr: expect.stringContaining('no writes') as string,
    })
    expect(await on(source, ['read-only', accountId, '--off'])).toMatchObject({
      code: 0,
      stdout: `${accountId} takes writes\n`,
    })
    expect(await on(source, more)).toMatchObject({ code: 0 })
    const absent = join(folder, 'absent.ndjson')
    expect(await on(source, ['export', absent, '--account', 'acct_0'])).toMatchObject({ code: 4 })
    expect(sizeOf(absent)).toBe(0)
  })
})

describe('commands on a database', () => {
  it('plan, show and apply migrations, and create keys', { timeout: 60_000 }, async () => {
    const database = await createTestDatabase()
    opened.push(database)
    const before = await on(database, ['status', '--json'])
    expect(before).toMatchObject({ code: 9 })
    const { migrations } = before.json() as { migrations: { name: string; state: string }[] }
    expect(new Set(migrations.map(({ state }) => state))).toEqual(new Set(['pending']))
    const plan = await on(database, ['migrate', '--plan'])
    expect(plan.stdout).toMatch(/^-- 0000_bookkeeping\n(?:--.*\n)*create schema/)
    expect(await on(database, ['status'])).toMatchObject({ code: 9 })
    const both = await Promise.all([on(database, ['migrate', '--json']), on(database, ['migrate', '--json'])])
    for (const { code, stderr } of both) expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const applied = both.flatMap((one) => (one.json() as { applied: string[] }).applied)
    // Each by one of them.
    expect(applied).toEqual(['0000_bookkeeping', ...migrations.map(({ name }) => name)])
    expect((await on(database, ['migrate', '--json'])).json()).toEqual({ applied: [] })
    expect(await on(database, ['status'])).toMatchObject({ code: 0, stderr: '' })
    const key = await on(database, [
      'create-key',
      'ops',
      '--new-account',
      'Acme',
      '--scope',
      'tasks:read',
      '--days',
      '1',
    ])
    expect(key).toMatchObject({ code: 0 })
    expect(key.stdout).toMatch(/^tb_[0-9a-z]{39}\n$/)
    expect(key.stderr).not.toContain(key.stdout.trim())
    expect(await on(database, ['create-key', 'ops', '--scope', 'tasks:read'])).toMatchObject({ code: 2 })
    expect(await on(database, ['create-key', 'ops', '--scope', 'all', '--new-account', 'B'])).toMatchObject({
      code: 8,
    })
    await database.pool.query(
      'delete from taskboard.migration where number = (select max(number) from taskboard.migration)',
    )
    expect(await on(database, ['status'])).toMatchObject({
      code: 9,
      stderr: 'error: 1 migration is pending or altered: run `taskboard migrate`\n',
    })
  })

  it('prune done tasks', { timeout: 60_000 }, async () => {
    const database = await migrated()
    const taskboard = createTaskboard({
      storage: postgresStorage({ pool: database.pool }),
      secrets: { encryptionKey: Buffer.alloc(32) },
      logger: false,
    })
    const { workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'professional' })
    const board = taskboard.board(workspace.id)
    const first = await board.add({ title: 'First' })
    const second = await board.add({ title: 'Second', dependsOn: [first.id] })
    const open = await board.add({ title: 'Open' })
    for (const { id } of [first, second]) await board.move(id, 'DONE')
    const daysAgo = (days: number) =>
      database.pool.query('update taskboard.task set completed_at = taskboard.now_ms() - $1::bigint', [
        days * 86_400_000,
      ])
    await daysAgo(9)
    expect(await on(database, ['prune'])).toMatchObject({ code: 2 })
    expect(await on(database, ['prune', '--done-days', 'many'])).toMatchObject({ code: 2 })
    expect((await on(database, ['prune', '--done-days', '10', '--json'])).json()).toEqual({ deleted: 0 })
    await daysAgo(11)
    expect((await on(database, ['prune', '--done-days', '10', '--json'])).json()).toEqual({ deleted: 2 })
    expect((await board.list('TODO')).tasks.map(({ id }) => id)).toEqual([open.id])
    expect((await board.list('DONE')).tasks).toEqual([])
  })

  it('seal all secrets with the first key, over a kill half-way', { timeout: 120_000 }, async () => {
    const database = await migrated()
    const [older, newer] = ['1', '2'].map((digit) => ({ id: `k${digit}`, key: digit.repeat(64) })) as [
      { id: string; key: string },
      { id: string; key: string },
    ]
    const boardWith = (...encryptionKey: { id: string; key: string }[]) =>
      createTaskboard({
        storage: postgresStorage({ pool: database.pool }),
        secrets: { encryptionKey },
        logger: false,
      })
    const before = boardWith(older)
    await before.start()
    const { workspace } = await before.accounts.create({ name: 'Acme', tier: 'custom' })
    const { id } = await before.webhooks.register(workspace.id, {
      url: 'https://hooks.example/',
      events: ['task.created'],
      secret: 'a secret of sixteen',
    })
    await before.close()
    await database.pool.query(
      `insert into taskboard.webhook (id, workspace_id, url, events, secrets, weak_secret, created_at, updated_at)
       select 'wh_' || lpad(n::text, 26, '0'), workspace_id, url, events, secrets, weak_secret, created_at, updated_at
       from taskboard.webhook cross join generate_series(1, 10000) n where id = $1::text`,
      [id],
    )
    const countBy = async (key: { id: string }): Promise<number> => {
      const text = `select count(*)::int as n from taskboard.webhook where secrets -> 0 ->> 'sealed' like 'v1.' || $1::text || '.%'`
      return (await database.pool.query(text, [key.id])).rows[0].n as number
    }
    const keys = (...listed: { id: string; key: string }[]) => ({
      DATABASE_URL: database.url,
      TASKBOARD_ENCRYPTION_KEYS: listed.map((each) => `${each.id}:${each.key}`).join(','),
    })
    expect(await on(database, ['reseal'])).toMatchObject({ code: 2 })
    expect(await run(['reseal'], { env: { ...keys(), TASKBOARD_ENCRYPTION_KEYS: 'k1' } })).toMatchObject({
      code: 2,
    })
    // Another key than that of the board.
    expect((await run(['reseal'], { env: keys(newer) })).code).not.toBe(0)
    const killed = start(['reseal'], { env: { ...keys(newer, older), PGAPPNAME: 'killed' } })
    while ((await countBy(newer)) === 0) await new Promise(setImmediate)
    killed.signal('SIGKILL')
    await killed.ended
    // The server still runs the statement that it has.
    const sessions = `select from pg_stat_activity where application_name = 'killed'`
    while ((await database.pool.query(sessions)).rows.length > 0) await new Promise(setImmediate)
    const half = await countBy(newer)
    expect(half).toBeGreaterThan(0)
    const again = await run(['reseal', '--json'], { env: keys(newer, older) })
    expect(again).toMatchObject({ code: 0, stderr: '' })
    expect(again.json()).toEqual({ resealed: 10_001 - half, unreadable: 0 })
    expect([await countBy(newer), await countBy(older)]).toEqual([10_001, 0])
    const alone = await run(['reseal'], { env: keys(newer) })
    expect(alone).toMatchObject({ code: 0, stdout: '0 secrets were encrypted with the key k2\n' })
    const after = boardWith(newer)
    await after.start()
    await after.close()
  })

  it('work on a directory of PGlite', { timeout: 120_000 }, async () => {
    const data = ['--data', join(folder, 'board')]
    expect(await run(['migrate', ...data])).toMatchObject({ code: 0 })
    expect(
      await run(['create-key', 'ops', '--new-account', 'Acme', '--scope', 'tasks:read', ...data]),
    ).toMatchObject({
      code: 0,
    })
    const file = join(folder, 'board.ndjson')
    expect(await run(['export', file, ...data])).toMatchObject({ code: 0 })
    const target = await migrated()
    expect(await on(target, ['import', file])).toMatchObject({ code: 0 })
  })

  it('prune a directory of PGlite, and leave nothing of the tasks', { timeout: 120_000 }, async () => {
    const directory = join(folder, 'board')
    const data = ['--data', directory]
    expect(await run(['migrate', ...data])).toMatchObject({ code: 0 })
    const used = await openPglite(directory)
    const storage = postgresStorage({ pool: used.pool })
    const secrets = { encryptionKey: Buffer.alloc(32) }
    const taskboard = createTaskboard({ storage, secrets, logger: false })
    const { workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'professional' })
    const board = taskboard.board(workspace.id)
    const { id } = await board.add({ title: 'Old' })
    await board.comment(id, { body: 'A word that is to go.' })
    await board.usage(id, { model: 'm', inputTokens: 1, outputTokens: 1 })
    await board.move(id, 'DONE')
    await used.pool.query({ text: 'update taskboard.task set completed_at = 0', values: [] })
    await used.close()

    expect((await run(['prune', '--done-days', '10', '--json', ...data])).json()).toEqual({ deleted: 1 })
    const { pool, close } = await openPglite(directory)
    const parts = ['task', 'task_comment', 'task_usage', 'task_search', 'earlier_attempt', 'approval', 'todo']
    const text = parts.map((part) => `select '${part}' as part from taskboard.${part}`)
    expect((await pool.query({ text: text.join(' union all '), values: [] })).rows).toEqual([])
    await close()
  })

  it('hide the password of the database', { timeout: 60_000 }, async () => {
    const env = { DATABASE_URL: 'postgres://board:swordfish@127.0.0.1:1/board' }
    const one = start(['status'], { env })
    const { code, stdout, stderr } = await one.ended
    expect(code).toBe(7)
    expect(stdout + stderr).not.toContain('swordfish')
    expect(await run(['status'])).toMatchObject({ code: 2 })
    const wrong = await run(['status'], { env: { DATABASE_URL: 'mysql://board:swordfish@x/y' } })
    expect(wrong).toMatchObject({ code: 2 })
    expect(wrong.stderr).not.toContain('swordfish')
  })
})
