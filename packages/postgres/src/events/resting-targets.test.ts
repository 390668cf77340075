import type { NotificationBatch } from '@taskboard/core/storage'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createMigratedDatabase, type TestDatabase } from '@taskboard/kit/postgres/test-database'
import { postgresStorage } from '../postgres-storage.js'

const NOW = Date.UTC(2026, 0, 1)
const at = { now: NOW }
const request = { channels: ['chat'], limit: 10, eventsPerTarget: 10, claimMs: 60_000 }

describe('targets that have read everything', () => {
  let database: TestDatabase
  let workspaceId = ''
  beforeAll(async () => {
    database = await createMigratedDatabase()
    const account = { name: 'a', tier: 'professional', workspaceName: 'w', agent: null } as const
    const { workspace } = await open().access.insertAccount(account, at)
    workspaceId = workspace.id
    await open().notifications.setTarget({ workspaceId, channel: 'chat', settings: {} }, at)
  })
  afterAll(() => database.drop())

  const open = () => postgresStorage({ pool: database.pool, listen: false })
  const claim = async (): Promise<readonly NotificationBatch[]> =>
    (await open().notifications.claimNotifications(request, at)).batches
  const order = { type: 'order.new', data: { n: 1 } } as const

  async function isResting(): Promise<unknown> {
    const { rows } = await database.pool.query<{ rests: boolean }>(
      'select rests from taskboard.notification_target where workspace_id = $1',
      [workspaceId],
    )
    return rows[0]?.rests
  }

  /** Reads all events, so that the target rests. */
  async function comeToRest(): Promise<void> {
    for (const { channel, claimToken, events } of await claim()) {
      const result = {
        workspaceId,
        channel,
        claimToken,
        readThroughSeq: events.at(-1)?.seq ?? 0,
        retryInMs: null,
      }
      await open().notifications.settleNotifications(result, at)
    }
    expect(await claim()).toEqual([])
    expect(await isResting()).toBe(true)
  }

  it('rest until the next event, and are claimed with it', async () => {
    await comeToRest()
    const { seq } = await open().events.appendEvent({ workspaceId, event: order }, at)
    expect(await isResting()).toBe(false)
    const batches = await claim()
    expect(batches.map(({ events }) => events.map((event) => event.seq))).toEqual([[seq]])
    await comeToRestAfter(batches)
  })

  it('do not rest while an event is about to commit, and do not wait for that', async () => {
    await comeToRest()
    const { seq } = await open().events.appendEvent({ workspaceId, event: order }, at)
    const [first] = await claim()
    await open().transaction(async (tx) => {
      await open().events.appendEvent({ workspaceId, event: order }, { ...at, tx })
      await settle(first, seq)
      expect(await claim()).toEqual([])
      expect(await isResting()).toBe(false)
    })
    const batches = await claim()
    expect(batches.map(({ events }) => events.map((event) => event.seq))).toEqual([[seq + 1]])
    await comeToRestAfter(batches)
  })

  it('rest again when the event that woke them is rolled back', async () => {
    await comeToRest()
    const undone = open().transaction(async (tx) => {
      await open().events.appendEvent({ workspaceId, event: order }, { ...at, tx })
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    expect(await isResting()).toBe(true)
    await open().events.appendEvent({ workspaceId, event: order }, at)
    const batches = await claim()
    expect(batches).toHaveLength(1)
    await comeToRestAfter(batches)
  })

  it('miss nothing when events and claims are concurrent', async () => {
    await comeToRest()
    const { rows } = await database.pool.query<{ seq: string }>(
      'select last_seq as seq from taskboard.workspace_log where workspace_id = $1',
      [workspaceId],
    )
    const before = Number(rows[0]?.seq)
    const seen: number[] = []
    const over = new AbortController()
    const read = async (): Promise<number> => {
      const batches = await claim()
      for (const batch of batches) {
        seen.push(...batch.events.map(({ seq }) => seq))
        await settle(batch, batch.events.at(-1)?.seq ?? 0)
      }
      return batches.length
    }
    const reader = async (): Promise<void> => {
      while (!over.signal.aborted) await read()
    }
    const readers = [reader(), reader()]
    for (let n = 0; n < 100; n++) await open().events.appendEvent({ workspaceId, event: order }, at)
    over.abort()
    await Promise.all(readers)
    while ((await read()) > 0);
    expect(seen).toEqual(Array.from({ length: 100 }, (_, index) => before + index + 1))
    expect(await isResting()).toBe(true)
  })

  async function settle(batch: NotificationBatch | undefined, readThroughSeq: number): Promise<void> {
    if (batch === undefined) throw new Error('nothing was claimed')
    const { channel, claimToken } = batch
    const result = { workspaceId, channel, claimToken, readThroughSeq, retryInMs: null }
    expect(await open().notifications.settleNotifications(result, at)).toBe(true)
  }

  async function comeToRestAfter(batches: readonly NotificationBatch[]): Promise<void> {
    for (const batch of batches) await settle(batch, batch.events.at(-1)?.seq ?? 0)
    await comeToRest()
  }
})
