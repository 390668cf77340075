import assert from 'node:assert/strict'
import type { NotificationClaim } from '@taskboard/core/storage'
import { assertRefused, type StorageCheck } from '../storage-case.js'
import { MINUTE, SECOND, START, unknownId, type StorageFixture } from '../storage-fixture.js'

const CHANNEL = 'mail'

function save(
  { storage, workspaceId, at }: StorageFixture,
  channel = CHANNEL,
  to = 'a@example.com',
): Promise<boolean> {
  return storage.notifications.setTarget({ workspaceId, channel, settings: { to } }, at())
}

function claim(
  { storage, at }: StorageFixture,
  afterMs = 0,
  request: Partial<{ channels: string[]; limit: number; eventsPerTarget: number }> = {},
): Promise<NotificationClaim> {
  const defaults = { channels: [CHANNEL], limit: 10, eventsPerTarget: 10, claimMs: MINUTE }
  return storage.notifications.claimNotifications({ ...defaults, ...request }, at(afterMs))
}

function settle(
  { storage, workspaceId, at }: StorageFixture,
  claimToken: string,
  readThroughSeq: number,
  afterMs = 0,
  retryInMs: number | null = null,
): Promise<boolean> {
  const result = { workspaceId, channel: CHANNEL, claimToken, readThroughSeq, retryInMs }
  return storage.notifications.settleNotifications(result, at(afterMs))
}

const seqsOf = ({ batches }: NotificationClaim) => batches.map(({ events }) => events.map(({ seq }) => seq))

/** Channels and how far they have read. */
export const notificationCases: readonly StorageCheck[] = [
  {
    id: 'notifications.targets',
    name: 'targets are saved, replaced, listed and deleted per workspace',
    async check(fixture) {
      const { storage, workspaceId, at } = fixture
      assert.equal(await save(fixture), true)
      assert.equal(await save(fixture, 'chat', 'room'), true)
      assert.equal(await save(fixture, CHANNEL, 'b@example.com'), true)
      const list = await storage.notifications.listTargets({ workspaceId }, at())
      assert.deepEqual(
        list.toSorted((a, b) => (a.channel < b.channel ? -1 : 1)),
        [
          { workspaceId, channel: 'chat', settings: { to: 'room' } },
          { workspaceId, channel: CHANNEL, settings: { to: 'b@example.com' } },
        ],
      )
      assert.equal(
        await storage.notifications.setTarget({ workspaceId, channel: 'chat', settings: null }, at()),
        true,
      )
      assert.equal(
        await storage.notifications.setTarget({ workspaceId, channel: 'chat', settings: null }, at()),
        false,
      )
      const other = await fixture.addWorkspace()
      assert.deepEqual(await storage.notifications.listTargets({ workspaceId: other.workspaceId }, at()), [])
      const unknown = { workspaceId: unknownId('ws'), channel: CHANNEL }
      await assertRefused(storage.notifications.setTarget({ ...unknown, settings: {} }, at()), 'NOT_FOUND')
      assert.equal(await storage.notifications.setTarget({ ...unknown, settings: null }, at()), false)
    },
  },
  {
    id: 'notifications.new-target',
    name: 'a new target starts at the end of the log',
    async check(fixture) {
      await fixture.add()
      await save(fixture)
      assert.deepEqual(await claim(fixture), { batches: [], nextDueInMs: null })
      await fixture.add()
      assert.deepEqual(seqsOf(await claim(fixture)), [[2]])
    },
  },
  {
    id: 'notifications.claim',
    name: 'a claim returns the unread events in order, a bounded run, to one caller only',
    async check(fixture) {
      await save(fixture)
      for (let count = 0; count < 3; count++) await fixture.add()
      const claims = await Promise.all([1, 2, 3].map(() => claim(fixture, 0, { eventsPerTarget: 2 })))
      assert.deepEqual(claims.flatMap(seqsOf), [[1, 2]])
      const [batch] = claims.flatMap(({ batches }) => batches)
      assert.deepEqual(batch?.settings, { to: 'a@example.com' })
      assert.equal((await claim(fixture)).nextDueInMs, MINUTE)
    },
  },
  {
    id: 'notifications.pruned',
    name: 'events that were pruned unread are skipped, and later ones are not delayed',
    async check(fixture) {
      const { storage, at } = fixture
      await save(fixture)
      for (let count = 0; count < 2; count++) await fixture.add()
      await storage.analytics.rollUp({ limit: 100 }, at())
      assert.equal(
        await storage.prune({ rows: 'events', olderThanMs: 0, limit: 1 }, { now: START + MINUTE }),
        1,
      )
      const { batches } = await claim(fixture)
      assert.deepEqual(
        batches.map(({ events }) => events.map(({ seq }) => seq)),
        [[2]],
      )
      assert.equal(
        await storage.prune({ rows: 'events', olderThanMs: 0, limit: 10 }, { now: START + MINUTE }),
        1,
      )
      assert.deepEqual(await claim(fixture, MINUTE), { batches: [], nextDueInMs: null })
      await fixture.add({}, at(MINUTE))
      assert.deepEqual(seqsOf(await claim(fixture, MINUTE)), [[3]])
    },
  },
  {
    id: 'notifications.settle',
    name: 'a settled target continues at once after what it has read',
    async check(fixture) {
      await save(fixture)
      for (let count = 0; count < 3; count++) await fixture.add()
      const { batches } = await claim(fixture)
      assert.equal(await settle(fixture, batches[0]?.claimToken ?? '', 2), true)
      assert.deepEqual(seqsOf(await claim(fixture)), [[3]])
    },
  },
  {
    id: 'notifications.retry',
    name: 'a target that failed is due again at its retry, not before, also when more happens',
    async check(fixture) {
      await save(fixture)
      await fixture.add()
      const { batches } = await claim(fixture)
      await settle(fixture, batches[0]?.claimToken ?? '', 0, SECOND, 29 * SECOND)
      await fixture.add()
      assert.deepEqual(await claim(fixture, 2 * SECOND), { batches: [], nextDueInMs: 28 * SECOND })
      assert.deepEqual(seqsOf(await claim(fixture, 30 * SECOND)), [[1, 2]])
    },
  },
  {
    id: 'notifications.expired-claim',
    name: 'an expired claim is lost, taken over or not: another caller gets the events, a late settle changes nothing',
    async check(fixture) {
      await save(fixture)
      await fixture.add()
      const first = await claim(fixture)
      assert.deepEqual(await claim(fixture, MINUTE - 1), { batches: [], nextDueInMs: 1 })
      assert.equal(await settle(fixture, first.batches[0]?.claimToken ?? '', 1, MINUTE), false)
      const second = await claim(fixture, MINUTE)
      assert.deepEqual(seqsOf(second), [[1]])
      assert.equal(await settle(fixture, first.batches[0]?.claimToken ?? '', 1, MINUTE), false)
      assert.equal(await settle(fixture, second.batches[0]?.claimToken ?? '', 1, MINUTE), true)
      assert.deepEqual(await claim(fixture, MINUTE), { batches: [], nextDueInMs: null })
    },
  },
  {
    id: 'notifications.channels',
    name: 'a claim gives targets of the channels it names only, at most the limit',
    async check(fixture) {
      await save(fixture)
      await save(fixture, 'chat', 'room')
      await fixture.add()
      assert.deepEqual(seqsOf(await claim(fixture, 0, { channels: ['none'] })), [])
      const one = await claim(fixture, 0, { channels: [CHANNEL, 'chat'], limit: 1 })
      assert.equal(one.batches.length, 1)
      const rest = await claim(fixture, 0, { channels: [CHANNEL, 'chat'] })
      assert.equal(rest.batches.length, 1)
      assert.notEqual(rest.batches[0]?.channel, one.batches[0]?.channel)
    },
  },
  {
    id: 'notifications.deleted',
    name: 'a deleted target is claimed no more, and its claim is lost',
    async check(fixture) {
      await save(fixture)
      await fixture.add()
      const { batches } = await claim(fixture)
      await fixture.storage.notifications.setTarget(
        { workspaceId: fixture.workspaceId, channel: CHANNEL, settings: null },
        fixture.at(),
      )
      assert.equal(await settle(fixture, batches[0]?.claimToken ?? '', 1), false)
      assert.deepEqual(await claim(fixture, 2 * MINUTE), { batches: [], nextDueInMs: null })
    },
  },
]
