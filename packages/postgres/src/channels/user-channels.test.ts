import { createTaskboard, type NotificationType, type Taskboard } from '@taskboard/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  createMigratedDatabase,
  createTestPool,
  type TestDatabase,
} from '@taskboard/kit/postgres/test-database'
import { postgresStorage } from '../postgres-storage.js'

const events = ['task.created' as const]

describe('channels that users set up, on two boards with one database', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await createMigratedDatabase()
  })
  afterAll(() => database.drop())

  /** What arrived, by channel, with how many deliveries of the channel were under way at once. */
  const arrived = new Map<string, { texts: string[]; underWay: number; most: number }>()
  const boards = new Set<string>()
  /** Channels whose receiver is down. */
  const down = new Set<string>()

  const recording = (board: string): NotificationType => ({
    name: 'recording',
    secrets: [],
    parseConfig: (config) => config,
    async deliver({ channel, text }) {
      const seen = arrived.get(channel.id) ?? { texts: [], underWay: 0, most: 0 }
      arrived.set(channel.id, seen)
      seen.underWay += 1
      seen.most = Math.max(seen.most, seen.underWay)
      await new Promise((resolve) => setTimeout(resolve, 5))
      seen.underWay -= 1
      if (down.has(channel.name)) throw new Error('the receiver is down')
      boards.add(board)
      seen.texts.push(text)
    },
  })

  async function withBoards(work: (boards: readonly [Taskboard, Taskboard]) => Promise<void>): Promise<void> {
    const pools = [1, 2].map(() => createTestPool({ connectionString: database.url, max: 6 }))
    const [one, other] = pools.map((pool, index) =>
      createTaskboard({
        storage: postgresStorage({ pool }),
        secrets: { encryptionKey: '0'.repeat(64) },
        notifications: [recording(String(index))],
        pollIntervalMs: 20,
        logger: false,
      }),
    ) as [Taskboard, Taskboard]
    try {
      await work([one, other])
    } finally {
      await Promise.all([one.close(), other.close()])
      await Promise.all(pools.map((pool) => pool.end()))
    }
  }

  const openWorkspace = async (taskboard: Taskboard): Promise<string> =>
    (await taskboard.accounts.create({ name: 'a', tier: 'professional' })).workspace.id

  const setUp = async (taskboard: Taskboard, workspaceId: string, name: string): Promise<string> =>
    (await taskboard.channels.create(workspaceId, { type: 'recording', name, config: {}, events })).id

  const titles = (count: number): readonly string[] =>
    Array.from({ length: count }, (_, index) => `task ${String(index).padStart(2, '0')}`)

  async function until(holds: () => boolean): Promise<void> {
    await expect.poll(holds, { timeout: 15_000 }).toBe(true)
  }

  it('receive each event in order, from one board at a time, however many boards there are', async () => {
    await withBoards(async ([one, other]) => {
      const workspaceId = await openWorkspace(one)
      const ids = await Promise.all(['a', 'b', 'c'].map((name) => setUp(one, workspaceId, name)))
      await Promise.all([one.start(), other.start()])
      let added = 0
      // As many as it takes until both boards have delivered some.
      while (added < 20 || (boards.size < 2 && added < 90)) {
        const title = titles(90)[added] ?? ''
        await (added % 2 === 0 ? one : other).board(workspaceId).add({ title })
        added += 1
      }
      await until(() => ids.every((id) => (arrived.get(id)?.texts.length ?? 0) >= added))
      for (const id of ids) {
        const { texts = [], most } = arrived.get(id) ?? {}
        expect(texts).toEqual(titles(added).map((title) => `New task: ${title}`))
        expect(most).toBe(1)
      }
      expect(boards.size).toBe(2)
    })
  })

  it('receive what a board had claimed when it died, and what came meanwhile', async () => {
    await withBoards(async ([one, other]) => {
      const workspaceId = await openWorkspace(one)
      const id = await setUp(one, workspaceId, 'survivor')
      for (const title of titles(3)) await one.board(workspaceId).add({ title })
      const users = { types: ['recording'], failing: false }
      const request = { channels: [], users, limit: 10, eventsPerTarget: 1, claimMs: 300 }
      const { notifications } = postgresStorage({ pool: database.pool, listen: false })
      const { batches } = await notifications.claimNotifications(request, { now: null })
      expect(batches.map(({ channel, events: claimed }) => [channel, claimed.length])).toContainEqual([id, 1])
      await other.start()
      await until(() => (arrived.get(id)?.texts.length ?? 0) >= 3)
      expect(arrived.get(id)?.texts).toEqual(titles(3).map((title) => `New task: ${title}`))
    })
  })

  it('do not wait for one whose receiver is down, which receives everything in order when it is up again', async () => {
    await withBoards(async ([one, other]) => {
      const workspaceId = await openWorkspace(one)
      down.add('down')
      const [dead, alive] = [await setUp(one, workspaceId, 'down'), await setUp(one, workspaceId, 'up')]
      await Promise.all([one.start(), other.start()])
      for (const title of titles(5)) await other.board(workspaceId).add({ title })
      await until(() => (arrived.get(alive)?.texts.length ?? 0) >= 5)
      expect(arrived.get(dead)?.texts).toEqual([])
      await until(() => (arrived.get(dead)?.most ?? 0) > 0)
      down.clear()
      await one.channels.update(workspaceId, dead, {})
      await until(() => (arrived.get(dead)?.texts.length ?? 0) >= 5)
      const expected = titles(5).map((title) => `New task: ${title}`)
      expect([arrived.get(dead)?.texts, arrived.get(alive)?.texts]).toEqual([expected, expected])
      expect(arrived.get(dead)?.most).toBe(1)
    })
  })
})
