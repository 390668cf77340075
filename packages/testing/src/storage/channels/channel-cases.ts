import assert from 'node:assert/strict'
import type { NotificationClaim, NotificationStore, StoredChannel } from '@taskboard/core/storage'
import { assertRefused, type StorageCheck } from '../storage-case.js'
import { DAY, MINUTE, SECOND, START, unknownId, type StorageFixture } from '../storage-fixture.js'

const INPUT = {
  type: 'chat',
  name: 'Team',
  config: { room: 'orders', options: { loud: true, names: ['a'] } },
  secrets: { url: 'v1.key.sealed', token: 'v1.key.other' },
  events: ['task.created' as const, 'task.failed' as const],
}

async function insert(
  { storage, workspaceId, at }: StorageFixture,
  input: Partial<StoredChannel> = {},
  afterMs = 0,
): Promise<StoredChannel> {
  const channel = { ...INPUT, workspaceId, ...input }
  const { value } = await storage.channels.insertChannel({ channel, idempotency: null }, at(afterMs))
  return value
}

async function read(
  { storage, workspaceId, at }: StorageFixture,
  channelId: string,
): Promise<StoredChannel | undefined> {
  const [channel] = await storage.channels.listChannels({ within: workspaceId, channelId }, at())
  return channel
}

function claim(
  { storage, at }: StorageFixture,
  afterMs = 0,
  { failing = false, limit = 10, types = ['chat'] } = {},
): Promise<NotificationClaim> {
  const request = { channels: [], users: { types, failing }, limit, eventsPerTarget: 10, claimMs: MINUTE }
  return storage.notifications.claimNotifications(request, at(afterMs))
}

type Settled = Parameters<NotificationStore['settleNotifications']>[0]

function settle(
  { storage, at }: StorageFixture,
  { batches: [batch] }: NotificationClaim,
  afterMs: number,
  result: Pick<Settled, 'readThroughSeq' | 'retryInMs' | 'health'>,
): Promise<boolean> {
  assert.ok(batch !== undefined, 'something was claimed')
  const { workspaceId, channel, claimToken } = batch
  return storage.notifications.settleNotifications(
    { workspaceId, channel, claimToken, ...result },
    at(afterMs),
  )
}

const seqsOf = ({ batches }: NotificationClaim) => batches.map(({ events }) => events.map(({ seq }) => seq))

const FAILED = { failures: 1, error: 'HTTP 500', isSent: false }
const SENT = { failures: 0, error: null, isSent: true }

/** The channels that users set up. */
export const channelCases: readonly StorageCheck[] = [
  {
    id: 'channels.insert',
    name: 'a channel is stored as given, read by its id and within reach, and no host’s target',
    async check(fixture) {
      const { storage, workspaceId, accountId, at } = fixture
      const made = await insert(fixture, {}, SECOND)
      assert.deepEqual(made, {
        ...INPUT,
        id: made.id,
        workspaceId,
        failures: 0,
        failingSince: null,
        lastError: null,
        lastDeliveredAt: null,
        createdAt: START + SECOND,
        updatedAt: START + SECOND,
      })
      assert.match(made.id, /^nch_[0-9a-z]{26}$/)
      assert.deepEqual(await read(fixture, made.id), made)
      const other = await fixture.addWorkspace()
      const all = { accountId, workspaceIds: 'all' } as const
      const reaches = [
        all,
        { ...all, workspaceIds: [other.workspaceId] },
        { ...all, accountId: unknownId('acct') },
      ]
      const found = await Promise.all(
        reaches.map((within) => storage.channels.listChannels({ within, channelId: made.id }, at())),
      )
      assert.deepEqual(found, [[made], [], []])
      assert.equal(await read(fixture, unknownId('nch')), undefined)
      assert.deepEqual(await storage.notifications.listTargets({ workspaceId }, at()), [])
      await assertRefused(insert(fixture, { workspaceId: unknownId('ws') }), 'NOT_FOUND')
    },
  },
  {
    id: 'channels.pages',
    name: 'the channels of a workspace are listed in pages, in the order of their creation',
    async check(fixture) {
      const { storage, workspaceId, at } = fixture
      const ids: string[] = []
      for (let count = 0; count < 5; count++) ids.push((await insert(fixture, { name: `c${count}` })).id)
      const other = await fixture.addWorkspace()
      await insert(fixture, { workspaceId: other.workspaceId })
      const page = async (limit: number, afterId: string | null) => {
        const query = { within: workspaceId, limit, afterId }
        return (await storage.channels.listChannels(query, at())).map(({ id }) => id)
      }
      assert.deepEqual(await page(2, null), ids.slice(0, 2))
      assert.deepEqual(await page(2, ids[1] ?? ''), ids.slice(2, 4))
      assert.deepEqual(await page(2, ids[3] ?? ''), ids.slice(4))
      assert.deepEqual(
        await storage.channels.listChannels({ within: unknownId('ws'), limit: 2, afterId: null }, at()),
        [],
      )
    },
  },
  {
    id: 'channels.update',
    name: 'an update replaces what it names, merges secrets, removes those that are null, and refuses another workspace',
    async check(fixture) {
      const { storage, workspaceId, at } = fixture
      const { id: channelId, ...made } = await insert(fixture)
      const update = (change: object, within = workspaceId, afterMs = SECOND) =>
        storage.channels.updateChannel({ workspaceId: within, channelId, change }, at(afterMs))
      const renamed = await update({ name: 'Others', events: ['task.moved'] })
      const expected = {
        ...made,
        id: channelId,
        name: 'Others',
        events: ['task.moved'],
        updatedAt: START + SECOND,
      }
      assert.deepEqual(renamed, expected)
      const changed = await update({ config: { room: 'x' }, secrets: { url: 'v1.key.new', token: null } })
      assert.deepEqual(changed, { ...expected, config: { room: 'x' }, secrets: { url: 'v1.key.new' } })
      assert.deepEqual(await read(fixture, channelId), changed)
      const other = await fixture.addWorkspace()
      await assertRefused(update({ name: 'x' }, other.workspaceId), 'NOT_FOUND')
      assert.deepEqual(await read(fixture, channelId), changed)
    },
  },
  {
    id: 'channels.idempotency',
    name: 'a repeat with the same key creates nothing, and one with another fingerprint is refused',
    async check(fixture) {
      const { storage, workspaceId, at } = fixture
      const channel = { ...INPUT, workspaceId }
      const idempotency = { scope: 's', key: 'k', fingerprint: 'f' }
      const create = (claimed: typeof idempotency) =>
        storage.channels.insertChannel({ channel, idempotency: claimed }, at())
      const [first, second] = await Promise.all([create(idempotency), create(idempotency)])
      assert.deepEqual(first.value, second.value)
      assert.equal(first.replayed, !second.replayed)
      await assertRefused(create({ ...idempotency, fingerprint: 'g' }), 'CONFLICT')
    },
  },
  {
    id: 'channels.claim',
    name: 'a channel receives what happens after its creation, in order, for one caller, with itself as it is',
    async check(fixture) {
      await fixture.add()
      const made = await insert(fixture)
      assert.deepEqual(await claim(fixture), { batches: [], nextDueInMs: null })
      for (let count = 0; count < 3; count++) await fixture.add()
      assert.deepEqual(seqsOf(await claim(fixture, 0, { types: ['mail'] })), [])
      assert.deepEqual(seqsOf(await claim(fixture, 0, { failing: true })), [])
      const request = { channels: [made.id, 'chat'], limit: 10, eventsPerTarget: 10, claimMs: MINUTE }
      const asHost = await fixture.storage.notifications.claimNotifications(request, fixture.at())
      assert.deepEqual(asHost.batches, [])
      const claims = await Promise.all([1, 2, 3].map(() => claim(fixture)))
      assert.deepEqual(claims.flatMap(seqsOf), [[2, 3, 4]])
      const [batch] = claims.flatMap(({ batches }) => batches)
      assert.deepEqual(batch?.userChannel, made)
      assert.deepEqual([batch?.channel, batch?.workspaceId], [made.id, fixture.workspaceId])
    },
  },
  {
    id: 'channels.health',
    name: 'failures are stored with their reason and move the channel to the queue of those that fail; a success ends them',
    async check(fixture) {
      const { id } = await insert(fixture)
      await fixture.add()
      const failed = { readThroughSeq: 0, retryInMs: 29 * SECOND, health: FAILED }
      assert.equal(await settle(fixture, await claim(fixture), SECOND, failed), true)
      const health = async () => {
        const { failures, failingSince, lastError, lastDeliveredAt } = (await read(
          fixture,
          id,
        )) as StoredChannel
        return { failures, failingSince, lastError, lastDeliveredAt }
      }
      const since = START + SECOND
      const after = { failures: 1, failingSince: since, lastError: 'HTTP 500', lastDeliveredAt: null }
      assert.deepEqual(await health(), after)
      assert.deepEqual(await claim(fixture, MINUTE), { batches: [], nextDueInMs: null })
      const early = await claim(fixture, 2 * SECOND, { failing: true })
      assert.deepEqual(early, { batches: [], nextDueInMs: 28 * SECOND })
      const second = await claim(fixture, 30 * SECOND, { failing: true })
      assert.equal(second.batches[0]?.userChannel?.failures, 1)
      const again = { readThroughSeq: 0, retryInMs: 0, health: { ...FAILED, failures: 2, error: 'timeout' } }
      await settle(fixture, second, 30 * SECOND, again)
      assert.deepEqual(await health(), { ...after, failures: 2, lastError: 'timeout' })
      const third = await claim(fixture, 31 * SECOND, { failing: true })
      await settle(fixture, third, 31 * SECOND, { readThroughSeq: 1, retryInMs: null, health: SENT })
      const delivered = START + 31 * SECOND
      const well = { failures: 0, failingSince: null, lastError: null, lastDeliveredAt: delivered }
      assert.deepEqual(await health(), well)
      await fixture.add()
      assert.deepEqual(seqsOf(await claim(fixture, MINUTE)), [[2]])
    },
  },
  {
    id: 'channels.settled-untried',
    name: 'a claim that ends without a send leaves the health as it was',
    async check(fixture) {
      const { id } = await insert(fixture)
      await fixture.add()
      await settle(fixture, await claim(fixture), 0, { readThroughSeq: 0, retryInMs: 0, health: FAILED })
      const before = await read(fixture, id)
      const claimed = await claim(fixture, SECOND, { failing: true })
      await settle(fixture, claimed, SECOND, { readThroughSeq: 1, retryInMs: null, health: undefined })
      assert.deepEqual(await read(fixture, id), before)
      await fixture.add()
      assert.deepEqual(seqsOf(await claim(fixture, SECOND, { failing: true })), [[2]])
    },
  },
  {
    id: 'channels.update-retries',
    name: 'a change ends the failures, so that what waits is due at once; a claimed channel stays claimed',
    async check(fixture) {
      const { storage, workspaceId, at } = fixture
      const { id: channelId } = await insert(fixture)
      await fixture.add()
      const failed = { readThroughSeq: 0, retryInMs: DAY, health: FAILED }
      await settle(fixture, await claim(fixture), 0, failed)
      const update = (afterMs: number) =>
        storage.channels.updateChannel({ workspaceId, channelId, change: {} }, at(afterMs))
      const { failures, failingSince, lastError } = await update(SECOND)
      assert.deepEqual([failures, failingSince, lastError], [0, null, null])
      const claimed = await claim(fixture, SECOND)
      assert.deepEqual(seqsOf(claimed), [[1]])
      await update(2 * SECOND)
      assert.deepEqual(seqsOf(await claim(fixture, 2 * SECOND)), [])
      const sent = { readThroughSeq: 1, retryInMs: null, health: SENT }
      assert.equal(await settle(fixture, claimed, 3 * SECOND, sent), true)
    },
  },
  {
    id: 'channels.delete',
    name: 'a deleted channel is claimed no more, its claim is lost, and another workspace cannot delete it',
    async check(fixture) {
      const { storage, workspaceId, at } = fixture
      const { id: channelId } = await insert(fixture)
      await fixture.add()
      const claimed = await claim(fixture)
      const other = await fixture.addWorkspace()
      const remove = (within: string) =>
        storage.channels.deleteChannel({ workspaceId: within, channelId }, at())
      assert.deepEqual(
        [await remove(other.workspaceId), await remove(workspaceId), await remove(workspaceId)],
        [false, true, false],
      )
      assert.equal(await read(fixture, channelId), undefined)
      assert.equal(
        await settle(fixture, claimed, 0, { readThroughSeq: 1, retryInMs: null, health: SENT }),
        false,
      )
      await fixture.add()
      assert.deepEqual(await claim(fixture, 2 * MINUTE), { batches: [], nextDueInMs: null })
    },
  },
  {
    id: 'channels.shared',
    name: 'of several channels each has its own position, and a claim takes at most its limit of them',
    async check(fixture) {
      const first = await insert(fixture)
      await fixture.add()
      const second = await insert(fixture)
      await fixture.add()
      const claimed = [await claim(fixture, 0, { limit: 1 }), await claim(fixture, 0, { limit: 1 })]
      const seqs = claimed.flatMap(({ batches }) =>
        batches.map(({ channel, events }) => [channel, events.map(({ seq }) => seq)] as const),
      )
      assert.deepEqual(Object.fromEntries(seqs), { [first.id]: [1, 2], [second.id]: [2] })
      assert.equal((await claim(fixture)).nextDueInMs, MINUTE)
    },
  },
]
