import { plainPasswordHasher } from '@taskboard/testing'
import { createTaskboard } from '@taskboard/core'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createMigratedPglite } from '@taskboard/kit/postgres/migrated-pglite'
import { createMigratedDatabase } from '@taskboard/kit/postgres/test-database'
import { pglitePool } from '../pglite/pglite-pool.js'
import type { PgPool } from '../connection/pool.js'
import { postgresStorage } from '../postgres-storage.js'
import { exportLines, type ExportOptions } from './export-lines.js'
import { importLines } from './import-lines.js'

const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

const databases: Readonly<Record<string, () => Promise<PgPool>>> = {
  async PostgreSQL() {
    const { pool, drop } = await createMigratedDatabase()
    cleanUps.push(drop)
    return pool
  },
  async PGlite() {
    const pglite = await createMigratedPglite()
    cleanUps.push(() => pglite.close())
    return pglitePool(pglite)
  },
}

async function exported(pool: PgPool, options: ExportOptions = {}): Promise<readonly string[]> {
  const lines: string[] = []
  for await (const batch of exportLines(pool, options)) lines.push(...batch)
  return lines
}

/** The template is made once. */
beforeAll(async () => {
  await (await createMigratedPglite()).close()
}, 120_000)

/** Two accounts with some of everything. */
async function fill(pool: PgPool) {
  const taskboard = createTaskboard({
    storage: postgresStorage({ pool, listen: false }),
    logger: false,
    tokens: { secret: 'a secret of at least thirty-two bytes' },
    passwordHasher: plainPasswordHasher,
    secrets: { encryptionKey: Buffer.alloc(32, 7) },
  })
  const owner = { email: 'ada@acme.example', password: 'correct horse battery' }
  const { account, workspace } = await taskboard.accounts.create({
    name: 'Acme',
    tier: 'professional',
    owner,
  })
  const other = await taskboard.accounts.create({ name: 'Other', tier: 'enterprise' })
  const { key } = await taskboard.accounts.createKey({
    workspaceId: workspace.id,
    name: 'key',
    scopes: ['tasks:read'],
  })
  const { id: agentId } = await taskboard.agents.create(workspace.id, { name: 'Remote', type: 'remote' })
  const board = taskboard.board(workspace.id)
  const first = await board.add({
    title: 'Ærø “first”\n\\u0001',
    tags: ['a,b', '"c"'],
    metadata: { big: ['1'] },
  })
  const second = await board.add({ title: 'second', dependsOn: [first.id], dueDate: Date.now() + 86_400_000 })
  const done = await board.add({ title: 'done' })
  await board.move(done.id, 'DONE')
  await taskboard.board(other.workspace.id).add({ title: 'of another' })
  await taskboard.close()
  return { accountId: account.id, workspaceId: workspace.id, key, agentId, first, second, owner }
}

describe.each(Object.entries(databases))('an export on %s', (_, open) => {
  it('is the same after an import into another database', async () => {
    const [source, target] = [await open(), await open()]
    await fill(source)
    const lines = await exported(source)
    const progress = await importLines(target, lines)
    expect(progress).toEqual({ read: lines.length - 2, added: lines.length - 2, total: lines.length - 2 })
    expect(await exported(target)).toEqual(lines)
    expect(await importLines(target, lines)).toEqual({ ...progress, added: 0 })
    expect(await exported(target)).toEqual(lines)
  })

  it('is worked where it was imported', async () => {
    const [source, target] = [await open(), await open()]
    const { workspaceId, agentId, key, first, second } = await fill(source)
    await importLines(target, await exported(source))
    const taskboard = createTaskboard({
      storage: postgresStorage({ pool: target, listen: false }),
      logger: false,
      secrets: { encryptionKey: Buffer.alloc(32, 7) },
    })
    const board = taskboard.board(workspaceId)
    const { id, dependsOn, openDependencies } = await board.get(second.id)
    expect({ id, dependsOn, openDependencies }).toEqual({
      id: second.id,
      dependsOn: [first.id],
      openDependencies: 1,
    })
    await board.move(first.id, 'DONE')
    expect(await board.get(second.id)).toMatchObject({ openDependencies: 0 })
    expect(await taskboard.agents.list(workspaceId)).toContainEqual(expect.objectContaining({ id: agentId }))
    expect(key).toMatch(/^tb_/)
    await taskboard.close()
  })
})

describe('an export', () => {
  it('takes the check of the encryption key along', async () => {
    const open = databases['PGlite'] as () => Promise<PgPool>
    const [source, target] = [await open(), await open()]
    const start = async (pool: PgPool, byte: number) => {
      const secrets = { encryptionKey: Buffer.alloc(32, byte) }
      const storage = postgresStorage({ pool, listen: false })
      const taskboard = createTaskboard({ storage, logger: false, secrets })
      try {
        await taskboard.start()
      } finally {
        await taskboard.close()
      }
    }
    await start(source, 7)
    await importLines(target, await exported(source))
    await expect(start(target, 8)).rejects.toMatchObject({ field: 'secrets.encryptionKey' })
    await start(target, 7)
  })

  it('continues behind any of its lines', async () => {
    const pool = await databases['PGlite']?.()
    if (pool === undefined) throw new Error('no database')
    await fill(pool)
    const lines = await exported(pool)
    for (const [index, last] of lines.entries()) {
      const rest = await exported(pool, { resume: { first: lines[0] ?? '', last } })
      expect(rest).toEqual(lines.slice(index + 1))
    }
  })

  it('refuses to continue after a change', async () => {
    const pool = await (databases['PGlite'] as () => Promise<PgPool>)()
    const { workspaceId } = await fill(pool)
    const lines = await exported(pool)
    const taskboard = createTaskboard({
      storage: postgresStorage({ pool, listen: false }),
      logger: false,
      secrets: { encryptionKey: Buffer.alloc(32, 7) },
    })
    await taskboard.board(workspaceId).add({ title: 'later' })
    await taskboard.close()
    const resume = { first: lines[0] ?? '', last: lines[3] ?? '' }
    await expect(exported(pool, { resume })).rejects.toMatchObject({ code: 'CONFLICT' })
  })

  it('has one account, or one workspace without users', async () => {
    const pool = await (databases['PGlite'] as () => Promise<PgPool>)()
    const { accountId, workspaceId, owner } = await fill(pool)
    const account = await exported(pool, { accountId })
    expect(account.join()).toContain(owner.email)
    expect(account.join()).not.toContain('of another')
    const workspace = await exported(pool, { workspaceId })
    expect(workspace.join()).not.toContain(owner.email)
    expect(workspace.join()).toContain('second')
    await expect(exported(pool, { accountId: 'acct_0' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it('is refused when it is cut, or no export, or of another schema', async () => {
    const [source, target] = [
      await (databases['PGlite'] as () => Promise<PgPool>)(),
      await (databases['PGlite'] as () => Promise<PgPool>)(),
    ]
    await fill(source)
    const lines = await exported(source)
    await expect(importLines(target, lines.slice(0, -3))).rejects.toThrow(
      /not complete: it has \d+ of \d+ rows/,
    )
    for (const lacking of [lines.slice(0, -1), lines.toSpliced(-2, 1)])
      await expect(importLines(target, lacking)).rejects.toThrow('not complete')
    await expect(importLines(target, ['{}'])).rejects.toThrow('line 1 is not the header')
    await expect(importLines(target, [...lines.slice(0, 3), '{"table":"task"'])).rejects.toThrow('line 4')
    const older = lines[0]?.replace(/"schema":"\w+"/, '"schema":"0001_board"') ?? ''
    await expect(importLines(target, [older])).rejects.toMatchObject({ code: 'INVALID_CONFIG' })
    await importLines(target, lines)
    expect(await exported(target)).toEqual(lines)
  })
})
