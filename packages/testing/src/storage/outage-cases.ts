import type { DeliveryStatus } from '@taskboard/core'
import assert from 'node:assert/strict'
import type { ClaimedDelivery, LoggedEvent } from '@taskboard/core/storage'
import { claim, claimOne, DISABLE_AFTER_MS, log, record, resultOf } from './webhooks/delivery-steps.js'
import type { StorageCheck } from './storage-case.js'
import {
  changeTask,
  DAY,
  HOUR,
  MINUTE,
  PERSON,
  proofOf,
  readWebhook,
  SECOND,
  START,
  type StorageFixture,
} from './storage-fixture.js'

/** The ways in which a webhook of `task.created` is disabled, each at `SECOND` after the start at the latest. */
const outages: Readonly<Record<string, (fixture: StorageFixture, webhookId: string) => Promise<unknown>>> = {
  'by hand': ({ storage, workspaceId, at }, id) =>
    storage.webhooks.updateWebhook({ workspaceId, webhookId: id, change: { enabled: false } }, at(SECOND)),
  'by a 410': async (fixture) => {
    await fixture.add()
    await record(fixture, await claimOne(fixture), { kind: 'gone' }, SECOND)
  },
  'by days of failures': async (fixture) => {
    await fixture.add()
    const { storage, at } = fixture
    const result = resultOf(await claimOne(fixture), { kind: 'failed' }, DISABLE_AFTER_MS)
    await storage.webhooks.recordDeliveryResults(
      { results: [result], disableAfterMs: DISABLE_AFTER_MS },
      at(SECOND),
    )
  },
}

/** One event by each of the verbs that raise them. */
async function raiseEvents({
  storage,
  workspaceId,
  agent,
  add,
  claim: claimTask,
  at,
}: StorageFixture): Promise<void> {
  const when = at(MINUTE)
  await add({}, when)
  const claimed = await claimTask(when)
  if (claimed === null) throw new Error('nothing was claimed')
  await storage.tasks.completeTask({ proof: proofOf(claimed), result: 'done', next: null }, when)
  await changeTask(
    storage.tasks,
    { workspaceId, id: claimed.id },
    { kind: 'move', to: 'TODO', actor: PERSON },
    when,
  )
  await changeTask(
    storage.tasks,
    { workspaceId, id: claimed.id },
    { kind: 'hold', reason: 'approval', message: null, actor: PERSON },
    when,
  )
  const alert = { type: 'agent.alert', data: { message: 'm', agentId: agent.id } } as const
  await storage.events.appendEvent({ workspaceId, event: alert }, when)
}

/** Events that are raised while a webhook is disabled. */
export const outageCases: readonly StorageCheck[] = [
  {
    id: 'outages.every-event',
    name: 'each event raised while a webhook is disabled is logged as skipped, and neither due nor sent once it is enabled',
    async check(fixture) {
      const webhook = await fixture.addWebhook()
      const { webhooks } = fixture.storage
      await webhooks.updateWebhook(
        { workspaceId: fixture.workspaceId, webhookId: webhook.id, change: { enabled: false } },
        fixture.at(),
      )
      await raiseEvents(fixture)
      const rows = [...(await log(fixture, webhook.id))].sort((a, b) => a.event.seq - b.event.seq)
      assert.deepEqual(
        rows.map(({ event }) => event.type),
        ['task.created', 'task.started', 'task.completed', 'task.moved', 'task.failed', 'agent.alert'],
      )
      const wanted: readonly string[] = webhook.events
      const events = (await fixture.events()).filter(({ type }) => wanted.includes(type))
      assert.deepEqual(
        rows.map(({ event }) => event),
        events,
      )
      for (const row of rows) {
        assert.match(row.id, /^evt_[0-9a-z]{26}$/)
        assert.deepEqual([row.status, row.attemptCount, row.nextAttemptAt], ['skipped', 0, null])
        assert.equal(row.createdAt, START + MINUTE)
      }
      assert.deepEqual(await log(fixture, webhook.id, 'pending'), [])
      await webhooks.updateWebhook(
        { workspaceId: fixture.workspaceId, webhookId: webhook.id, change: { enabled: true } },
        fixture.at(HOUR),
      )
      assert.deepEqual(await claim(fixture, DAY), { deliveries: [], nextDueInMs: null })
    },
  },
  {
    id: 'deliveries.own-alert',
    name: 'a webhook hears of those that were disabled before it in a batch; what came after it is skipped, as is its own',
    async check(fixture) {
      const withAlerts = ['task.created', 'agent.alert'] as const
      const [first, second] = [await fixture.addWebhook(withAlerts), await fixture.addWebhook(withAlerts)]
      const watcher = await fixture.addWebhook(['agent.alert'])
      await fixture.add()
      const { deliveries } = await claim(fixture)
      // The second is disabled first.
      const inOrder = [second, first].map(({ id }) =>
        deliveries.find(({ delivery }) => delivery.webhookId === id),
      )
      const results = inOrder.map((claimed) => resultOf(claimed as ClaimedDelivery, { kind: 'gone' }))
      await fixture.storage.webhooks.recordDeliveryResults(
        { results, disableAfterMs: DISABLE_AFTER_MS },
        fixture.at(SECOND),
      )
      const alerts = async (id: string, status: DeliveryStatus) =>
        (await log(fixture, id, status)).flatMap(({ event }) =>
          'webhookId' in event.data ? [event.data.webhookId] : [],
        )
      assert.deepEqual(await alerts(first.id, 'pending'), [second.id])
      assert.deepEqual(await alerts(first.id, 'skipped'), [first.id])
      assert.deepEqual(await alerts(second.id, 'pending'), [])
      assert.deepEqual(new Set(await alerts(second.id, 'skipped')), new Set([first.id, second.id]))
      assert.deepEqual(new Set(await alerts(watcher.id, 'pending')), new Set([first.id, second.id]))
    },
  },
  ...Object.entries(outages).map(([how, disable]): StorageCheck => ({
    id: `outages.resend-${how.replaceAll(' ', '-')}`,
    name: `a resend of the time in which a webhook was disabled ${how} recovers what it missed, and nothing of others`,
    async check(fixture) {
      const { storage, workspaceId, at } = fixture
      const { id } = await fixture.addWebhook(['task.created'])
      await disable(fixture, id)
      const stored = await readWebhook(storage.webhooks, { within: workspaceId, webhookId: id }, at())
      assert.equal(stored.enabled, false)
      const other = await fixture.addWebhook(['task.failed'])
      for (const afterMs of [MINUTE, 2 * MINUTE]) await fixture.add({}, at(afterMs))
      await storage.webhooks.updateWebhook(
        { workspaceId, webhookId: id, change: { enabled: true } },
        at(HOUR),
      )
      await fixture.add({}, at(HOUR))
      const range = { from: START + MINUTE, to: START + HOUR }
      assert.equal(
        await storage.webhooks.resendDeliveries({ workspaceId, webhookId: id, which: range }, at(HOUR)),
        2,
      )
      const { deliveries } = await claim(fixture, HOUR)
      const sent = deliveries.map(({ delivery }) => delivery.event).sort(bySeq)
      const created = (await fixture.events()).filter(({ type }) => type === 'task.created')
      assert.deepEqual(sent, created.slice(-3))
      assert.deepEqual(await log(fixture, other.id), [])
    },
  })),
]

const bySeq = (a: LoggedEvent, b: LoggedEvent): number => a.seq - b.seq
