import { storageConformance } from '@taskboard/testing'
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { emptyTables } from '@taskboard/kit/postgres/empty-tables'
import { createMigratedDatabase, type TestDatabase } from '@taskboard/kit/postgres/test-database'
import { postgresStorage } from '../src/postgres-storage.js'

const PAGE = new URL('../../../docs/scaling.md', import.meta.url)
/** The cases that write events and read, count or delete them. */
const ABOUT_EVENTS = /^(events|analytics|notifications|deletion)\.(?!random)/
/** The bounds of the page are later than all times of the cases, which begin with 2026. */
const START = Date.UTC(2026, 0, 1)
const BOUNDS = { 1_798_761_600_000: START + 3, 1_801_440_000_000: START + 1_000 }

let database: TestDatabase

async function sqlOfPage(): Promise<string> {
  const [sql = ''] = /(?<=```sql\n)begin;.*?(?=```)/s.exec(await readFile(PAGE, 'utf8')) ?? []
  return Object.entries(BOUNDS).reduce((text, [bound, other]) => text.replaceAll(bound, String(other)), sql)
}

beforeAll(async () => {
  database = await createMigratedDatabase()
  await database.pool.query(await sqlOfPage())
})
afterAll(() => database.drop())

describe('the storage keeps its promises about events in the partitions that the page on scaling describes', () => {
  const open = async () => {
    await emptyTables(database.pool)
    const openAnother = async () => {
      const storage = postgresStorage({ pool: database.pool })
      return { storage, close: () => storage.close() }
    }
    return { ...(await openAnother()), openAnother }
  }
  for (const { id, name, run } of storageConformance(open).filter((each) => ABOUT_EVENTS.test(each.id))) {
    it(`${id}: ${name}`, () => expect(run()).resolves.toBeUndefined())
  }

  it('with rows in each of them', async () => {
    await database.pool.query('truncate taskboard.event_batch')
    await database.pool.query(
      `insert into taskboard.event_batch (workspace_id, first_seq, last_seq, feed_xid, at, payload_version, stem, types, data)
      select 'ws_1', n, n, '1', $1::bigint + n * 100, 1, gen_random_uuid(), '{agent.alert}', '{"{}"}' from generate_series(0, 19) n`,
      [START],
    )
    const { rows } = await database.pool.query<{ partition: string; events: number }>(
      `select tableoid::regclass::text as partition, count(*)::integer as events from taskboard.event_batch group by 1 order by 1`,
    )
    expect(rows).toEqual([
      { partition: 'taskboard.event_batch_2027_01', events: 9 },
      { partition: 'taskboard.event_batch_before_2027', events: 1 },
      { partition: 'taskboard.event_batch_later', events: 10 },
    ])
  })

  describe('and keeps an event at the same place in another partition', () => {
    const at = { now: START + 2_000 }

    /** One event of each workspace, of the first one when the cases begin. */
    async function withEventsOf(first: string, second: string): Promise<void> {
      await database.pool.query('truncate taskboard.event_batch')
      await database.pool.query(
        `insert into taskboard.event_batch (workspace_id, first_seq, last_seq, feed_xid, at, payload_version, stem, types, data)
        select w, 1, 1, '1', at, 1, gen_random_uuid(), '{agent.alert}', '{"{}"}'
        from (values ($1::text, ${START}), ($2::text, ${START + 2_000})) as e (w, at)`,
        [first, second],
      )
      const places = await database.pool.query('select distinct ctid from taskboard.event_batch')
      expect(places.rowCount).toBe(1)
    }

    async function ownersLeft(): Promise<readonly string[]> {
      const { rows } = await database.pool.query<{ id: string }>(
        'select workspace_id as id from taskboard.event',
      )
      return rows.map(({ id }) => id)
    }

    it('that it prunes', async () => {
      const { storage } = await open()
      await database.pool.query(
        `insert into taskboard.analytics_mark (workspace_id, seq) values ('ws_1', 9), ('ws_2', 9)`,
      )
      await withEventsOf('ws_1', 'ws_2')
      expect(await storage.prune({ rows: 'events', olderThanMs: 1_000, limit: 10 }, at)).toBe(1)
      expect(await ownersLeft()).toEqual(['ws_2'])
    })

    it('that it deletes with its workspace', async () => {
      const { storage } = await open()
      const agent = { name: 'first', type: 'worker' }
      const draft = { name: 'Acme', tier: 'professional', workspaceName: 'Main', agent } as const
      const leaving = await storage.access.insertAccount(draft, at)
      const staying = await storage.access.insertAccount(draft, at)
      await withEventsOf(leaving.workspace.id, staying.workspace.id)
      await storage.access.beginDeletion({ accountId: leaving.account.id }, at)
      const goOn = () =>
        storage.access.continueDeletion({ of: null, limit: 500, keepAudit: false }, { now: null })
      await expect.poll(async () => (await goOn()).isOver, { timeout: 15_000 }).toBe(true)
      expect(await ownersLeft()).toEqual([staying.workspace.id])
    })
  })
})
