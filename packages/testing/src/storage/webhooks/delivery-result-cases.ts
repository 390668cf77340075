import assert from 'node:assert/strict'
import type { ClaimedDelivery } from '@taskboard/core/storage'
import {
  ATTEMPT_MS,
  claim,
  claimOne,
  DISABLE_AFTER_MS,
  giveBack,
  idsOf,
  log,
  record,
  resultOf,
  returned,
} from './delivery-steps.js'
import type { StorageCheck } from '../storage-case.js'
import { DAY, HOUR, MINUTE, readWebhook, SECOND, START, unknownId } from '../storage-fixture.js'

/** The results of deliveries, and their effects on webhooks. */
export const deliveryResultCases: readonly StorageCheck[] = [
  {
    id: 'deliveries.succeeded',
    name: 'a success ends the delivery and is in the log with its attempt',
    async check(fixture) {
      const webhook = await fixture.addWebhook()
      await fixture.add()
      await record(fixture, await claimOne(fixture), { kind: 'succeeded' }, SECOND)
      const [delivery] = await log(fixture, webhook.id)
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
      assert.deepEqual(await claim(fixture, DAY), { deliveries: [], nextDueInMs: null })
    },
  },
  {
    id: 'deliveries.retry',
    name: 'a retry is due so long after the end of its attempt, with the same id and event',
    async check(fixture) {
      await fixture.addWebhook()
      await fixture.add()
      const first = await claimOne(fixture)
      // It ended two seconds after the start, and is recorded another three later.
      await record(fixture, first, { kind: 'retry', delayMs: HOUR }, 5 * SECOND, 3 * SECOND)
      const dueAfterMs = 2 * SECOND + HOUR
      assert.deepEqual(await claim(fixture, MINUTE), { deliveries: [], nextDueInMs: dueAfterMs - MINUTE })
      assert.deepEqual((await claim(fixture, dueAfterMs - 1)).deliveries, [])
      const second = await claimOne(fixture, dueAfterMs)
      assert.equal(second.delivery.nextAttemptAt, START + dueAfterMs)
      assert.equal(second.delivery.attempts[0]?.at, START + 2 * SECOND - ATTEMPT_MS)
      assert.deepEqual([second.delivery.id, second.delivery.event], [first.delivery.id, first.delivery.event])
      assert.equal(second.delivery.attemptCount, 1)
      const webhook = await readWebhook(
        fixture.storage.webhooks,
        { within: fixture.workspaceId, webhookId: second.webhook.id },
        fixture.at(),
      )
      assert.equal(webhook.failingSince, second.delivery.attempts[0]?.at)
    },
  },
  {
    id: 'deliveries.failed',
    name: 'a delivery that has failed for good stays in the log as failed',
    async check(fixture) {
      const webhook = await fixture.addWebhook()
      await fixture.add()
      await record(fixture, await claimOne(fixture), { kind: 'failed' }, SECOND)
      assert.equal((await log(fixture, webhook.id, 'failed')).length, 1)
      assert.deepEqual(await claim(fixture, DAY), { deliveries: [], nextDueInMs: null })
    },
  },
  {
    id: 'deliveries.lost-claim',
    name: 'the result of a lost claim changes nothing; the one of the holder counts',
    async check(fixture) {
      const webhook = await fixture.addWebhook()
      await fixture.add()
      const lost = await claimOne(fixture)
      const held = await claimOne(fixture, MINUTE)
      await record(fixture, lost, { kind: 'failed' }, MINUTE)
      assert.deepEqual((await log(fixture, webhook.id))[0], held.delivery)
      await record(fixture, held, { kind: 'succeeded' }, MINUTE)
      await record(fixture, held, { kind: 'failed' }, MINUTE)
      const [delivery] = await log(fixture, webhook.id)
      assert.deepEqual([delivery?.status, delivery?.attempts.length], ['succeeded', 1])
    },
  },
  {
    id: 'deliveries.expired-claim',
    name: 'a result that comes when the claim has expired changes nothing',
    async check(fixture) {
      const webhook = await fixture.addWebhook()
      await fixture.add()
      await record(fixture, await claimOne(fixture), { kind: 'succeeded' }, MINUTE)
      assert.equal((await log(fixture, webhook.id))[0]?.status, 'pending')
    },
  },
  {
    id: 'deliveries.unknown-result',
    name: 'a result for a deleted delivery does not affect others in its batch',
    async check(fixture) {
      const webhook = await fixture.addWebhook()
      await fixture.add()
      const { delivery, claimToken, webhook: sentTo } = await claimOne(fixture)
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
      await fixture.storage.webhooks.recordDeliveryResults(
        { results, disableAfterMs: DISABLE_AFTER_MS },
        fixture.at(),
      )
      assert.equal((await log(fixture, webhook.id))[0]?.status, 'succeeded')
    },
  },
  {
    id: 'deliveries.release',
    name: 'a released claim is due at once and was no attempt; a lost one cannot be released',
    async check(fixture) {
      await fixture.addWebhook()
      await fixture.add()
      const { delivery, claimToken } = await claimOne(fixture)
      await giveBack(fixture, { deliveryId: delivery.id, claimToken: 'x' }, SECOND)
      assert.equal((await claim(fixture, SECOND)).deliveries.length, 0)
      await giveBack(fixture, { deliveryId: delivery.id, claimToken }, SECOND)
      const again = await claimOne(fixture, SECOND)
      assert.deepEqual([again.delivery.id, again.delivery.attemptCount], [delivery.id, 0])
      assert.deepEqual(again.delivery.attempts, [])
    },
  },
  {
    id: 'deliveries.release-mixed',
    name: 'results and released claims are stored together',
    async check(fixture) {
      const { storage, at } = fixture
      const first = await fixture.addWebhook()
      const second = await fixture.addWebhook()
      await fixture.add()
      const { deliveries } = await claim(fixture, 0)
      const of = (id: string) => deliveries.find(({ webhook }) => webhook.id === id) as ClaimedDelivery
      const sent = of(first.id)
      const released = of(second.id)
      const results = [
        returned({ deliveryId: released.delivery.id, claimToken: released.claimToken }),
        resultOf(sent, { kind: 'failed' }),
      ]
      await storage.webhooks.recordDeliveryResults({ results, disableAfterMs: DAY }, at(SECOND))
      assert.equal((await log(fixture, first.id))[0]?.status, 'failed')
      const again = await claimOne(fixture, SECOND)
      assert.deepEqual([again.delivery.id, again.delivery.attempts], [released.delivery.id, []])
      const ofSecond = await readWebhook(
        storage.webhooks,
        { within: fixture.workspaceId, webhookId: second.id },
        at(),
      )
      assert.deepEqual(ofSecond, second)
    },
  },
  {
    id: 'deliveries.put-off',
    name: 'a returned delivery with a delay is due after it, without an attempt, and no other one waits for it',
    async check(fixture) {
      const { id } = await fixture.addWebhook(['task.created'])
      await fixture.add()
      await fixture.add()
      const { deliveries } = await claim(fixture)
      const [putOff, other] = deliveries as [ClaimedDelivery, ClaimedDelivery]
      const toReturned = ({ delivery, claimToken }: ClaimedDelivery, delayMs: number) =>
        returned({ deliveryId: delivery.id, claimToken }, delayMs)
      const results = [toReturned(putOff, 90 * SECOND), toReturned(other, 0)]
      await fixture.storage.webhooks.recordDeliveryResults(
        { results, disableAfterMs: DISABLE_AFTER_MS },
        fixture.at(SECOND),
      )
      const logged = (await log(fixture, id)).find(({ id: each }) => each === putOff.delivery.id)
      assert.deepEqual(
        [logged?.status, logged?.attemptCount, logged?.attempts, logged?.nextAttemptAt],
        ['pending', 0, [], START + 91 * SECOND],
      )
      const early = await claim(fixture, SECOND)
      assert.deepEqual(idsOf(early.deliveries), [other.delivery.id])
      const [again] = early.deliveries as [ClaimedDelivery]
      await record(fixture, again, { kind: 'succeeded' }, SECOND)
      assert.deepEqual(await claim(fixture, 2 * SECOND), { deliveries: [], nextDueInMs: 89 * SECOND })
      const late = await claimOne(fixture, 91 * SECOND)
      assert.deepEqual(
        [late.delivery.id, late.delivery.attempts, late.delivery.nextAttemptAt],
        [putOff.delivery.id, [], START + 91 * SECOND],
      )
    },
  },
  {
    id: 'deliveries.skipped',
    name: 'what falls due while its webhook is disabled is skipped, and stays so when it is enabled again',
    async check(fixture) {
      const { id } = await fixture.addWebhook()
      await fixture.add()
      const change = (enabled: boolean) =>
        fixture.storage.webhooks.updateWebhook(
          { workspaceId: fixture.workspaceId, webhookId: id, change: { enabled } },
          fixture.at(),
        )
      await change(false)
      assert.deepEqual(await claim(fixture), { deliveries: [], nextDueInMs: null })
      const [delivery] = await log(fixture, id)
      assert.deepEqual([delivery?.status, delivery?.nextAttemptAt], ['skipped', null])
      await change(true)
      assert.deepEqual((await claim(fixture, HOUR)).deliveries, [])
    },
  },
  {
    id: 'deliveries.disabled-then-enabled',
    name: 'what falls due only after the webhook is enabled again is sent',
    async check(fixture) {
      const { id } = await fixture.addWebhook()
      await fixture.add()
      await record(fixture, await claimOne(fixture), { kind: 'retry', delayMs: HOUR }, 0)
      for (const enabled of [false, true]) {
        await fixture.storage.webhooks.updateWebhook(
          { workspaceId: fixture.workspaceId, webhookId: id, change: { enabled } },
          fixture.at(MINUTE),
        )
        await claim(fixture, MINUTE)
      }
      assert.equal((await claim(fixture, HOUR)).deliveries.length, 1)
    },
  },
  {
    id: 'deliveries.gone',
    name: 'an endpoint that is gone disables its webhook, with one alert that others get',
    async check(fixture) {
      const { id } = await fixture.addWebhook(['task.created'])
      const watcher = await fixture.addWebhook(['agent.alert'])
      await fixture.add()
      await record(fixture, await claimOne(fixture), { kind: 'gone' }, SECOND)
      const webhook = await readWebhook(
        fixture.storage.webhooks,
        { within: fixture.workspaceId, webhookId: id },
        fixture.at(),
      )
      assert.deepEqual([webhook.enabled, webhook.disabledReason], [false, 'gone'])
      assert.equal((await log(fixture, id))[0]?.status, 'failed')
      const alerts = (await fixture.events()).filter((event) => event.type === 'agent.alert')
      assert.deepEqual(
        alerts.map(({ data }) => ('reason' in data ? [data.webhookId, data.reason] : [])),
        [[id, 'gone']],
      )
      assert.equal((await log(fixture, watcher.id)).length, 1)
    },
  },
  {
    id: 'deliveries.failing',
    name: 'nothing but failures for long enough disables the webhook, with one alert',
    async check(fixture) {
      const { id } = await fixture.addWebhook(['task.created'])
      await fixture.add()
      await fixture.add()
      const { deliveries } = await claim(fixture)
      await record(fixture, deliveries[0] as ClaimedDelivery, { kind: 'retry', delayMs: DAY }, 0)
      await record(fixture, deliveries[1] as ClaimedDelivery, { kind: 'retry', delayMs: DAY }, SECOND)
      const get = () =>
        readWebhook(fixture.storage.webhooks, { within: fixture.workspaceId, webhookId: id }, fixture.at())
      assert.equal((await get()).failingSince, START - ATTEMPT_MS)
      const overMs = DISABLE_AFTER_MS - ATTEMPT_MS
      const late = await claim(fixture, overMs - 1)
      await record(fixture, late.deliveries[0] as ClaimedDelivery, { kind: 'failed' }, overMs - 1)
      assert.equal((await get()).enabled, true)
      await record(fixture, late.deliveries[1] as ClaimedDelivery, { kind: 'failed' }, overMs)
      const webhook = await get()
      assert.deepEqual([webhook.enabled, webhook.disabledReason], [false, 'failing'])
      const types = await fixture.eventTypes()
      assert.equal(types.filter((type) => type === 'agent.alert').length, 1)
    },
  },
  {
    id: 'deliveries.failing-reset',
    name: 'a success in between resets the count',
    async check(fixture) {
      const { id } = await fixture.addWebhook(['task.created'])
      for (const [afterMs, kind] of [
        [0, 'failed'],
        [DAY, 'succeeded'],
        [2 * DAY, 'failed'],
        [6 * DAY, 'failed'],
      ] as const) {
        await fixture.add({}, fixture.at(afterMs))
        await record(fixture, await claimOne(fixture, afterMs), { kind }, afterMs)
      }
      const webhook = await readWebhook(
        fixture.storage.webhooks,
        { within: fixture.workspaceId, webhookId: id },
        fixture.at(),
      )
      assert.deepEqual([webhook.enabled, webhook.failingSince], [true, START + 2 * DAY - ATTEMPT_MS])
    },
  },
  {
    id: 'deliveries.alert-url',
    name: 'the alert holds the address without its query',
    async check(fixture) {
      const { webhooks } = fixture.storage
      const url = 'https://example.com/hook?token=secret'
      const input = {
        workspaceId: fixture.workspaceId,
        url,
        events: ['task.created'],
        secrets: [],
        weakSecret: false,
      } as const
      await webhooks.insertWebhook({ webhook: input, idempotency: null }, fixture.at())
      await fixture.add()
      await record(fixture, await claimOne(fixture), { kind: 'gone' }, SECOND)
      assert.ok(!JSON.stringify(await fixture.events()).includes('secret'))
    },
  },
]
