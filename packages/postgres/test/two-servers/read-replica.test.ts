import { createTaskboard, type Board, type Task, type Taskboard } from '@taskboard/core'
import { storageConformance } from '@taskboard/testing'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { failoverPool } from '../../src/failover/failover-pool.js'
import { migrate } from '../../src/migrations/migrate.js'
import type { PgPool } from '../../src/pool.js'
import { postgresStorage } from '../../src/postgres-storage.js'
import { emptyTables } from '../empty-tables.js'
import { until } from '../processes/until.js'
import { createTestPool } from '../test-database.js'
import { asksAs, type ServerPair, startServerPair, urlOfPair } from './standby.js'

/** By how much the standby follows later: longer than a read waits for it. */
const DELAY_MS = 250
const TURNS = Number(process.env['REPLICA_TURNS'] ?? 80)
/** The conformance cases of what is read there; `REPLICA_CASES=all` runs every one. */
const CASES =
  process.env['REPLICA_CASES'] === 'all'
    ? /./
    : /^(lists|find|search|analytics|usage|comments|approvals|deliveries|transactions|check)\.(?!.*-[2-9]$)/

let pair: ServerPair
let pool: pg.Pool
let standbyPool: pg.Pool
/** How many reads the standby answered. */
let answers = 0
let readPool: PgPool

beforeAll(async () => {
  pair = await startServerPair(['fsync=off'], ['hot_standby_feedback=on'])
  pool = createTestPool({ connectionString: pair.primary.url, max: 8 })
  standbyPool = createTestPool({ connectionString: pair.standby.url, max: 8 })
  await migrate(pool)
  readPool = counted(standbyPool)
  await caughtUp()
}, 60_000)
afterAll(async () => {
  await Promise.all([pool.end(), standbyPool.end()])
  await pair.stop()
})

/** Counts the statements of verbs, not those that ask for the standby's state. */
function counted(counting: pg.Pool): PgPool {
  return {
    query: (query) => counting.query(query),
    async connect() {
      const client = await counting.connect()
      return {
        async query(query) {
          const answer = await client.query(query)
          if (/from taskboard/.test(query.text)) answers += 1
          return answer
        },
        release: (broken) => client.release(broken),
        on: (event, listener) => client.on(event, listener),
        removeListener: (event, listener) => client.removeListener(event, listener),
      }
    },
  }
}

async function caughtUp(): Promise<void> {
  const lsn = String(await asksAs(pair.primary.url, 'select pg_current_wal_flush_lsn()'))
  const reached = `select pg_last_wal_replay_lsn() >= '${lsn}'::pg_lsn`
  await until(
    () => asksAs(pair.standby.url, reached),
    (seen) => seen === true,
  )
}

async function delayStandby(ms: number): Promise<void> {
  await asksAs(pair.standby.url, `alter system set recovery_min_apply_delay = ${ms}`)
  await asksAs(pair.standby.url, 'select pg_reload_conf()')
}

/** A process of its own on the two servers. */
async function openBoard(read: PgPool = readPool) {
  const storage = postgresStorage({ pool, readPool: read })
  const taskboard = createTaskboard({
    storage,
    logger: false,
    secrets: { encryptionKey: Buffer.alloc(32) },
    createDefaultAgent: false,
  })
  const { account, workspace } = await taskboard.accounts.create({ name: 'a', tier: 'professional' })
  const accountId = account.id
  return { taskboard, accountId, workspaceId: workspace.id, board: taskboard.board(workspace.id) }
}

/** The same numbers from 0 to 1 for the same seed. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

describe('reads from a standby', () => {
  it('come from there once it has everything', async () => {
    const { board } = await openBoard()
    const { id } = await board.add({ title: 'one' })
    await caughtUp()
    const before = answers
    expect((await board.list('TODO')).tasks.map((task) => task.id)).toEqual([id])
    expect(answers).toBe(before + 1)
  })

  it('see every write before them, also those of other processes, however far the standby is behind', async () => {
    const seed = Number(process.env['REPLICA_SEED'] ?? Date.now() % 1_000_000)
    const random = seeded(seed)
    const one = await openBoard()
    const storage = postgresStorage({ pool, readPool })
    const other = createTaskboard({ storage, logger: false, secrets: { encryptionKey: Buffer.alloc(32) } })
    const processes = [one.taskboard, other]
    const reach = { accountId: one.accountId, workspaceIds: 'all' } as const
    const anyOf = <T>(choices: readonly T[]): T => choices[Math.floor(random() * choices.length)] as T
    const titles = new Map<string, string>()

    async function write(board: Board): Promise<void> {
      const title = `task ${random()}`
      const known = anyOf([...titles.keys()]) as string | undefined
      const choice = known === undefined ? 0 : random()
      if (known === undefined || choice < 0.5) titles.set((await board.add({ title })).id, title)
      else if (choice < 0.8) {
        await board.update(known, { title })
        titles.set(known, title)
      } else {
        await board.delete(known)
        titles.delete(known)
      }
    }
    const reads: readonly ((taskboard: Taskboard) => Promise<readonly Task[]>)[] = [
      async (taskboard) => (await taskboard.board(one.workspaceId).list('TODO', { limit: 1_000 })).tasks,
      async (taskboard) =>
        (await taskboard.tasks.search(reach, { limit: 1_000 })).found.map(({ task }) => task),
      async (taskboard) =>
        (await taskboard.tasks.search(reach, { limit: 1_000, q: 'task' })).found.map(({ task }) => task),
    ]
    try {
      for (let turn = 0; turn < TURNS; turn += 1) {
        if (turn % 25 === 0) await delayStandby(anyOf([0, 5, DELAY_MS]))
        await write(anyOf(processes).board(one.workspaceId))
        if (turn % 10 === 0) await caughtUp()
        const tasks = await anyOf(reads)(anyOf(processes))
        expect(
          tasks.map(({ id, title }) => `${id} ${title}`).toSorted(),
          `turn ${turn} of REPLICA_SEED=${seed}`,
        ).toEqual([...titles].map((entry) => entry.join(' ')).toSorted())
      }
    } finally {
      await delayStandby(0)
    }
  })

  it('go to the primary when nothing answers there, which is then left alone for a while', async () => {
    let connects = 0
    const broken: PgPool = {
      query: () => Promise.reject(new Error('ECONNREFUSED')),
      connect: () => {
        connects += 1
        return Promise.reject(new Error('ECONNREFUSED'))
      },
    }
    const { board } = await openBoard(broken)
    await board.add({ title: 'one' })
    for (let times = 0; times < 20; times += 1) expect((await board.list('TODO')).tasks).toHaveLength(1)
    expect(connects).toBe(1)
  })

  it.each([
    ['a primary', () => pair.primary.url],
    ['another database of the standby', () => pair.standby.url.replace(/postgres$/, 'template1')],
  ])('never come from %s', async (_, url) => {
    const misled = createTestPool({ connectionString: url(), max: 1 })
    const before = answers
    try {
      const { board } = await openBoard(counted(misled))
      await board.add({ title: 'one' })
      await caughtUp()
      expect((await board.list('TODO')).tasks).toHaveLength(1)
      expect(answers).toBe(before)
    } finally {
      await misled.end()
    }
  })

  it('take part in a transaction', async () => {
    const { taskboard, board } = await openBoard()
    await taskboard.transaction(async (tx) => {
      await board.add({ title: 'one' }, { tx })
      expect((await board.list('TODO', { tx })).tasks).toHaveLength(1)
    })
  })
})

describe('a pool of several servers', () => {
  it.each([
    ['read-write', false],
    ['standby', true],
  ] as const)('connects to the one that is %s', async (target, isStandby) => {
    const connectionString = `${urlOfPair(pair)}?target_session_attrs=${target}`
    const several = failoverPool(pg, { connectionString, max: 1 })
    expect((await several.query('select pg_is_in_recovery() as "isStandby"')).rows).toEqual([{ isStandby }])
    await several.end()
  })

  it('finds nothing where no server is what it looks for, within its time', async () => {
    const connectionString = `${pair.primary.url}?target_session_attrs=standby`
    const none = failoverPool(pg, { connectionString, connectionTimeoutMillis: 500 })
    await expect(none.query('select')).rejects.toThrow(/none of the servers|timeout/)
    await none.end()
  })
})

describe('the storage keeps the promises of every port with a standby that follows late', () => {
  beforeAll(() => delayStandby(20))
  afterAll(() => delayStandby(0))
  const open = async () => {
    await emptyTables(pool)
    const openAnother = async () => {
      const storage = postgresStorage({ pool, readPool })
      return { storage, close: () => storage.close() }
    }
    return { ...(await openAnother()), openAnother }
  }
  for (const { id, name, run } of storageConformance(open).filter((each) => CASES.test(each.id))) {
    it(`${id}: ${name}`, () => expect(run()).resolves.toBeUndefined())
  }

  it('and the standby answered some of the reads', () => expect(answers).toBeGreaterThan(100))
})
