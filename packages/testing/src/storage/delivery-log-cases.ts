import assert from 'node:assert/strict'
import { ATTEMPT_MS, claim, claimOne, log, record } from './delivery-session.js'
import { assertRefused, type StorageCheck } from './storage-case.js'
import { DAY, HOUR, SECOND, START, unknownId } from './world.js'

/** The log of deliveries: looking at it, sending again from it, and its end. */
export const deliveryLogCases: readonly StorageCheck[] = [
  {
    id: 'deliveries.test',
    name: 'a test delivery is due at once, for one webhook, and in no log of events',
    async check(world) {
      const { id } = await world.addWebhook(['task.failed'])
      await world.addWebhook()
      const draft = { type: 'task.progress', data: { taskId: 't', progress: 1 } } as const
      const { webhooks } = world.storage
      const delivery = await webhooks.insertTestDelivery(
        { workspaceId: world.workspaceId, webhookId: id, event: draft },
        world.at(SECOND),
      )
      assert.deepEqual(await world.events(), [])
      const claimed = await claimOne(world, SECOND)
      assert.deepEqual([claimed.delivery, claimed.webhook.id], [delivery, id])
      assert.deepEqual([delivery.event.type, delivery.event.data], [draft.type, draft.data])
    },
  },
  {
    id: 'deliveries.list',
    name: 'the log is listed newest first, by status and in pages',
    async check(world) {
      const { id } = await world.addWebhook(['task.created'])
      for (let count = 0; count < 5; count++) await world.add({}, world.at(count))
      const all = await log(world, id)
      assert.deepEqual(
        all.map(({ event }) => event.seq),
        [5, 4, 3, 2, 1],
      )
      const { workspaceId, storage, at } = world
      const query = { workspaceId, webhookId: id, status: null, limit: 2, afterId: all[1]?.id ?? null }
      assert.deepEqual(await storage.webhooks.listDeliveries(query, at()), all.slice(2, 4))
      const { deliveries } = await claim(world, 10, { limit: 2 })
      for (const claimed of deliveries) await record(world, claimed, { kind: 'succeeded' }, 10)
      assert.deepEqual(
        (await log(world, id, 'succeeded')).map(({ event }) => event.seq),
        [2, 1],
      )
    },
  },
  {
    id: 'deliveries.resend-one',
    name: 'a finished delivery that is resent is due now with fresh attempts, same id and event',
    async check(world) {
      const { id } = await world.addWebhook()
      await world.add()
      const first = await claimOne(world)
      await record(world, first, { kind: 'succeeded' }, SECOND)
      const { webhooks } = world.storage
      const which = { deliveryId: first.delivery.id }
      assert.equal(
        await webhooks.resendDeliveries(
          { workspaceId: world.workspaceId, webhookId: id, which },
          world.at(DAY),
        ),
        1,
      )
      const again = await claimOne(world, DAY)
      const { delivery } = again
      assert.deepEqual([delivery.id, delivery.event], [first.delivery.id, first.delivery.event])
      assert.deepEqual([delivery.attemptCount, delivery.attempts.length], [0, 1])
    },
  },
  {
    id: 'deliveries.attempts-bounded',
    name: 'of the attempts of many resends the newest hundred are kept',
    async check(world) {
      const { id } = await world.addWebhook()
      await world.add()
      const { webhooks } = world.storage
      for (let round = 0; round < 105; round++) {
        const claimed = await claimOne(world, round * SECOND)
        await record(world, claimed, { kind: 'succeeded' }, round * SECOND)
        const which = { deliveryId: claimed.delivery.id }
        await webhooks.resendDeliveries(
          { workspaceId: world.workspaceId, webhookId: id, which },
          world.at(round * SECOND),
        )
      }
      const [delivery] = await log(world, id)
      assert.equal(delivery?.attempts.length, 100)
      assert.equal(delivery.attempts.at(-1)?.at, START + 104 * SECOND - ATTEMPT_MS)
    },
  },
  {
    id: 'deliveries.resend-pending',
    name: 'a pending delivery is not resent: its claim stays valid',
    async check(world) {
      const { id } = await world.addWebhook()
      await world.add()
      const { delivery } = await claimOne(world)
      const which = { deliveryId: delivery.id }
      const { webhooks } = world.storage
      assert.equal(
        await webhooks.resendDeliveries({ workspaceId: world.workspaceId, webhookId: id, which }, world.at()),
        0,
      )
      assert.deepEqual((await claim(world)).deliveries, [])
    },
  },
  {
    id: 'deliveries.resend-range',
    name: 'a range resends what failed or was skipped in it, and nothing that succeeded',
    async check(world) {
      const { id } = await world.addWebhook(['task.created'])
      for (const [afterMs, kind] of [
        [0, 'failed'],
        [1, 'succeeded'],
        [2, 'failed'],
        [3, 'failed'],
      ] as const) {
        await world.add({}, world.at(afterMs))
        await record(world, await claimOne(world, afterMs), { kind }, afterMs)
      }
      const range = { from: START + 1, to: START + 3 }
      const { webhooks } = world.storage
      assert.equal(
        await webhooks.resendDeliveries(
          { workspaceId: world.workspaceId, webhookId: id, which: range },
          world.at(DAY),
        ),
        1,
      )
      assert.equal((await claimOne(world, DAY)).delivery.createdAt, START + 2)
    },
  },
  {
    id: 'deliveries.resend-unknown',
    name: 'an unknown delivery, or one of another webhook, is NOT_FOUND to resend',
    async check(world) {
      const { id } = await world.addWebhook(['task.created'])
      const other = await world.addWebhook(['task.failed'])
      await world.add()
      const { delivery } = await claimOne(world)
      const { webhooks } = world.storage
      for (const [webhookId, deliveryId] of [
        [id, unknownId('evt')],
        [other.id, delivery.id],
      ] as const) {
        const resend = webhooks.resendDeliveries(
          { workspaceId: world.workspaceId, webhookId, which: { deliveryId } },
          world.at(),
        )
        await assertRefused(resend, 'NOT_FOUND')
      }
    },
  },
  {
    id: 'deliveries.prune',
    name: 'pruning drops finished deliveries from before an instant, at most the limit, and no pending one',
    async check(world) {
      const { id } = await world.addWebhook(['task.created'])
      await world.add({}, world.at(0))
      await record(world, await claimOne(world), { kind: 'retry', delayMs: 90 * DAY }, 0)
      for (const afterMs of [1, 2, 3]) {
        await world.add({}, world.at(afterMs))
        await record(world, await claimOne(world, afterMs), { kind: 'succeeded' }, afterMs)
      }
      assert.equal(
        await world.storage.prune(
          { rows: 'deliveries', olderThanMs: HOUR, limit: 1 },
          { now: START + HOUR + 3 },
        ),
        1,
      )
      assert.equal(
        await world.storage.prune(
          { rows: 'deliveries', olderThanMs: HOUR, limit: 10 },
          { now: START + HOUR + 3 },
        ),
        1,
      )
      assert.equal(
        await world.storage.prune(
          { rows: 'deliveries', olderThanMs: HOUR, limit: 10 },
          { now: START + HOUR + 3 },
        ),
        0,
      )
      assert.deepEqual(
        (await log(world, id)).map(({ event }) => event.seq),
        [4, 1],
      )
    },
  },
]
