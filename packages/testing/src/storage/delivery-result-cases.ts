import assert from 'node:assert/strict'
import type { ClaimedDelivery } from '@taskboard/core'
import { ATTEMPT_MS, claim, claimOne, DISABLE_AFTER_MS, log, record } from './delivery-session.js'
import { assertRefused, type StorageCheck } from './storage-case.js'
import { DAY, HOUR, MINUTE, SECOND, START, unknownId } from './world.js'

/** What becomes of deliveries, and the log of that. */
export const deliveryResultCases: readonly StorageCheck[] = [
  {
    id: 'deliveries.succeeded',
    name: 'a success ends the delivery and is in the log with its attempt',
    async check(world) {
      const webhook = await world.addWebhook()
      await world.add()
      await record(world, await claimOne(world), { kind: 'succeeded' }, SECOND)
      const [delivery] = await log(world, webhook.id)
      assert.deepEqual([delivery?.status, delivery?.attemptCount], ['succeeded', 1])
      assert.equal(delivery?.nextAttemptAt, null)
      assert.deepEqual(delivery?.attempts, [
        {
          at: START + SECOND - ATTEMPT_MS,
          durationMs: ATTEMPT_MS,
          status: 200,
          error: null,
          responseExcerpt: 'text',
        },
      ])
      assert.deepEqual(await claim(world, DAY), { deliveries: [], nextDueInMs: null })
    },
  },
  {
    id: 'deliveries.retry',
    name: 'a retry is due so long after the end of its attempt, with the same id and event',
    async check(world) {
      await world.addWebhook()
      await world.add()
      const first = await claimOne(world)
      // It ended two seconds after the start, and is recorded another three later.
      await record(world, first, { kind: 'retry', delayMs: HOUR }, 5 * SECOND, 3 * SECOND)
      const dueAfterMs = 2 * SECOND + HOUR
      assert.deepEqual(await claim(world, MINUTE), { deliveries: [], nextDueInMs: dueAfterMs - MINUTE })
      assert.deepEqual((await claim(world, dueAfterMs - 1)).deliveries, [])
      const second = await claimOne(world, dueAfterMs)
      assert.equal(second.delivery.nextAttemptAt, START + dueAfterMs)
      assert.equal(second.delivery.attempts[0]?.at, START + 2 * SECOND - ATTEMPT_MS)
      assert.deepEqual([second.delivery.id, second.delivery.event], [first.delivery.id, first.delivery.event])
      assert.equal(second.delivery.attemptCount, 1)
      const webhook = await world.storage.webhooks.getWebhook(
        world.workspaceId,
        second.webhook.id,
        world.at(),
      )
      assert.equal(webhook.failingSince, second.delivery.attempts[0]?.at)
    },
  },
  {
    id: 'deliveries.failed',
    name: 'a delivery that has failed for good stays in the log as failed',
    async check(world) {
      const webhook = await world.addWebhook()
      await world.add()
      await record(world, await claimOne(world), { kind: 'failed' }, SECOND)
      assert.equal((await log(world, webhook.id, 'failed')).length, 1)
      assert.deepEqual(await claim(world, DAY), { deliveries: [], nextDueInMs: null })
    },
  },
  {
    id: 'deliveries.lost-claim',
    name: 'the result of a lost claim changes nothing; the one of the holder counts',
    async check(world) {
      const webhook = await world.addWebhook()
      await world.add()
      const lost = await claimOne(world)
      const held = await claimOne(world, MINUTE)
      await record(world, lost, { kind: 'failed' }, MINUTE)
      assert.deepEqual((await log(world, webhook.id))[0], held.delivery)
      await record(world, held, { kind: 'succeeded' }, MINUTE)
      await record(world, held, { kind: 'failed' }, MINUTE)
      const [delivery] = await log(world, webhook.id)
      assert.deepEqual([delivery?.status, delivery?.attempts.length], ['succeeded', 1])
    },
  },
  {
    id: 'deliveries.expired-claim',
    name: 'a result that comes when the claim has expired changes nothing',
    async check(world) {
      const webhook = await world.addWebhook()
      await world.add()
      await record(world, await claimOne(world), { kind: 'succeeded' }, MINUTE)
      assert.equal((await log(world, webhook.id))[0]?.status, 'pending')
    },
  },
  {
    id: 'deliveries.unknown-result',
    name: 'a result for a delivery that is gone harms no other in its batch',
    async check(world) {
      const webhook = await world.addWebhook()
      await world.add()
      const { delivery, claimToken, webhook: sentTo } = await claimOne(world)
      const attempt = { durationMs: 1, status: 200, error: null, responseExcerpt: null }
      const outcome = { kind: 'succeeded' } as const
      const ids = [unknownId('evt'), delivery.id]
      const { url } = sentTo
      const results = ids.map((deliveryId) => ({
        deliveryId,
        claimToken,
        url,
        attempt,
        endedMsAgo: 0,
        outcome,
      }))
      await world.storage.webhooks.recordDeliveryResults(results, DISABLE_AFTER_MS, world.at())
      assert.equal((await log(world, webhook.id))[0]?.status, 'succeeded')
    },
  },
  {
    id: 'deliveries.release',
    name: 'a released claim is due at once and was no attempt; a lost one cannot be released',
    async check(world) {
      await world.addWebhook()
      await world.add()
      const { delivery, claimToken } = await claimOne(world)
      const { webhooks } = world.storage
      await webhooks.releaseDeliveries([{ deliveryId: delivery.id, claimToken: 'x' }], world.at(SECOND))
      assert.equal((await claim(world, SECOND)).deliveries.length, 0)
      await webhooks.releaseDeliveries([{ deliveryId: delivery.id, claimToken }], world.at(SECOND))
      const again = await claimOne(world, SECOND)
      assert.deepEqual([again.delivery.id, again.delivery.attemptCount], [delivery.id, 0])
    },
  },
  {
    id: 'deliveries.skipped',
    name: 'what falls due while its webhook is disabled is skipped, and stays so when it is enabled again',
    async check(world) {
      const { id } = await world.addWebhook()
      await world.add()
      const change = (enabled: boolean) =>
        world.storage.webhooks.updateWebhook(world.workspaceId, id, { enabled }, world.at())
      await change(false)
      assert.deepEqual(await claim(world), { deliveries: [], nextDueInMs: null })
      const [delivery] = await log(world, id)
      assert.deepEqual([delivery?.status, delivery?.nextAttemptAt], ['skipped', null])
      await change(true)
      assert.deepEqual((await claim(world, HOUR)).deliveries, [])
    },
  },
  {
    id: 'deliveries.disabled-then-enabled',
    name: 'what falls due only after the webhook is enabled again is sent',
    async check(world) {
      const { id } = await world.addWebhook()
      await world.add()
      await record(world, await claimOne(world), { kind: 'retry', delayMs: HOUR }, 0)
      for (const enabled of [false, true]) {
        await world.storage.webhooks.updateWebhook(world.workspaceId, id, { enabled }, world.at(MINUTE))
        await claim(world, MINUTE)
      }
      assert.equal((await claim(world, HOUR)).deliveries.length, 1)
    },
  },
  {
    id: 'deliveries.gone',
    name: 'an endpoint that is gone disables its webhook, with one alert that others get',
    async check(world) {
      const { id } = await world.addWebhook(['task.created'])
      const watcher = await world.addWebhook(['agent.alert'])
      await world.add()
      await record(world, await claimOne(world), { kind: 'gone' }, SECOND)
      const webhook = await world.storage.webhooks.getWebhook(world.workspaceId, id, world.at())
      assert.deepEqual([webhook.enabled, webhook.disabledReason], [false, 'gone'])
      assert.equal((await log(world, id))[0]?.status, 'failed')
      const alerts = (await world.events()).filter((event) => event.type === 'agent.alert')
      assert.deepEqual(
        alerts.map(({ facts }) => ('reason' in facts ? [facts.webhookId, facts.reason] : [])),
        [[id, 'gone']],
      )
      assert.equal((await log(world, watcher.id)).length, 1)
    },
  },
  {
    id: 'deliveries.failing',
    name: 'nothing but failures for long enough disables the webhook, with one alert',
    async check(world) {
      const { id } = await world.addWebhook(['task.created'])
      await world.add()
      await world.add()
      const { deliveries } = await claim(world)
      await record(world, deliveries[0] as ClaimedDelivery, { kind: 'retry', delayMs: DAY }, 0)
      await record(world, deliveries[1] as ClaimedDelivery, { kind: 'retry', delayMs: DAY }, SECOND)
      const get = () => world.storage.webhooks.getWebhook(world.workspaceId, id, world.at())
      assert.equal((await get()).failingSince, START - ATTEMPT_MS)
      const overMs = DISABLE_AFTER_MS - ATTEMPT_MS
      const late = await claim(world, overMs - 1)
      await record(world, late.deliveries[0] as ClaimedDelivery, { kind: 'failed' }, overMs - 1)
      assert.equal((await get()).enabled, true)
      await record(world, late.deliveries[1] as ClaimedDelivery, { kind: 'failed' }, overMs)
      const webhook = await get()
      assert.deepEqual([webhook.enabled, webhook.disabledReason], [false, 'failing'])
      const types = await world.eventTypes()
      assert.equal(types.filter((type) => type === 'agent.alert').length, 1)
    },
  },
  {
    id: 'deliveries.failing-reset',
    name: 'a success in between starts the count anew',
    async check(world) {
      const { id } = await world.addWebhook(['task.created'])
      for (const [afterMs, kind] of [
        [0, 'failed'],
        [DAY, 'succeeded'],
        [2 * DAY, 'failed'],
        [6 * DAY, 'failed'],
      ] as const) {
        await world.add({}, world.at(afterMs))
        await record(world, await claimOne(world, afterMs), { kind }, afterMs)
      }
      const webhook = await world.storage.webhooks.getWebhook(world.workspaceId, id, world.at())
      assert.deepEqual([webhook.enabled, webhook.failingSince], [true, START + 2 * DAY - ATTEMPT_MS])
    },
  },
  {
    id: 'deliveries.alert-url',
    name: 'the alert holds the address without its query',
    async check(world) {
      const { webhooks } = world.storage
      const url = 'https://example.com/hook?token=secret'
      const input = { workspaceId: world.workspaceId, url, events: ['task.created'], secrets: [] } as const
      await webhooks.insertWebhook(input, null, world.at())
      await world.add()
      await record(world, await claimOne(world), { kind: 'gone' }, SECOND)
      assert.ok(!JSON.stringify(await world.events()).includes('secret'))
    },
  },
  {
    id: 'deliveries.test',
    name: 'a test delivery is due at once, for one webhook, and in no log of events',
    async check(world) {
      const { id } = await world.addWebhook(['task.failed'])
      await world.addWebhook()
      const draft = { type: 'task.progress', facts: { taskId: 't', progress: 1 } } as const
      const { webhooks } = world.storage
      const delivery = await webhooks.insertTestDelivery(world.workspaceId, id, draft, world.at(SECOND))
      assert.deepEqual(await world.events(), [])
      const claimed = await claimOne(world, SECOND)
      assert.deepEqual([claimed.delivery, claimed.webhook.id], [delivery, id])
      assert.deepEqual([delivery.event.type, delivery.event.facts], [draft.type, draft.facts])
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
      assert.equal(await webhooks.resendDeliveries(world.workspaceId, id, which, world.at(DAY)), 1)
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
        await webhooks.resendDeliveries(world.workspaceId, id, which, world.at(round * SECOND))
      }
      const [delivery] = await log(world, id)
      assert.equal(delivery?.attempts.length, 100)
      assert.equal(delivery.attempts.at(-1)?.at, START + 104 * SECOND - ATTEMPT_MS)
    },
  },
  {
    id: 'deliveries.resend-pending',
    name: 'a pending delivery is not resent: its claim goes on holding',
    async check(world) {
      const { id } = await world.addWebhook()
      await world.add()
      const { delivery } = await claimOne(world)
      const which = { deliveryId: delivery.id }
      const { webhooks } = world.storage
      assert.equal(await webhooks.resendDeliveries(world.workspaceId, id, which, world.at()), 0)
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
      assert.equal(await webhooks.resendDeliveries(world.workspaceId, id, range, world.at(DAY)), 1)
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
        const resend = webhooks.resendDeliveries(world.workspaceId, webhookId, { deliveryId }, world.at())
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
      const { webhooks } = world.storage
      assert.equal(await webhooks.pruneDeliveries(HOUR, 1, START + HOUR + 3), 1)
      assert.equal(await webhooks.pruneDeliveries(HOUR, 10, START + HOUR + 3), 1)
      assert.equal(await webhooks.pruneDeliveries(HOUR, 10, START + HOUR + 3), 0)
      assert.deepEqual(
        (await log(world, id)).map(({ event }) => event.seq),
        [4, 1],
      )
    },
  },
]
