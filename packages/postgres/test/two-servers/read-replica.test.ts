import { createTaskboard, type Board, type Task, type Taskboard } from '@taskboard/core'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '@taskboard/kit/processes/until'
import { createTestPool } from '@taskboard/kit/postgres/test-database'
import { asksAs, urlOfPair } from '@taskboard/kit/postgres/standby'
import { failoverPool } from '../../src/failover/failover-pool.js'
import type { PgPool } from '../../src/connection/pool.js'
import { postgresStorage } from '../../src/postgres-storage.js'
import { countingReads, openReadReplica, type ReadReplica } from './read-replica.js'

/** By how much the standby follows later: longer than a read waits for it. */
const DELAY_MS = 250
const TURNS = Number(process.env['REPLICA_TURNS'] ?? 80)

let replica: ReadReplica

beforeAll(async () => {
  replica = await openReadReplica()
}, 60_000)
afterAll(() => replica.close())

async function caughtUp(): Promise<void> {
  const lsn = String(await asksAs(replica.pair.primary.url, 'select pg_current_wal_flush_lsn()'))
  const reached = `select pg_last_wal_replay_lsn() >= '${lsn}'::pg_lsn`
  await until(
    () => asksAs(replica.pair.standby.url, reached),
    (seen) => seen === true,
  )
}

/** A process of its own on the two servers. */
async function openBoard(readPool: PgPool = replica.readPool) {
  const storage = postgresStorage({ pool: replica.pool, readPool })
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
    const before = replica.answers()
    expect((await board.list('TODO')).tasks.map((task) => task.id)).toEqual([id])
    expect(replica.answers()).toBe(before + 1)
  })

  it('see every write before them, also those of other processes, however far the standby is behind', async () => {
    const seed = Number(process.env['REPLICA_SEED'] ?? Date.now() % 1_000_000)
    const random = seeded(seed)
    const one = await openBoard()
    const storage = postgresStorage({ pool: replica.pool, readPool: replica.readPool })
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
      async (taskboard) => (await taskboard.tasks.search(reach, { limit: 1_000 })).tasks,
      async (taskboard) => (await taskboard.tasks.search(reach, { limit: 1_000, q: 'task' })).tasks,
    ]
    try {
      for (let turn = 0; turn < TURNS; turn += 1) {
        if (turn % 25 === 0) await replica.delay(anyOf([0, 5, DELAY_MS]))
        await write(anyOf(processes).board(one.workspaceId))
        if (turn % 10 === 0) await caughtUp()
        const tasks = await anyOf(reads)(anyOf(processes))
        expect(
          tasks.map(({ id, title }) => `${id} ${title}`).toSorted(),
          `turn ${turn} of REPLICA_SEED=${seed}`,
        ).toEqual([...titles].map((entry) => entry.join(' ')).toSorted())
      }
    } finally {
      await replica.delay(0)
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
    ['a primary', () => replica.pair.primary.url],
    ['another database of the standby', () => replica.pair.standby.url.replace(/postgres$/, 'template1')],
  ])('never come from %s', async (_, url) => {
    const misled = createTestPool({ connectionString: url(), max: 1 })
    const counting = countingReads(misled)
    try {
      const { board } = await openBoard(counting.pool)
      await board.add({ title: 'one' })
      await caughtUp()
      expect((await board.list('TODO')).tasks).toHaveLength(1)
      expect(counting.answers()).toBe(0)
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
    const connectionString = `${urlOfPair(replica.pair)}?target_session_attrs=${target}`
    const several = failoverPool(pg, { connectionString, max: 1 })
    expect((await several.query('select pg_is_in_recovery() as "isStandby"')).rows).toEqual([{ isStandby }])
    await several.end()
  })

  it('finds nothing where no server is what it looks for, within its time', async () => {
    const connectionString = `${replica.pair.primary.url}?target_session_attrs=standby`
    const none = failoverPool(pg, { connectionString, connectionTimeoutMillis: 500 })
    await expect(none.query('select')).rejects.toThrow(/none of the servers|timeout/)
    await none.end()
  })
})
