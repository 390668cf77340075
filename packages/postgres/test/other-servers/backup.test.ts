import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createTaskboard, defineAgent } from '@taskboard/core'
import { virtualClock } from '@taskboard/testing'
import { createTestPool } from '@taskboard/kit/postgres/test-database'
import { afterAll, describe, expect, it } from 'vitest'
import { migrate } from '../../src/index.js'
import { postgresStorage } from '../../src/postgres-storage.js'
import { debianServerWithJit, startDebianServer } from './debian-server.js'

const programs = debianServerWithJit()
const hasPrograms =
  programs !== null && ['pg_dump', 'pg_restore', 'psql'].every((name) => existsSync(join(programs, name)))
const root = new URL('../../../../', import.meta.url)
const page = readFileSync(new URL('docs/backup.md', root), 'utf8')
const OWNER_PASSWORD = 'change_me_owner'
const BOARD_PASSWORD = 'change_me_board'

const stopping: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const stop of stopping.toReversed()) await stop()
})

/** A server with the roles and the empty database of docs/deployment.md. */
async function startServer() {
  const server = await startDebianServer(programs ?? '')
  stopping.push(server.stop)
  const roles = fileURLToPath(new URL('examples/deployment/roles.sql', root))
  await promisify(execFile)(join(programs ?? '', 'psql'), ['-v', 'ON_ERROR_STOP=1', '-f', roles, server.url])
  const urlOf = (username: string, password: string): string =>
    Object.assign(new URL(server.url), { username, password, pathname: '/board' }).href
  return {
    ownerUrl: urlOf('board_owner', OWNER_PASSWORD),
    boardUrl: urlOf('board', BOARD_PASSWORD),
  }
}

/** Runs the command below a heading of the page in a folder. */
async function runCommand(heading: string, cwd: string, ownerUrl: string): Promise<void> {
  const [, section = ''] = page.split(`\n## ${heading}\n`)
  const [, command = ''] = /```sh\n([^`]*)```/.exec(section) ?? []
  const path = [programs, process.env['PATH']].join(delimiter)
  await promisify(execFile)('sh', ['-ec', command], {
    cwd,
    env: { PATH: path, OWNER_DATABASE_URL: ownerUrl },
  })
}

const agent = defineAgent({ type: 'general', run: (task) => `done: ${task.title}` })

function openBoard(url: string, encryptionKey: Buffer, agents = [agent]) {
  const clock = virtualClock(Date.now())
  const pool = createTestPool({ connectionString: url, max: 4 })
  stopping.push(() => pool.end())
  const taskboard = createTaskboard({
    storage: postgresStorage({ pool, listen: false }),
    agents,
    clock,
    secrets: { encryptionKey },
    logger: false,
  })
  return { taskboard, clock }
}

describe.skipIf(!hasPrograms)('a backup by docs/backup.md (where Debian has installed PostgreSQL)', () => {
  it('is restored on another server, where the work continues', { timeout: 60_000 }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'taskboard-backup-'))
    stopping.push(() => rm(folder, { recursive: true, force: true }))
    const [first, second] = await Promise.all([startServer(), startServer()])
    const owner = createTestPool({ connectionString: first.ownerUrl, max: 1 })
    await migrate(owner)
    await owner.end()

    const encryptionKey = randomBytes(32)
    const before = openBoard(first.boardUrl, encryptionKey, [])
    await before.taskboard.start()
    const { workspace } = await before.taskboard.accounts.create({ name: 'Acme', tier: 'professional' })
    const { id: webhookId } = await before.taskboard.webhooks.register(workspace.id, {
      url: 'https://receiver.example/hook',
      events: ['task.created'],
      secret: 'a long secret',
    })
    const board = before.taskboard.board(workspace.id)
    const { id: agentId } = await before.taskboard.agents.create(workspace.id, { name: 'A', type: 'general' })
    const claimed = await board.add({ title: 'claimed' })
    await board.claim({ agentId })
    const waiting = await board.add({ title: 'waiting' })
    const done = await board.add({ title: 'done' })
    await board.move(done.id, 'DONE')
    await runCommand('Dump', folder, first.ownerUrl)
    await before.taskboard.close()

    await runCommand('Restore', folder, second.ownerUrl)
    const wrong = openBoard(second.boardUrl, randomBytes(32))
    await expect(wrong.taskboard.start()).rejects.toMatchObject({ field: 'secrets.encryptionKey' })
    const after = openBoard(second.boardUrl, encryptionKey)
    await after.taskboard.start()
    const restored = after.taskboard.board(workspace.id)
    const columns = async () =>
      Promise.all([claimed, waiting, done].map(async ({ id }) => (await restored.get(id)).column))
    await expect
      .poll(() => after.clock.advance({ minutes: 2 }).then(columns))
      .toEqual(['DONE', 'DONE', 'DONE'])
    expect((await restored.get(waiting.id)).result).toBe('done: waiting')
    const { deliveries } = await after.taskboard.webhooks.deliveries(workspace.id, webhookId)
    expect(deliveries.length).toBe(3)
    await after.taskboard.close({ drainTimeoutMs: 0 })
  })
})
