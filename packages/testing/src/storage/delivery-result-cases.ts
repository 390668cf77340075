import assert from 'node:assert/strict'
import type { ClaimedDelivery } from '@taskboard/core/storage'
import {
  ATTEMPT_MS,
  claim,
  claimOne,
  DISABLE_AFTER_MS,
  giveBack,
  log,
  record,
  resultOf,
  returned,
} from './delivery-session.js'
import type { StorageCheck } from './storage-case.js'
import { DAY, HOUR, MINUTE, readWebhook, SECOND, START, unknownId } from './world.js'

/** The results of deliveries, and their effects on webhooks. */
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
      const webhook = await readWebhook(
        world.storage.webhooks,
        { within: world.workspaceId, webhookId: second.webhook.id },
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
    name: 'a result for a deleted delivery does not affect others in its batch',
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
      await world.storage.webhooks.recordDeliveryResults(
        { results, disableAfterMs: DISABLE_AFTER_MS },
        world.at(),
      )
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
      await giveBack(world, { deliveryId: delivery.id, claimToken: 'x' }, SECOND)
      assert.equal((await claim(world, SECOND)).deliveries.length, 0)
      await giveBack(world, { deliveryId: delivery.id, claimToken }, SECOND)
      const again = await claimOne(world, SECOND)
      assert.deepEqual([again.delivery.id, again.delivery.attemptCount], [delivery.id, 0])
      assert.deepEqual(again.delivery.attempts, [])
    },
  },
  {
    id: 'deliveries.release-mixed',
    name: 'results and released claims are stored together',
    async check(world) {
      const { storage, at } = world
      const first = await world.addWebhook()
      const second = await world.addWebhook()
      await world.add()
      const { deliveries } = await claim(world, 0)
      const of = (id: string) => deliveries.find(({ webhook }) => webhook.id === id) as ClaimedDelivery
      const sent = of(first.id)
      const released = of(second.id)
      const results = [
        returned({ deliveryId: released.delivery.id, claimToken: released.claimToken }),
        resultOf(sent, { kind: 'failed' }),
      ]
      await storage.webhooks.recordDeliveryResults({ results, disableAfterMs: DAY }, at(SECOND))
      assert.equal((await log(world, first.id))[0]?.status, 'failed')
      const again = await claimOne(world, SECOND)
      assert.deepEqual([again.delivery.id, again.delivery.attempts], [released.delivery.id, []])
      const ofSecond = await readWebhook(
        storage.webhooks,
        { within: world.workspaceId, webhookId: second.id },
        at(),
      )
      assert.deepEqual(ofSecond, second)
    },
  },
  {
    id: 'deliveries.skipped',
    name: 'what falls due while its webhook is disabled is skipped, and stays so when it is enabled again',
    async check(world) {
      const { id } = await world.addWebhook()
      await world.add()
      const change = (enabled: boolean) =>
        world.storage.webhooks.updateWebhook(
          { workspaceId: world.workspaceId, webhookId: id, change: { enabled } },
          world.at(),
        )
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
        await world.storage.webhooks.updateWebhook(
          { workspaceId: world.workspaceId, webhookId: id, change: { enabled } },
          world.at(MINUTE),
        )
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
      const webhook = await readWebhook(
        world.storage.webhooks,
        { within: world.workspaceId, webhookId: id },
        world.at(),
      )
      assert.deepEqual([webhook.enabled, webhook.disabledReason], [false, 'gone'])
      assert.equal((await log(world, id))[0]?.status, 'failed')
      const alerts = (await world.events()).filter((event) => event.type === 'agent.alert')
      assert.deepEqual(
        alerts.map(({ data }) => ('reason' in data ? [data.webhookId, data.reason] : [])),
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
      const get = () =>
        readWebhook(world.storage.webhooks, { within: world.workspaceId, webhookId: id }, world.at())
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
    name: 'a success in between resets the count',
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
      const webhook = await readWebhook(
        world.storage.webhooks,
        { within: world.workspaceId, webhookId: id },
        world.at(),
      )
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
      await webhooks.insertWebhook({ webhook: input, idempotency: null }, world.at())
      await world.add()
      await record(world, await claimOne(world), { kind: 'gone' }, SECOND)
      assert.ok(!JSON.stringify(await world.events()).includes('secret'))
    },
  },
]
