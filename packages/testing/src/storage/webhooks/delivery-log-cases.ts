import assert from 'node:assert/strict'
import { ATTEMPT_MS, claim, claimOne, log, record } from './delivery-steps.js'
import { assertRefused, type StorageCheck } from '../storage-case.js'
import { DAY, HOUR, SECOND, START, unknownId } from '../storage-fixture.js'

/** The log of deliveries: looking at it, sending again from it, and its end. */
export const deliveryLogCases: readonly StorageCheck[] = [
  {
    id: 'deliveries.test',
    name: 'a test delivery is due at once, for one webhook, and in no log of events',
    async check(fixture) {
      const { id } = await fixture.addWebhook(['task.failed'])
      await fixture.addWebhook()
      const draft = { type: 'task.progress', data: { taskId: 't', progress: 1 } } as const
      const { webhooks } = fixture.storage
      const delivery = await webhooks.insertTestDelivery(
        { workspaceId: fixture.workspaceId, webhookId: id, event: draft },
        fixture.at(SECOND),
      )
      assert.deepEqual(await fixture.events(), [])
      const claimed = await claimOne(fixture, SECOND)
      assert.deepEqual([claimed.delivery, claimed.webhook.id], [delivery, id])
      assert.deepEqual([delivery.event.type, delivery.event.data], [draft.type, draft.data])
    },
  },
  {
    id: 'deliveries.list',
    name: 'the log is listed newest first, by status and in pages',
    async check(fixture) {
      const { id } = await fixture.addWebhook(['task.created'])
      for (let count = 0; count < 5; count++) await fixture.add({}, fixture.at(count))
      const all = await log(fixture, id)
      assert.deepEqual(
        all.map(({ event }) => event.seq),
        [5, 4, 3, 2, 1],
      )
      const { workspaceId, storage, at } = fixture
      const query = { workspaceId, webhookId: id, status: null, limit: 2, afterId: all[1]?.id ?? null }
      assert.deepEqual(await storage.webhooks.listDeliveries(query, at()), all.slice(2, 4))
      const { deliveries } = await claim(fixture, 10, { limit: 2 })
      for (const claimed of deliveries) await record(fixture, claimed, { kind: 'succeeded' }, 10)
      assert.deepEqual(
        (await log(fixture, id, 'succeeded')).map(({ event }) => event.seq),
        [2, 1],
      )
    },
  },
  {
    id: 'deliveries.resend-one',
    name: 'a finished delivery that is resent is due now with fresh attempts, same id and event',
    async check(fixture) {
      const { id } = await fixture.addWebhook()
      await fixture.add()
      const first = await claimOne(fixture)
      await record(fixture, first, { kind: 'succeeded' }, SECOND)
      const { webhooks } = fixture.storage
      const which = { deliveryId: first.delivery.id }
      assert.equal(
        await webhooks.resendDeliveries(
          { workspaceId: fixture.workspaceId, webhookId: id, which },
          fixture.at(DAY),
        ),
        1,
      )
      const again = await claimOne(fixture, DAY)
      const { delivery } = again
      assert.deepEqual([delivery.id, delivery.event], [first.delivery.id, first.delivery.event])
      assert.deepEqual([delivery.attemptCount, delivery.attempts.length], [0, 1])
    },
  },
  {
    id: 'deliveries.attempts-bounded',
    name: 'of the attempts of many resends the newest hundred are kept',
    async check(fixture) {
      const { id } = await fixture.addWebhook()
      await fixture.add()
      const { webhooks } = fixture.storage
      for (let round = 0; round < 105; round++) {
        const claimed = await claimOne(fixture, round * SECOND)
        await record(fixture, claimed, { kind: 'succeeded' }, round * SECOND)
        const which = { deliveryId: claimed.delivery.id }
        await webhooks.resendDeliveries(
          { workspaceId: fixture.workspaceId, webhookId: id, which },
          fixture.at(round * SECOND),
        )
      }
      const [delivery] = await log(fixture, id)
      assert.equal(delivery?.attempts.length, 100)
      assert.equal(delivery.attempts.at(-1)?.at, START + 104 * SECOND - ATTEMPT_MS)
    },
  },
  {
    id: 'deliveries.resend-pending',
    name: 'a pending delivery is not resent: its claim stays valid',
    async check(fixture) {
      const { id } = await fixture.addWebhook()
      await fixture.add()
      const { delivery } = await claimOne(fixture)
      const which = { deliveryId: delivery.id }
      const { webhooks } = fixture.storage
      assert.equal(
        await webhooks.resendDeliveries(
          { workspaceId: fixture.workspaceId, webhookId: id, which },
          fixture.at(),
        ),
        0,
      )
      assert.deepEqual((await claim(fixture)).deliveries, [])
    },
  },
  {
    id: 'deliveries.resend-range',
    name: 'a range resends what failed or was skipped in it, and nothing that succeeded',
    async check(fixture) {
      const { id } = await fixture.addWebhook(['task.created'])
      for (const [afterMs, kind] of [
        [0, 'failed'],
        [1, 'succeeded'],
        [2, 'failed'],
        [3, 'failed'],
      ] as const) {
        await fixture.add({}, fixture.at(afterMs))
        await record(fixture, await claimOne(fixture, afterMs), { kind }, afterMs)
      }
      const range = { from: START + 1, to: START + 3 }
      const { webhooks } = fixture.storage
      assert.equal(
        await webhooks.resendDeliveries(
          { workspaceId: fixture.workspaceId, webhookId: id, which: range },
          fixture.at(DAY),
        ),
        1,
      )
      assert.equal((await claimOne(fixture, DAY)).delivery.createdAt, START + 2)
    },
  },
  {
    id: 'deliveries.resend-unknown',
    name: 'an unknown delivery, or one of another webhook, is NOT_FOUND to resend',
    async check(fixture) {
      const { id } = await fixture.addWebhook(['task.created'])
      const other = await fixture.addWebhook(['task.failed'])
      await fixture.add()
      const { delivery } = await claimOne(fixture)
      const { webhooks } = fixture.storage
      for (const [webhookId, deliveryId] of [
        [id, unknownId('evt')],
        [other.id, delivery.id],
      ] as const) {
        const resend = webhooks.resendDeliveries(
          { workspaceId: fixture.workspaceId, webhookId, which: { deliveryId } },
          fixture.at(),
        )
        await assertRefused(resend, 'NOT_FOUND')
      }
    },
  },
  {
    id: 'deliveries.prune',
    name: 'pruning drops finished deliveries from before an instant, at most the limit, and no pending one',
    async check(fixture) {
      const { id } = await fixture.addWebhook(['task.created'])
      await fixture.add({}, fixture.at(0))
      await record(fixture, await claimOne(fixture), { kind: 'retry', delayMs: 90 * DAY }, 0)
      for (const afterMs of [1, 2, 3]) {
        await fixture.add({}, fixture.at(afterMs))
        await record(fixture, await claimOne(fixture, afterMs), { kind: 'succeeded' }, afterMs)
      }
      assert.equal(
        await fixture.storage.prune(
          { rows: 'deliveries', olderThanMs: HOUR, limit: 1 },
          { now: START + HOUR + 3 },
        ),
        1,
      )
      assert.equal(
        await fixture.storage.prune(
          { rows: 'deliveries', olderThanMs: HOUR, limit: 10 },
          { now: START + HOUR + 3 },
        ),
        1,
      )
      assert.equal(
        await fixture.storage.prune(
          { rows: 'deliveries', olderThanMs: HOUR, limit: 10 },
          { now: START + HOUR + 3 },
        ),
        0,
      )
      assert.deepEqual(
        (await log(fixture, id)).map(({ event }) => event.seq),
        [4, 1],
      )
    },
  },
]
