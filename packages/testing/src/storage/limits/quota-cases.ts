import assert from 'node:assert/strict'
import type { Instant } from '@taskboard/core'
import { heldResources } from '@taskboard/core/storage'
import { terms } from '../board/schedule-cases.js'
import type { StorageCheck } from '../storage-case.js'
import { DAY, START, type StorageFixture } from '../storage-fixture.js'

const NEXT_MONTH = 31 * DAY

const takeTask = ({ storage, accountId, at }: StorageFixture, limit: number, afterMs = 0) =>
  storage.quotas.takeTask({ accountId, limit }, at(afterMs))

/** Adds a webhook unless there are `limit`, as a quota does it. */
function addWithin({ storage, accountId, workspaceId }: StorageFixture, limit: number): Promise<boolean> {
  return storage.transaction(async (tx) => {
    const at = { now: START, tx }
    const before = await storage.quotas.countHeld({ accountId, resource: 'webhooks' }, at)
    if (before >= limit) return false
    const webhook = {
      workspaceId,
      url: 'https://example.com/hook',
      events: ['task.created' as const],
      secrets: [],
      weakSecret: false,
    }
    await storage.webhooks.insertWebhook({ webhook, idempotency: null }, at)
    return true
  })
}

/** The quotas of accounts. */
export const quotaCases: readonly StorageCheck[] = [
  {
    id: 'quotas.tasks',
    name: 'tasks are taken up to the limit of the month, and a refusal takes nothing',
    async check(fixture) {
      const taken = []
      for (let count = 0; count < 4; count++) taken.push((await takeTask(fixture, 2, count)).taken)
      assert.deepEqual(taken, [true, true, false, false])
      assert.deepEqual(await takeTask(fixture, 3), { taken: true, month: START })
      assert.equal((await takeTask(fixture, 2)).taken, false)
      assert.equal(
        (await fixture.storage.quotas.usage({ accountId: fixture.accountId }, fixture.at())).tasks,
        3,
      )
    },
  },
  {
    id: 'quotas.none',
    name: 'a quota of nothing lets nothing through',
    async check(fixture) {
      assert.equal((await takeTask(fixture, 0)).taken, false)
      assert.equal((await takeTask(fixture, 0, NEXT_MONTH)).taken, false)
    },
  },
  {
    id: 'quotas.month',
    name: 'a month starts at zero at its first instant, UTC, and a clock that steps back takes the count along',
    async check(fixture) {
      assert.equal((await takeTask(fixture, 1)).taken, true)
      assert.equal((await takeTask(fixture, 1, NEXT_MONTH - 1)).taken, false)
      assert.deepEqual(await takeTask(fixture, 1, NEXT_MONTH), { taken: true, month: START + NEXT_MONTH })
      assert.deepEqual(await takeTask(fixture, 1, 0), { taken: false, month: START })
      assert.equal((await takeTask(fixture, 1, NEXT_MONTH)).taken, true)
      const usage = await fixture.storage.quotas.usage(
        { accountId: fixture.accountId },
        fixture.at(NEXT_MONTH + 28 * DAY),
      )
      assert.deepEqual([usage.month, usage.tasks], [START + NEXT_MONTH + 28 * DAY, 0])
    },
  },
  {
    id: 'quotas.give-back',
    name: 'what is given back can be taken again, in its own month alone and never below nothing',
    async check(fixture) {
      const giveBack = (of: string, month: Instant) =>
        fixture.storage.quotas.giveBackTask({ accountId: of, month }, fixture.at())
      const { month } = await takeTask(fixture, 1)
      await giveBack(fixture.accountId, month)
      await giveBack(fixture.accountId, month)
      assert.equal((await takeTask(fixture, 1)).taken, true)
      assert.equal((await takeTask(fixture, 1)).taken, false)
      assert.equal((await takeTask(fixture, 1, NEXT_MONTH)).taken, true)
      await giveBack(fixture.accountId, month)
      assert.equal((await takeTask(fixture, 1, NEXT_MONTH)).taken, false)
      await giveBack('acc_of_nobody', month)
    },
  },
  {
    id: 'quotas.at-once',
    name: 'of many tasks at once exactly the limit is taken, separately by each account',
    async check(fixture) {
      const { storage } = fixture
      const accountIds = [fixture.accountId, 'acc_another']
      const asked = Array.from({ length: 60 }, (_, index) => accountIds[index % 2] ?? '')
      const taken = await Promise.all(
        asked.map((accountId) => storage.quotas.takeTask({ accountId, limit: 7 }, fixture.at())),
      )
      for (const accountId of accountIds)
        assert.equal(taken.filter((each, index) => each.taken && asked[index] === accountId).length, 7)
    },
  },
  {
    id: 'quotas.usage',
    name: 'agents, webhooks, channels, schedules and keys are counted over the workspaces of the account; keys that have ended are not',
    async check(fixture) {
      const { storage, accountId, workspaceId } = fixture
      const stranger = {
        name: 'other',
        tier: 'custom',
        workspaceName: 'w',
        agent: { name: 'a', type: 't' },
      } as const
      await storage.access.insertAccount(stranger, fixture.at())
      await fixture.addWorkspace()
      await fixture.addWebhook()
      const key = (hash: string, expiresAt: number | null) =>
        storage.access.insertApiKey(
          {
            key: {
              accountId,
              workspaceId: null,
              defaultWorkspaceId: workspaceId,
              name: 'key',
              scopes: [],
              prefix: 'tb',
              hash,
              createdBy: null,
              expiresAt,
            },
            isOfUser: false,
            idempotency: null,
          },
          fixture.at(),
        )
      await key('a', null)
      await key('b', START + DAY)
      const { id } = await key('c', null)
      await storage.access.revokeApiKey(
        { reach: { accountId, workspaceIds: 'all' }, keyId: id },
        fixture.at(),
      )
      const channel = { workspaceId, type: 'chat', name: 'c', config: {}, secrets: {}, events: [] }
      await storage.channels.insertChannel({ channel, idempotency: null }, fixture.at())
      const schedule = terms(workspaceId)
      for (let count = 0; count < 3; count++)
        await storage.schedules.insertSchedule({ schedule, idempotency: null }, fixture.at())
      const usage = {
        month: START,
        tasks: 0,
        agents: 2,
        apiKeys: 2,
        webhooks: 1,
        notificationChannels: 1,
        schedules: 3,
      }
      assert.deepEqual(await storage.quotas.usage({ accountId }, fixture.at()), usage)
      assert.deepEqual(await storage.quotas.usage({ accountId }, fixture.at(DAY)), { ...usage, apiKeys: 1 })
      const counted = await storage.transaction(async (tx) => {
        const counts: number[] = []
        for (const resource of heldResources)
          counts.push(await storage.quotas.countHeld({ accountId, resource }, fixture.at(0, tx)))
        return counts
      })
      assert.deepEqual(
        counted,
        heldResources.map((resource) => usage[resource]),
      )
    },
  },
  {
    id: 'quotas.held-at-once',
    name: 'of many that count, create and commit at once, none is one too many',
    async check(fixture) {
      const added = await Promise.all(Array.from({ length: 8 }, () => addWithin(fixture, 3)))
      assert.equal(added.filter(Boolean).length, 3)
      const { webhooks } = await fixture.storage.quotas.usage({ accountId: fixture.accountId }, fixture.at())
      assert.equal(webhooks, 3)
    },
  },
]
