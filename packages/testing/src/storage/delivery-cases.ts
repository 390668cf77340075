import assert from 'node:assert/strict'
import { claim, claimOne, idsOf, log } from './delivery-session.js'
import type { StorageCheck } from './storage-case.js'
import { MINUTE, SECOND, START } from './world.js'

/** Events on their way to endpoints. */
export const deliveryCases: readonly StorageCheck[] = [
  {
    id: 'deliveries.fan-out',
    name: 'each webhook that subscribes to an event’s type gets one delivery of it',
    async check(world) {
      const [all, failures] = [await world.addWebhook(), await world.addWebhook(['task.failed'])]
      const other = await world.addWorkspace()
      await world.add({}, world.at(SECOND))
      await world.add({ workspaceId: other.workspaceId })
      const [delivery, ...others] = await log(world, all.id)
      assert.equal(others.length, 0)
      assert.match(delivery?.id ?? '', /^evt_[0-9a-z]{26}$/)
      assert.deepEqual(delivery?.event, (await world.events())[0])
      assert.deepEqual([delivery?.status, delivery?.attemptCount, delivery?.attempts], ['pending', 0, []])
      assert.deepEqual([delivery?.nextAttemptAt, delivery?.createdAt], [START + SECOND, START + SECOND])
      assert.deepEqual(await log(world, failures.id), [])
    },
  },
  {
    id: 'deliveries.fan-out-appended',
    name: 'an event from outside the board is delivered too',
    async check(world) {
      const webhook = await world.addWebhook(['order.new'])
      const draft = { type: 'order.new', data: { order: 1 } } as const
      const event = await world.storage.events.appendEvent(
        { workspaceId: world.workspaceId, event: draft },
        world.at(),
      )
      assert.deepEqual((await log(world, webhook.id))[0]?.event, event)
    },
  },
  {
    id: 'deliveries.own-ids',
    name: 'one event has another id for each endpoint',
    async check(world) {
      await world.addWebhook()
      await world.addWebhook()
      await world.add()
      const ids = idsOf((await claim(world)).deliveries)
      assert.equal(new Set(ids).size, 2)
    },
  },
  {
    id: 'deliveries.claim',
    name: 'a due delivery is claimed by one caller, with its webhook, until the claim expires',
    async check(world) {
      const webhook = await world.addWebhook()
      await world.add()
      const claims = await Promise.all([1, 2, 3, 4].map(() => claim(world)))
      const claimed = claims.flatMap(({ deliveries }) => deliveries)
      assert.equal(claimed.length, 1)
      const { id, workspaceId, url } = webhook
      const target = { id, workspaceId, accountId: world.accountId, url, secrets: [] }
      assert.deepEqual(claimed[0]?.webhook, target)
      const waiting = await claim(world, MINUTE - 1)
      assert.deepEqual(waiting, { deliveries: [], nextDueInMs: 1 })
      const again = await claimOne(world, MINUTE)
      assert.equal(again.delivery.id, claimed[0].delivery.id)
      assert.notEqual(again.claimToken, claimed[0].claimToken)
    },
  },
  {
    id: 'deliveries.claim-own-next',
    name: 'what a claim takes is no reason to come again',
    async check(world) {
      await world.addWebhook()
      await world.add()
      assert.equal((await claim(world)).nextDueInMs, null)
    },
  },
  {
    id: 'deliveries.oldest-first',
    name: 'the oldest due come first, over all webhooks, at most the limit',
    async check(world) {
      const [one, two] = [await world.addWebhook(['task.created']), await world.addWebhook(['agent.alert'])]
      const draft = { type: 'agent.alert', data: { message: 'm' } } as const
      await world.add({}, world.at(1))
      await world.storage.events.appendEvent({ workspaceId: world.workspaceId, event: draft }, world.at(2))
      await world.add({}, world.at(3))
      const first = await claim(world, 10, { limit: 2 })
      assert.deepEqual(
        first.deliveries.map(({ webhook }) => webhook.id),
        [one.id, two.id],
      )
      assert.equal(first.nextDueInMs, 0)
      assert.equal((await claim(world, 10)).deliveries.length, 1)
    },
  },
  {
    id: 'deliveries.per-webhook',
    name: 'one webhook’s backlog leaves room for others: the bound per webhook holds',
    async check(world) {
      const busy = await world.addWebhook(['task.created'])
      for (let count = 0; count < 20; count++) await world.add({}, world.at(count))
      const quiet = await world.addWebhook(['task.created'])
      await world.add({}, world.at(50))
      const { deliveries } = await claim(world, 100, { limit: 10, perWebhook: 3 })
      const countOf = (id: string) => deliveries.filter(({ webhook }) => webhook.id === id).length
      assert.deepEqual([countOf(busy.id), countOf(quiet.id)], [3, 1])
    },
  },
  {
    id: 'deliveries.exclude',
    name: 'excluded webhooks give nothing, and what waits there is no reason to come again',
    async check(world) {
      const full = await world.addWebhook(['task.created'])
      const other = await world.addWebhook(['task.created'])
      await world.add()
      const { deliveries } = await claim(world, 0, { excludeWebhookIds: [full.id] })
      assert.deepEqual(
        deliveries.map(({ webhook }) => webhook.id),
        [other.id],
      )
      const again = await claim(world, 0, { excludeWebhookIds: [full.id] })
      assert.deepEqual([again.deliveries, again.nextDueInMs], [[], MINUTE])
      assert.equal((await claim(world)).deliveries.length, 1)
    },
  },
]
