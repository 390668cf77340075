import {
  createTaskboard,
  defaultScoring,
  defineAgent,
  silentLogger,
  type Clock,
  type Logger,
} from '@taskboard/core'
import { createNewId, createStorageSettings, systemClock } from '@taskboard/core/storage'
import { virtualClock, webhookReceiver } from '@taskboard/testing'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '@taskboard/kit/postgres/test-database'
import { migrate } from '../migrations/migrate.js'
import type { PgConnection, PgPool, PgQuery } from '../connection/pool.js'
import { postgresStorage } from '../postgres-storage.js'
import { createCommitNotifications, type CommitNotifications } from './commit-notifications.js'

let database: TestDatabase
/** Closed after each test, the last opened first. */
let opened: (() => Promise<void>)[] = []
beforeEach(async () => {
  database = await createTestDatabase()
})
afterEach(async () => {
  for (const close of opened.reverse()) await close()
  opened = []
  await database.drop()
})

function poolOf(options: pg.PoolConfig = {}): pg.Pool {
  const pool = new pg.Pool({ connectionString: database.url, ...options })
  // The end of a pool does not wait for its connections, and one of them may report the drop of the database. Nothing
  // listens to the connections themselves, because tests count the listeners.
  pool.on('error', () => undefined)
  opened.push(() => pool.end())
  return pool
}

interface Process {
  readonly pool: pg.Pool
  readonly notifications: CommitNotifications
  /** Resolves at the next commit signal. */
  nextCommit(): Promise<void>
  /** The number of commit signals. */
  readonly times: () => number
}

async function processOf(
  options: {
    readonly listen?: boolean | PgPool
    readonly clock?: Clock
    readonly pool?: pg.PoolConfig
    readonly logger?: Logger
  } = {},
): Promise<Process> {
  const settings = createStorageSettings()
  const { clock = systemClock, logger = silentLogger } = options
  settings.bind({
    clock,
    newId: createNewId(),
    scoring: defaultScoring,
    logLimit: 1,
    outputLimit: 1,
    logger,
  })
  const pool = poolOf(options.pool)
  const notifications = createCommitNotifications({ pool, listen: options.listen ?? true, settings })
  opened.push(() => notifications.close())
  await notifications.open()
  let count = 0
  notifications.commits.listen(() => void (count += 1))
  const nextCommit = () =>
    new Promise<void>((resolve) => {
      const stop = notifications.commits.listen(() => {
        stop()
        resolve()
      })
    })
  return { pool, notifications, nextCommit, times: () => count }
}

const listeners = async (): Promise<readonly number[]> => {
  const { rows } = await database.pool.query<{ pid: number }>(
    `select pid from pg_stat_activity where datname = current_database() and query = 'listen taskboard'`,
  )
  return rows.map(({ pid }) => pid)
}

describe('commit notifications', () => {
  it('signals a commit to the other processes, and once to this one', async () => {
    const writer = await processOf()
    const [first, second] = [await processOf(), await processOf()]
    const both = Promise.all([first.nextCommit(), second.nextCommit()])
    writer.notifications.commits.raise()
    await both
    // Its own notification arrives before the answer to the connection's next query.
    const all = Promise.all([writer.nextCommit(), first.nextCommit(), second.nextCommit()])
    second.notifications.commits.raise()
    await all
    expect([writer.times(), first.times(), second.times()]).toEqual([2, 2, 2])
  })

  it('sends commits without being open', async () => {
    const open = await processOf()
    const settings = createStorageSettings()
    const unopened = createCommitNotifications({ pool: poolOf(), listen: true, settings })
    const signaled = open.nextCommit()
    unopened.commits.raise()
    await signaled
    await unopened.close()
    expect(open.times()).toBe(1)
  })

  it('holds no connection when it is off, or would hold the only one', async () => {
    const off = await processOf({ listen: false })
    const only = await processOf({ pool: { max: 1 } })
    expect([off.pool.totalCount, only.pool.totalCount]).toEqual([0, 0])
    const listening = await processOf()
    expect(listening.pool.totalCount - listening.pool.idleCount).toBe(1)
    for (const { notifications } of [off, only]) {
      const signaled = listening.nextCommit()
      notifications.commits.raise()
      await signaled
    }
    const back = listening.nextCommit()
    listening.notifications.commits.raise()
    await back
    expect([off.times(), only.times()]).toEqual([1, 1])
  })

  it('listens on a separate pool when given one, and refuses one that cannot', async () => {
    const direct = poolOf({ max: 1 })
    const apart = await processOf({ listen: direct, pool: { max: 1 } })
    expect([apart.pool.idleCount, direct.totalCount, direct.idleCount]).toEqual([1, 1, 0])
    const writer = await processOf({ listen: false })
    const signaled = apart.nextCommit()
    writer.notifications.commits.raise()
    await signaled

    const silent: PgPool = {
      query: (query) => direct.query(query),
      connect: async () => ({ query: (query) => direct.query(query), release: () => undefined }),
    }
    await expect(processOf({ listen: silent })).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      field: 'listen',
    })
  })

  it('does not listen when the clients of the pool emit nothing, and does nothing on PGlite', async () => {
    const settings = createStorageSettings()
    let releases = 0
    const pool = poolOf()
    const silent: PgPool = {
      query: (query) => pool.query(query),
      connect: async () => ({ query: (query) => pool.query(query), release: () => void (releases += 1) }),
    }
    const notifications = createCommitNotifications({ pool: silent, listen: true, settings })
    await notifications.open()
    expect(releases).toBe(1)
    await notifications.close()

    const never = () => Promise.reject(new Error('not to be asked'))
    const sole = createCommitNotifications({
      pool: { query: never, connect: never, isSoleUser: true },
      listen: true,
      settings,
    })
    await sole.open()
    let count = 0
    sole.commits.listen(() => void (count += 1))
    sole.commits.raise()
    await sole.close()
    expect(count).toBe(1)
  })

  it('opens although the pool to listen on has no connection, and listens once it has one', async () => {
    const settings = createStorageSettings()
    const clock = virtualClock(0)
    settings.bind({
      clock,
      newId: createNewId(),
      scoring: defaultScoring,
      logLimit: 1,
      outputLimit: 1,
      logger: silentLogger,
    })
    const pool = poolOf()
    const direct = poolOf({ max: 1 })
    const taken = await direct.connect()
    const timeouts = { connectTimeoutMs: 50, statementTimeoutMs: 5_000 }
    const notifications = createCommitNotifications({ pool, listen: direct, settings, timeouts })
    opened.push(() => notifications.close())
    await notifications.open()
    expect(await listeners()).toEqual([])
    taken.release()
    const resumed = new Promise<void>((resolve) => notifications.commits.listen(() => resolve()))
    await clock.advance({ ms: 250 })
    await resumed
    expect(await listeners()).toHaveLength(1)
  })

  it('listens again when its connection is ended, and looks for missed commits', async () => {
    const clock = virtualClock(0)
    const reader = await processOf({ clock })
    const [lost] = await listeners()
    const writer = await processOf()
    const removed = once(reader.pool, 'remove')
    const resumed = reader.nextCommit()
    // Waits until the server's process has ended, possibly after its end of the connection.
    await database.pool.query('select pg_terminate_backend($1, 10000)', [lost])
    await removed
    expect(reader.times()).toBe(0)
    await clock.advance({ ms: 250 })
    await resumed
    expect(await listeners()).toHaveLength(2)
    await clock.advance({ ms: 20 })
    const signaled = reader.nextCommit()
    writer.notifications.commits.raise()
    await signaled
    expect(reader.times()).toBe(2)
  })

  it('drops a connection that no longer answers, and keeps one that does', async () => {
    const { now, setTimer, advance } = virtualClock(0)
    // Without `track` the clock continues although there is no answer.
    const clock: Clock = { now, setTimer }
    const pool = poolOf()
    let isSilent = false
    const answered: Promise<unknown>[] = []
    const source: PgPool = {
      query: (query) => pool.query(query),
      async connect() {
        const client = await pool.connect()
        const query = (asked: PgQuery) => {
          const answer = isSilent ? new Promise<never>(() => undefined) : client.query(asked)
          if (asked.text === 'select 1') answered.push(answer)
          return answer
        }
        return Object.assign(Object.create(client) as typeof client, { query })
      },
    }
    await processOf({ listen: source, clock })
    const held = await listeners()
    await advance({ minutes: 1 })
    await answered[0]
    await advance({ minutes: 1 })
    expect(answered).toHaveLength(2)
    await answered[1]
    expect(await listeners()).toEqual([])

    isSilent = true
    const removed = once(pool, 'remove')
    await advance({ minutes: 2 })
    await removed
    expect(held).toHaveLength(1)
    isSilent = false
    const connected = once(pool, 'connect')
    await advance({ ms: 250 })
    await connected
  })

  it('warns when nothing arrives on its connection within a second, and not when it does', async () => {
    const clock = virtualClock(0)
    const warnings: string[] = []
    const logger = { ...silentLogger, warn: (_: object, message: string) => void warnings.push(message) }
    const pool = poolOf()
    // Listens on the server, but what arrives gets lost, as in a pooler.
    const deaf: PgPool = {
      query: (query) => pool.query(query),
      async connect() {
        const client = await pool.connect()
        const on: (typeof client)['on'] = (event, listener) =>
          event === 'notification' ? client : client.on(event, listener)
        const query = (asked: PgQuery) => client.query(asked)
        return Object.assign(Object.create(client) as typeof client, { on, query })
      },
    }
    await processOf({ listen: deaf, clock, logger })
    await clock.advance({ ms: 999 })
    expect(warnings).toEqual([])
    await clock.advance({ ms: 1 })
    expect(warnings).toEqual([expect.stringContaining('set listen of postgresStorage to false')])
    await processOf({ clock, logger })
    await clock.advance({ ms: 5_000 })
    expect(warnings).toHaveLength(1)
  })

  it('releases its connection in its original state, and leaves no timer', async () => {
    const clock = virtualClock(0)
    const one = await processOf({ clock, pool: { max: 2 } })
    const { notifications, pool } = one
    notifications.commits.raise()
    await notifications.close()
    expect([pool.totalCount, pool.idleCount, clock.pending().timers]).toEqual([2, 2, []])
    const { rows } = await pool.query('select * from pg_listening_channels()')
    expect(rows).toEqual([])
    const client = await pool.connect()
    expect(['notification', 'error', 'end'].map((event) => client.listenerCount(event))).toEqual([0, 0, 0])
    client.release()
    await notifications.close()
  })
})

describe('the background work of another process', () => {
  it('begins with the commit that creates it', async () => {
    await migrate(database.pool)
    const encryptionKey = randomBytes(32)
    const receiver = await webhookReceiver()
    opened.push(() => receiver.close())
    const board = (agents: Parameters<typeof createTaskboard>[0]['agents'], listen: boolean) => {
      const taskboard = createTaskboard<PgConnection>({
        storage: postgresStorage({ pool: poolOf(), listen }),
        agents,
        secrets: { encryptionKey },
        webhooks: { allow: ['127.0.0.0/8'] },
        pollIntervalMs: 3_600_000,
      })
      opened.push(() => taskboard.close())
      return taskboard
    }
    let begin: (title: string) => void = () => undefined
    const ran = new Promise<string>((resolve) => (begin = resolve))
    const agent = defineAgent({
      type: 'research',
      run(task) {
        begin(task.title)
        return Promise.resolve('done')
      },
    })
    const worker = board([agent], true)
    const api = board([], false)
    const { workspace } = await api.accounts.create({ name: 'Acme', tier: 'professional' })
    await api.agents.create(workspace.id, { name: 'Ann', type: 'research' })
    await api.webhooks.register(workspace.id, { url: receiver.url, events: ['task.created'] })
    await worker.start()
    const followed = new Promise((resolve) => worker.events.on('task.created', resolve))
    await api.board(workspace.id).add({ title: 'Look' })
    expect(await ran).toBe('Look')
    await followed
    expect(await receiver.waitFor(1)).toHaveLength(1)
  })
})
