import type { Storage } from '@taskboard/core'
import { storageConformance } from '@taskboard/testing'
import { setTimeout } from 'node:timers/promises'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { emptyTables } from '@taskboard/kit/postgres/empty-tables'
import {
  createMigratedDatabase,
  createTestPool,
  type TestDatabase,
} from '@taskboard/kit/postgres/test-database'
import { oneSeedEach } from '@taskboard/kit/postgres/one-seed-each'
import type { PgConnection } from '../../src/connection/pool.js'
import { postgresStorage } from '../../src/postgres-storage.js'
import { recordStatements, type SentStatement } from '../by-workspace/recorded-plans.js'
import { accessVerbs, pruningVerbs } from './access-verbs.js'
import { agentVerbs, sweepingVerbs } from './agent-verbs.js'
import { boardVerbs } from './board-verbs.js'
import { conversationVerbs } from './conversation-verbs.js'
import { compiledOn, expectedCosts } from './expected-costs.js'
import { FEW, type HotVerb } from './hot-verb.js'
import { loadLargeBoard, workOffHundredThousand } from './large-board.js'
import { COMPILED_FROM, type Cost } from './plan.js'
import { eventVerbs } from './event-verbs.js'
import { figureVerbs } from './figure-verbs.js'
import { realtimeVerbs } from './realtime-verbs.js'
import { scheduleVerbs } from './schedule-verbs.js'
import { searchVerbs } from './search-verbs.js'
import { sendingCases } from './sending-cases.js'
import { taskVerbs } from './task-verbs.js'
import { usageVerbs } from './usage-verbs.js'
import { deliveryVerbs, webhookVerbs } from './webhook-verbs.js'
import { createWatchedPool, type PlanCacheMode } from './watched-pool.js'

const LOAD_TIMEOUT_MS = 300_000
const RUN_TIMEOUT_MS = 120_000
const modes: readonly PlanCacheMode[] = ['force_custom_plan', 'force_generic_plan']
/** Of the entries of a hundred thousand leases of one agent, which a look for one that it has passes until the next vacuum. */
const PAGES_OF_LEASES = 350
/** Tables with one row, or one for each agent type or process. */
const SMALL_TABLES = ['scoring', 'agent_runtime', 'realtime_holder']

/** The bounds that a verb has violated. */
function faultsOf({ name, indexes = [], scans = [], most = FEW }: HotVerb, cost: Cost): readonly string[] {
  const scanned = cost.scanned.filter((table) => !SMALL_TABLES.includes(table) && !scans.includes(table))
  const unread = indexes.filter((index) => !cost.indexes.includes(index))
  return [
    ...scanned.map((table) => `${name}: reads ${table} from end to end`),
    ...unread.map((index) => `${name}: does not read ${index}, but ${cost.indexes.join(', ')}`),
    ...(cost.rows > most.rows ? [`${name}: reads ${cost.rows} rows, at most ${most.rows} are due`] : []),
    ...(cost.expected >= COMPILED_FROM
      ? [`${name}: costs ${Math.round(cost.expected)} by its plan, so that servers with JIT compile it`]
      : []),
    ...(cost.pages > most.pages ? [`${name}: reads ${cost.pages} pages, at most ${most.pages} are due`] : []),
  ]
}

/**
 * Waits until no transaction of the server, in any database, can still see the removed rows: until then an index keeps their
 * entries, and how many depends on what else runs at that time.
 */
async function passedByAllSnapshots(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ xid: string }>('select pg_current_xact_id()::text as xid')
  const xid = rows[0]?.xid
  for (;;) {
    const { rowCount } = await pool.query(
      `select where pg_snapshot_xmin(pg_current_snapshot()) > $1::text::xid8 and not exists (
         select from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid() and (backend_xmin is not null or backend_xid is not null))`,
      [xid],
    )
    if (rowCount === 1) return
    await setTimeout(20)
  }
}

/** The first claim after others passes the entries that those left in the index, and marks them so that later claims skip them. */
async function markLeftovers(url: string): Promise<void> {
  const pool = createTestPool({ connectionString: url })
  const storage = postgresStorage({ pool, listen: false })
  const [claim] = agentVerbs(storage)
  await claim?.run()
  await storage.close()
  await pool.end()
}

/** The statements that the conformance suite sends. Whether its cases pass is tested elsewhere. */
async function statementsOfSuite(): Promise<readonly SentStatement[]> {
  const { pool, drop } = await createMigratedDatabase()
  const sent = recordStatements(pool)
  const open = async () => {
    await emptyTables(pool)
    const openAnother = async () => {
      const storage = postgresStorage({ pool })
      return { storage, close: () => storage.close() }
    }
    return { ...(await openAnother()), openAnother }
  }
  for (const { run } of sendingCases(oneSeedEach(storageConformance(open))))
    await run().catch(() => undefined)
  const statements = sent()
  await drop()
  return statements
}

describe('at a million tasks', () => {
  let database: TestDatabase

  beforeAll(async () => {
    database = await createMigratedDatabase()
    await loadLargeBoard(database.pool)
  }, LOAD_TIMEOUT_MS)
  afterAll(() => database.drop())

  async function faultsIn(
    mode: PlanCacheMode,
    verbsOf: (storage: Storage<PgConnection>) => readonly HotVerb[],
  ): Promise<readonly string[]> {
    const watched = createWatchedPool(database.url, mode)
    const storage = postgresStorage({ pool: watched.pool, listen: false })
    const faults: string[] = []
    try {
      for (const verb of verbsOf(storage)) {
        const { cost } = await watched.watch(() => verb.run())
        faults.push(...faultsOf(verb, cost))
      }
    } finally {
      await storage.close()
      await watched.pool.end()
    }
    return faults
  }

  it(
    'each statement of the storage is planned below the cost at which a server compiles it',
    async () => {
      const statements = await statementsOfSuite()
      expect(statements.length).toBeGreaterThan(500)
      expect(compiledOn('a million tasks', await expectedCosts(database.pool, statements))).toEqual([])
    },
    LOAD_TIMEOUT_MS,
  )

  describe.each(modes)('with %s', (mode) => {
    const lists = {
      agents: agentVerbs,
      people: (storage: Storage<PgConnection>) => boardVerbs(storage, mode),
      'callers of API v2': (storage: Storage<PgConnection>) => taskVerbs(storage, mode),
      'people and agents in conversations': (storage: Storage<PgConnection>) =>
        conversationVerbs(storage, mode),
      'listeners and channels': eventVerbs,
      'connections of the realtime channel': (storage: Storage<PgConnection>) => realtimeVerbs(storage, mode),
      'readers of figures': figureVerbs,
      deliverers: deliveryVerbs,
      'owners of webhooks': webhookVerbs,
      requests: accessVerbs,
      'pruning jobs': pruningVerbs,
      schedules: scheduleVerbs,
      'reports of usage': usageVerbs,
    }
    it.each(Object.entries(lists))(
      '%s read little, and by index',
      async (_, verbsOf) => expect(await faultsIn(mode, verbsOf)).toEqual([]),
      RUN_TIMEOUT_MS,
    )
  })

  it(
    'searches read little, in each order',
    async () => expect(await faultsIn('force_custom_plan', searchVerbs)).toEqual([]),
    RUN_TIMEOUT_MS,
  )

  it(
    'the same holds with the dead rows of a hundred thousand claims',
    async () => {
      await workOffHundredThousand(database.pool)
      await passedByAllSnapshots(database.pool)
      await markLeftovers(database.url)
      for (const mode of modes) {
        expect(await faultsIn(mode, agentVerbs)).toEqual([])
        expect(await faultsIn(mode, (storage) => boardVerbs(storage, `${mode} again`))).toEqual([])
        expect(
          await faultsIn(mode, (storage) => taskVerbs(storage, `${mode} again`, PAGES_OF_LEASES)),
        ).toEqual([])
      }
    },
    RUN_TIMEOUT_MS,
  )

  it(
    'verbs that depend on workspaces or ended placements do not depend on the number of tasks',
    async () => {
      for (const mode of modes) expect(await faultsIn(mode, sweepingVerbs)).toEqual([])
    },
    RUN_TIMEOUT_MS,
  )
})
