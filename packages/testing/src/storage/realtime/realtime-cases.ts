import assert from 'node:assert/strict'
import type { StorageCheck } from '../storage-case.js'
import { SECOND, unknownId, type StorageFixture } from '../storage-fixture.js'

const LEASE = 30 * SECOND

const open = async ({ storage, at }: StorageFixture, holderId: string, afterMs = 0): Promise<void> => {
  const lease = { holderId, leaseMs: LEASE, step: 'begin' } as const
  assert.equal(await storage.realtime.leaseHolder(lease, at(afterMs)), true)
}

const renew = ({ storage, at }: StorageFixture, holderId: string, afterMs = 0): Promise<boolean> =>
  storage.realtime.leaseHolder({ holderId, leaseMs: LEASE, step: 'renew' }, at(afterMs))

const acquire = (
  fixture: StorageFixture,
  slotId: string,
  holderId: string,
  afterMs = 0,
  limit: number | null = 2,
) =>
  fixture.storage.realtime.acquireSlot(
    { slotId, accountId: fixture.accountId, holderId, limit, leaseMs: LEASE },
    fixture.at(afterMs),
  )

/** Slots of realtime connections, and the ends of logs. */
export const realtimeCases: readonly StorageCheck[] = [
  {
    id: 'realtime.cap',
    name: 'an account has as many slots as its limit, over all holders, and a released one is free',
    async check(fixture) {
      await open(fixture, 'proc_a')
      await open(fixture, 'proc_b')
      assert.equal(await acquire(fixture, 'conn_1', 'proc_a'), 'taken')
      assert.equal(await acquire(fixture, 'conn_2', 'proc_b'), 'taken')
      assert.equal(await acquire(fixture, 'conn_3', 'proc_b'), 'full')
      await fixture.storage.realtime.releaseSlots({ slotIds: ['conn_1', 'conn_none'] }, fixture.at())
      assert.equal(await acquire(fixture, 'conn_3', 'proc_b'), 'taken')
      assert.equal(await acquire(fixture, 'conn_4', 'proc_a'), 'full')
      assert.equal(await acquire(fixture, 'conn_4', 'proc_a', 0, null), 'taken')
    },
  },
  {
    id: 'realtime.accounts',
    name: 'accounts do not count for one another',
    async check(fixture) {
      await open(fixture, 'proc_a')
      assert.equal(await acquire(fixture, 'conn_1', 'proc_a', 0, 1), 'taken')
      const request = {
        slotId: 'conn_2',
        accountId: unknownId('acct'),
        holderId: 'proc_a',
        limit: 1,
        leaseMs: LEASE,
      }
      assert.equal(await fixture.storage.realtime.acquireSlot(request, fixture.at()), 'taken')
    },
  },
  {
    id: 'realtime.at-once',
    name: 'of many connections at once exactly as many are admitted as there are slots',
    async check(fixture) {
      await open(fixture, 'proc_a')
      await open(fixture, 'proc_b')
      const outcomes = await Promise.all(
        Array.from({ length: 40 }, (_, n) =>
          acquire(fixture, `conn_${n}`, n % 2 ? 'proc_a' : 'proc_b', 0, 7),
        ),
      )
      assert.equal(outcomes.filter((outcome) => outcome === 'taken').length, 7)
      assert.equal(outcomes.filter((outcome) => outcome === 'full').length, 33)
    },
  },
  {
    id: 'realtime.lease',
    name: 'a holder that does not renew loses its slots at the end of its lease, not a millisecond before',
    async check(fixture) {
      await open(fixture, 'proc_dead')
      await open(fixture, 'proc_b', 10 * SECOND)
      await acquire(fixture, 'conn_1', 'proc_dead', 0, 1)
      assert.equal(await acquire(fixture, 'conn_2', 'proc_b', LEASE - 1, 1), 'full')
      assert.equal(await acquire(fixture, 'conn_2', 'proc_b', LEASE, 1), 'taken')
      assert.equal(await renew(fixture, 'proc_dead', LEASE), false)
      assert.equal(await acquire(fixture, 'conn_3', 'proc_dead', LEASE, 9), 'lost')
    },
  },
  {
    id: 'realtime.renew',
    name: 'a renewed lease holds all slots, and one that has ended cannot be renewed',
    async check(fixture) {
      await open(fixture, 'proc_a')
      await open(fixture, 'proc_b', LEASE)
      await acquire(fixture, 'conn_1', 'proc_a', 0, 1)
      assert.equal(await renew(fixture, 'proc_a', LEASE - 1), true)
      assert.equal(await acquire(fixture, 'conn_2', 'proc_b', LEASE + SECOND, 1), 'full')
      assert.equal(await renew(fixture, 'proc_a', 2 * LEASE - 1), false)
      assert.equal(await renew(fixture, 'proc_none'), false)
    },
  },
  {
    id: 'realtime.step-back',
    name: 'when the clock steps back, a dead holder’s slots are free one lease after the next request for them',
    async check(fixture) {
      await open(fixture, 'proc_dead', 3_600 * SECOND)
      await acquire(fixture, 'conn_1', 'proc_dead', 3_600 * SECOND, 1)
      await open(fixture, 'proc_b')
      assert.equal(await acquire(fixture, 'conn_2', 'proc_b', 0, 1), 'full')
      assert.equal(await renew(fixture, 'proc_b', SECOND), true)
      assert.equal(await acquire(fixture, 'conn_2', 'proc_b', LEASE - 1, 1), 'full')
      assert.equal(await acquire(fixture, 'conn_2', 'proc_b', LEASE, 1), 'taken')
    },
  },
  {
    id: 'realtime.close',
    name: 'a holder that closes frees its slots at once',
    async check(fixture) {
      await open(fixture, 'proc_a')
      await open(fixture, 'proc_b')
      await acquire(fixture, 'conn_1', 'proc_a', 0, 1)
      await fixture.storage.realtime.releaseSlots({ holderId: 'proc_a' }, fixture.at())
      assert.equal(await acquire(fixture, 'conn_2', 'proc_b', 0, 1), 'taken')
      assert.equal(await acquire(fixture, 'conn_3', 'proc_a', 0, 9), 'lost')
      assert.equal(await renew(fixture, 'proc_a'), false)
    },
  },
  {
    id: 'realtime.log-ends',
    name: 'the ends of logs are those of the workspaces within reach',
    async check(fixture) {
      const { realtime } = fixture.storage
      const { accountId, workspaceId } = fixture
      const other = await fixture.addWorkspace()
      await fixture.add()
      await fixture.add()
      const all = { accountId, workspaceIds: 'all' } as const
      const bothIds = [workspaceId, other.workspaceId].toSorted()
      const seqOf = (id: string): number => (id === workspaceId ? 2 : 0)
      const both = bothIds.map((id) => ({ workspaceId: id, seq: seqOf(id) }))
      assert.deepEqual(await realtime.readLogEnds({ reach: all, workspaceId: null }, fixture.at()), both)
      assert.deepEqual(await realtime.readLogEnds({ reach: all, workspaceId }, fixture.at()), [
        { workspaceId, seq: 2 },
      ])
      const bound = { accountId, workspaceIds: [other.workspaceId] }
      assert.deepEqual(await realtime.readLogEnds({ reach: bound, workspaceId: null }, fixture.at()), [
        { workspaceId: other.workspaceId, seq: 0 },
      ])
      assert.deepEqual(await realtime.readLogEnds({ reach: bound, workspaceId }, fixture.at()), [])
      assert.deepEqual(
        await realtime.readLogEnds({ reach: all, workspaceId: unknownId('ws') }, fixture.at()),
        [],
      )
      const foreign = { accountId: unknownId('acct'), workspaceIds: 'all' } as const
      assert.deepEqual(await realtime.readLogEnds({ reach: foreign, workspaceId }, fixture.at()), [])
    },
  },
]
