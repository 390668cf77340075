import assert from 'node:assert/strict'
import { claim, claimOne, idsOf, log } from './delivery-steps.js'
import type { StorageCheck } from '../storage-case.js'
import { MINUTE, SECOND, START } from '../storage-fixture.js'

/** Events on their way to endpoints. */
export const deliveryCases: readonly StorageCheck[] = [
  {
    id: 'deliveries.fan-out',
    name: 'each webhook that subscribes to an event’s type gets one delivery of it',
    async check(fixture) {
      const [all, failures] = [await fixture.addWebhook(), await fixture.addWebhook(['task.failed'])]
      const other = await fixture.addWorkspace()
      await fixture.add({}, fixture.at(SECOND))
      await fixture.add({ workspaceId: other.workspaceId })
      const [delivery, ...others] = await log(fixture, all.id)
      assert.equal(others.length, 0)
      assert.match(delivery?.id ?? '', /^evt_[0-9a-z]{26}$/)
      assert.deepEqual(delivery?.event, (await fixture.events())[0])
      assert.deepEqual([delivery?.status, delivery?.attemptCount, delivery?.attempts], ['pending', 0, []])
      assert.deepEqual([delivery?.nextAttemptAt, delivery?.createdAt], [START + SECOND, START + SECOND])
      assert.deepEqual(await log(fixture, failures.id), [])
    },
  },
  {
    id: 'deliveries.fan-out-appended',
    name: 'an event from outside the board is delivered too',
    async check(fixture) {
      const webhook = await fixture.addWebhook(['order.new'])
      const draft = { type: 'order.new', data: { order: 1 } } as const
      const event = await fixture.storage.events.appendEvent(
        { workspaceId: fixture.workspaceId, event: draft },
        fixture.at(),
      )
      assert.deepEqual((await log(fixture, webhook.id))[0]?.event, event)
    },
  },
  {
    id: 'deliveries.own-ids',
    name: 'one event has another id for each endpoint',
    async check(fixture) {
      await fixture.addWebhook()
      await fixture.addWebhook()
      await fixture.add()
      const ids = idsOf((await claim(fixture)).deliveries)
      assert.equal(new Set(ids).size, 2)
    },
  },
  {
    id: 'deliveries.claim',
    name: 'a due delivery is claimed by one caller, with its webhook, until the claim expires',
    async check(fixture) {
      const webhook = await fixture.addWebhook()
      await fixture.add()
      const claims = await Promise.all([1, 2, 3, 4].map(() => claim(fixture)))
      const claimed = claims.flatMap(({ deliveries }) => deliveries)
      assert.equal(claimed.length, 1)
      const { id, workspaceId, url } = webhook
      const target = { id, workspaceId, accountId: fixture.accountId, url, secrets: [] }
      assert.deepEqual(claimed[0]?.webhook, target)
      const waiting = await claim(fixture, MINUTE - 1)
      assert.deepEqual(waiting, { deliveries: [], nextDueInMs: 1 })
      const again = await claimOne(fixture, MINUTE)
      assert.equal(again.delivery.id, claimed[0].delivery.id)
      assert.notEqual(again.claimToken, claimed[0].claimToken)
    },
  },
  {
    id: 'deliveries.claim-own-next',
    name: 'what a claim takes is no reason to come again',
    async check(fixture) {
      await fixture.addWebhook()
      await fixture.add()
      assert.equal((await claim(fixture)).nextDueInMs, null)
    },
  },
  {
    id: 'deliveries.oldest-first',
    name: 'the oldest due come first, over all webhooks, at most the limit',
    async check(fixture) {
      const [one, two] = [
        await fixture.addWebhook(['task.created']),
        await fixture.addWebhook(['agent.alert']),
      ]
      const draft = { type: 'agent.alert', data: { message: 'm' } } as const
      await fixture.add({}, fixture.at(1))
      await fixture.storage.events.appendEvent(
        { workspaceId: fixture.workspaceId, event: draft },
        fixture.at(2),
      )
      await fixture.add({}, fixture.at(3))
      const first = await claim(fixture, 10, { limit: 2 })
      assert.deepEqual(
        first.deliveries.map(({ webhook }) => webhook.id),
        [one.id, two.id],
      )
      assert.equal(first.nextDueInMs, 0)
      assert.equal((await claim(fixture, 10)).deliveries.length, 1)
    },
  },
  {
    id: 'deliveries.per-webhook',
    name: 'one webhook’s backlog leaves room for others: the bound per webhook holds',
    async check(fixture) {
      const busy = await fixture.addWebhook(['task.created'])
      for (let count = 0; count < 20; count++) await fixture.add({}, fixture.at(count))
      const quiet = await fixture.addWebhook(['task.created'])
      await fixture.add({}, fixture.at(50))
      const { deliveries } = await claim(fixture, 100, { limit: 10, perWebhook: 3 })
      const countOf = (id: string) => deliveries.filter(({ webhook }) => webhook.id === id).length
      assert.deepEqual([countOf(busy.id), countOf(quiet.id)], [3, 1])
    },
  },
  {
    id: 'deliveries.exclude',
    name: 'excluded webhooks give nothing, and what waits there is no reason to come again',
    async check(fixture) {
      const full = await fixture.addWebhook(['task.created'])
      const other = await fixture.addWebhook(['task.created'])
      await fixture.add()
      const { deliveries } = await claim(fixture, 0, { excludeWebhookIds: [full.id] })
      assert.deepEqual(
        deliveries.map(({ webhook }) => webhook.id),
        [other.id],
      )
      const again = await claim(fixture, 0, { excludeWebhookIds: [full.id] })
      assert.deepEqual([again.deliveries, again.nextDueInMs], [[], MINUTE])
      assert.equal((await claim(fixture)).deliveries.length, 1)
    },
  },
]
