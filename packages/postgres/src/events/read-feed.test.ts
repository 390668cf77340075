import { createStorageSettings, type EventDraft, type LoggedEvent } from '@taskboard/core/storage'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '@taskboard/kit/processes/until'
import {
  createMigratedDatabase,
  createTestDatabase,
  type TestDatabase,
} from '@taskboard/kit/postgres/test-database'
import { createAccessStore } from '../access/access-store.js'
import { createDatabase, type Database } from '../database/database.js'
import { createEventStore } from './event-store.js'

const at = { now: Date.UTC(2026, 0, 1) }
const alert = (message: string): EventDraft => ({ type: 'agent.alert', data: { message } })
const messagesOf = (events: readonly LoggedEvent[]) =>
  events.map(({ data }) => 'message' in data && data.message)

describe('the feed', () => {
  let test: TestDatabase
  let database: Database
  beforeAll(async () => {
    test = await createMigratedDatabase()
    database = createDatabase({
      pool: test.pool,
      settings: createStorageSettings(),
      preparedStatements: true,
    })
  })
  afterAll(() => test.drop())

  async function twoWorkspaces(): Promise<readonly [string, string]> {
    const access = createAccessStore(database)
    const account = { name: 'a', tier: 'custom', workspaceName: 'w', agent: null } as const
    const added = await Promise.all([access.insertAccount(account, at), access.insertAccount(account, at)])
    return [added[0].workspace.id, added[1].workspace.id]
  }

  it('delays events behind an open transaction, and skips none of them', async () => {
    const events = createEventStore(database)
    const [early, late] = await twoWorkspaces()
    const start = await events.feedEnd({ after: null }, { now: null })
    await database.transaction(async (tx) => {
      await events.appendEvent({ workspaceId: early, event: alert('early') }, { ...at, tx })
      await events.appendEvent({ workspaceId: late, event: alert('late') }, at)
      expect(await events.readFeed({ position: start, limit: 10 }, { now: null })).toEqual({
        events: [],
        position: start,
      })
    })
    const page = await events.readFeed({ position: start, limit: 10 }, { now: null })
    expect(messagesOf(page.events)).toEqual(['early', 'late'])
  })

  it('never skips events that an open transaction may still write', async () => {
    const events = createEventStore(database)
    const [early, late] = await twoWorkspaces()
    const start = await events.feedEnd({ after: null }, { now: null })
    let skipped = ''
    await database.transaction(async (tx) => {
      await events.appendEvent({ workspaceId: early, event: alert('early') }, { ...at, tx })
      await events.appendEvent({ workspaceId: late, event: alert('late') }, at)
      skipped = await events.feedEnd({ after: start }, { now: null })
    })
    const read = async (from: string) =>
      messagesOf((await events.readFeed({ position: from, limit: 10 }, { now: null })).events)
    expect(await read(skipped)).toEqual(['early', 'late'])
    const end = await events.feedEnd({ after: skipped }, { now: null })
    await events.appendEvent({ workspaceId: early, event: alert('new') }, at)
    expect(await read(end)).toEqual(['new'])
  })

  it('returns the events of a workspace in order, even if the older transaction writes the later one', async () => {
    const events = createEventStore(database)
    const [workspace, other] = await twoWorkspaces()
    const start = await events.feedEnd({ after: null }, { now: null })
    await database.transaction(async (tx) => {
      await events.appendEvent({ workspaceId: other, event: alert('elsewhere') }, { ...at, tx })
      await events.appendEvent({ workspaceId: workspace, event: alert('first') }, at)
      await events.appendEvent({ workspaceId: workspace, event: alert('second') }, { ...at, tx })
    })
    const fed: LoggedEvent[] = []
    for (
      let page = await events.readFeed({ position: start, limit: 1 }, { now: null });
      page.events.length > 0;
    ) {
      fed.push(...page.events)
      page = await events.readFeed({ position: page.position, limit: 1 }, { now: null })
    }
    const own = fed.filter(({ workspaceId }) => workspaceId === workspace)
    expect(own.map(({ seq }) => seq)).toEqual([1, 2])
    expect(messagesOf(own)).toEqual(['first', 'second'])
  })

  it('ends after all commits beside an open transaction, and before what that one writes', async () => {
    const events = createEventStore(database)
    const [early, late] = await twoWorkspaces()
    let end = ''
    await database.transaction(async (tx) => {
      await events.appendEvent({ workspaceId: early, event: alert('open') }, { ...at, tx })
      await events.appendEvent({ workspaceId: late, event: alert('seen') }, at)
      end = await events.feedEnd({ after: null }, { now: null })
      await events.appendEvent({ workspaceId: late, event: alert('new') }, at)
    })
    await events.appendEvent({ workspaceId: late, event: alert('newest') }, at)
    const fed: LoggedEvent[] = []
    for (
      let page = await events.readFeed({ position: end, limit: 1 }, { now: null });
      page.events.length > 0;
    ) {
      fed.push(...page.events)
      page = await events.readFeed({ position: page.position, limit: 1 }, { now: null })
    }
    expect(messagesOf(fed)).toEqual(['open', 'new', 'newest'])
  })

  it('ends before ids of transactions that a crash forgets, and that new events then have', async () => {
    const events = createEventStore(database)
    const [workspace] = await twoWorkspaces()
    await events.appendEvent({ workspaceId: workspace, event: alert('kept') }, at)
    const client = await test.pool.connect()
    for (let id = 0; id < 5; id++) await client.query('begin; select pg_current_xact_id(); rollback')
    client.release()
    const { rows } = await test.pool.query<{ newest: string }>(
      'select max(feed_xid::text::bigint) as newest from taskboard.event',
    )
    const [end] = (await events.feedEnd({ after: null }, { now: null })).split('/')
    // Lower while a transaction of another test is open.
    expect(Number(end)).toBeLessThanOrEqual(Number(rows[0]?.newest) + 1)
  })

  it('continues beside a transaction of another database', async () => {
    const events = createEventStore(database)
    const [workspace] = await twoWorkspaces()
    const other = await createTestDatabase()
    const client = new pg.Client({ connectionString: other.url })
    await client.connect()
    try {
      await client.query('begin; create table held_open (id integer)')
      const start = await events.feedEnd({ after: null }, { now: null })
      await events.appendEvent({ workspaceId: workspace, event: alert('shown') }, at)
      const page = await events.readFeed({ position: start, limit: 10 }, { now: null })
      expect(messagesOf(page.events)).toEqual(['shown'])
    } finally {
      await client.end()
      await other.drop()
    }
  })

  it('shows what was committed at the next read, while transactions of another database end all the time', async () => {
    const events = createEventStore(database)
    const [workspace] = await twoWorkspaces()
    const other = await createTestDatabase()
    const clients = Array.from({ length: 8 }, () => new pg.Client({ connectionString: other.url }))
    await Promise.all(clients.map((client) => client.connect()))
    const over = new AbortController()
    const busy = clients.map(async (client) => {
      while (!over.signal.aborted) await client.query('select pg_current_xact_id(), pg_sleep(0.002)')
    })
    try {
      let late = 0
      for (let seq = 1; seq <= 300; seq++) {
        const start = await events.feedEnd({ after: null }, { now: null })
        await events.appendEvent({ workspaceId: workspace, event: alert(`${seq}`) }, at)
        const read = () => events.readFeed({ position: start, limit: 10 }, { now: null })
        const { events: fed } = await read()
        // A process of the server that has to wait for a processor can hide an event from all snapshots of one read.
        if (fed.length === 0) late += 1
        expect(
          messagesOf(fed.length > 0 ? fed : (await until(read, (page) => page.events.length > 0)).events),
        ).toEqual([`${seq}`])
      }
      expect(late).toBeLessThanOrEqual(3)
    } finally {
      over.abort()
      await Promise.all(busy)
      await Promise.all(clients.map((client) => client.end()))
      await other.drop()
    }
  })

  it('restarts after a dump was restored on a server where fewer transactions have run', async () => {
    const events = createEventStore(database)
    const [workspace] = await twoWorkspaces()
    await events.appendEvent({ workspaceId: workspace, event: alert('before') }, at)
    for (const table of ['workspace_log', 'event_batch']) {
      await test.pool.query(
        `update taskboard.${table} set feed_xid = '1000000000000' where workspace_id = $1`,
        [workspace],
      )
    }
    const end = await events.feedEnd({ after: null }, { now: null })
    await events.appendEvent({ workspaceId: workspace, event: alert('after') }, at)
    const { events: fed } = await events.readFeed({ position: end, limit: 10 }, { now: null })
    expect(fed.map(({ seq }) => seq)).toEqual([2])
  })

  it.each([
    '',
    'x',
    '1',
    '1/ws_1',
    '1//x',
    '-1//0',
    '1//0/2',
    '1//0/2/ws',
    '99999999999999999999//0',
    "1/'/0",
  ])('refuses the position %j', async (position) => {
    const reading = createEventStore(database).readFeed({ position, limit: 1 }, at)
    await expect(reading).rejects.toMatchObject({ code: 'INVALID_FIELD', field: 'position' })
  })
})
