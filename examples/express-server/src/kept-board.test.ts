import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  assertWorkedTogether,
  launch,
  openCuttingProxy,
  startFollower,
  startServer,
  type ServerProcess,
} from '@taskboard/example-demo/testing'
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest'
import { fillPgliteDirectory } from '@taskboard/kit/postgres/migrated-pglite'
import { createTestDatabase } from '@taskboard/kit/postgres/test-database'

const main = new URL('main.js', inject('programs'))

interface WireTask {
  readonly id: string
}

let data: string
beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'taskboard-kept-'))
})
afterEach(() => rm(data, { recursive: true, force: true }))

/** Adds tasks, several at a time, until the process has ended; returns the ids of acknowledged ones. */
async function addUntilKilled(server: ServerProcess, killAfter: number): Promise<readonly string[]> {
  const ids: string[] = []
  const addSome = async (): Promise<void> => {
    for (;;) {
      const { status, json } = await server.call('add', { title: 'Kept', description: 'wait 30s' })
      expect(status).toBe(200)
      ids.push((json as { readonly task: WireTask }).task.id)
      if (ids.length === killAfter) server.signal('SIGKILL')
    }
  }
  await Promise.allSettled([addSome(), addSome(), addSome(), addSome()])
  await server.ended
  return ids
}

async function idsOnBoard(server: ServerProcess): Promise<readonly string[]> {
  const answers = await Promise.all(['todo', 'doing', 'done'].map((column) => server.call(column)))
  return answers
    .flatMap(({ json }) => (json as { readonly tasks: readonly WireTask[] }).tasks)
    .map(({ id }) => id)
}

const workspaceOf = (server: ServerProcess): string | undefined =>
  /Workspace: (ws_\w+ of the account "Demo")/.exec(server.output())?.[1]

describe('the board of npm start', { timeout: 240_000 }, () => {
  it('has every acknowledged task after a kill -9, and is held by one process at a time', async () => {
    const settings = { TASKBOARD_DATA: data }
    const first = await startServer(main, settings)
    expect(first.output()).toContain(`State:     in PGlite under ${data}, kept`)
    expect(first.output()).toContain('of the account "Demo", new')
    expect((await stat(join(data, 'encryption-key'))).mode & 0o777).toBe(0o600)

    const second = await launch(main, settings)
    expect(await second.ended).toEqual({ code: 1, signal: null })
    expect(second.output()).toMatch(
      /^Cannot start: TASKBOARD_DATA cannot be used: .* is in use by the process \d+: .*\n$/,
    )

    const added = await addUntilKilled(first, 20)
    expect(added.length).toBeGreaterThanOrEqual(20)
    const again = await startServer(main, settings)
    expect(again.output()).toContain('of the account "Demo", found')
    expect(workspaceOf(again)).toBe(workspaceOf(first))
    expect(again.key).not.toBe(first.key)
    expect(await idsOnBoard(again)).toEqual(expect.arrayContaining([...added]))
    again.signal('SIGTERM')
    await again.kill()
  })

  it('is followed through a restart, which hands the task under way to the next process', async () => {
    await fillPgliteDirectory(data)
    const settings = { TASKBOARD_DATA: data, TASKBOARD_DRAIN_MS: '50' }
    const first = await startServer(main, settings)
    const proxy = await openCuttingProxy(first.url)
    const workspaceId = /Workspace: (ws_\w+)/.exec(first.output())?.[1] ?? ''
    const follower = startFollower({ url: proxy.url, key: first.key }, workspaceId)
    await follower.heard(({ type }) => type === 'subscribed')
    await first.call('add', { title: 'Long', description: 'wait 30s' })
    await follower.heard(({ type }) => type === 'task.started')
    first.signal('SIGTERM')
    expect(await follower.cut()).toMatchObject({ code: 1001 })
    expect(await first.ended).toEqual({ code: 0, signal: null })

    const again = await startServer(main, settings)
    proxy.mend(again.url)
    const { seq: movedAt = 0 } = await follower.heard(({ type }) => type === 'task.moved')
    await follower.heard(({ type, seq = 0 }) => type === 'task.started' && seq > movedAt)
    const received = follower.messages.filter(({ type }) => type.startsWith('task.'))
    expect(received.map(({ type }) => type)).toEqual([
      'task.created',
      'task.started',
      'task.moved',
      'task.started',
    ])
    await follower.stop()
    await proxy.close()
    await again.kill()
  })

  it('goes on with a list that waits for people, each time in another process after a kill -9', async () => {
    await fillPgliteDirectory(data)
    const settings = { TASKBOARD_DATA: data }
    const last = await assertWorkedTogether(await startServer(main, settings), async (server) => {
      await server.kill()
      return startServer(main, settings)
    })
    await last.kill()
  })

  it('is on the Postgres of DATABASE_URL, and survives the end of all connections', async () => {
    const database = await createTestDatabase()
    const settings = { TASKBOARD_DATA: data, DATABASE_URL: database.url }
    const server = await startServer(main, settings)
    expect(server.output()).toContain(`database ${new URL(database.url).pathname.slice(1)} at`)
    expect(server.output()).not.toContain(new URL(database.url).password)
    await server.call('add', { title: 'Kept' })
    await server.printed(/Completed: Kept/)

    await database.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
    )
    const statuses = new Set<number>()
    while (!statuses.has(200)) statuses.add((await server.call('done')).status)
    expect([...statuses].filter((status) => status !== 200 && status !== 503)).toEqual([])
    server.signal('SIGTERM')
    expect(await server.ended).toEqual({ code: 0, signal: null })

    const again = await startServer(main, settings)
    expect(again.output()).toContain('of the account "Demo", found')
    expect(await idsOnBoard(again)).toHaveLength(1)
    await again.kill()
    await database.drop()
  })
})
