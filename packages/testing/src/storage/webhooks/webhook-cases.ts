import assert from 'node:assert/strict'
import type { ClaimedDelivery } from '@taskboard/core/storage'
import { ATTEMPT_MS, claim, DISABLE_AFTER_MS, log, record, resultOf } from './delivery-steps.js'
import { assertRefused, type StorageCheck } from '../storage-case.js'
import { readWebhook, SECOND, START, unknownId } from '../storage-fixture.js'

/** Registered endpoints. */
export const webhookCases: readonly StorageCheck[] = [
  {
    id: 'webhooks.insert',
    name: 'a new webhook is enabled, and reads back as it was returned',
    async check({ storage, workspaceId, at }) {
      const secrets = [{ sealed: 'box', expiresAt: null }]
      const input = { workspaceId, url: 'https://example.com/', events: ['task.failed'], secrets } as const
      const { value, replayed } = await storage.webhooks.insertWebhook(
        { webhook: input, idempotency: null },
        at(SECOND),
      )
      assert.equal(replayed, false)
      assert.match(value.id, /^wh_/)
      const { id, ...rest } = value
      assert.deepEqual(rest, {
        ...input,
        enabled: true,
        disabledReason: null,
        failingSince: null,
        createdAt: START + SECOND,
        updatedAt: START + SECOND,
      })
      assert.deepEqual(
        await readWebhook(storage.webhooks, { within: workspaceId, webhookId: id }, at()),
        value,
      )
    },
  },
  {
    id: 'webhooks.insert-unknown',
    name: 'a webhook for an unknown workspace is NOT_FOUND',
    check: ({ storage, at }) =>
      assertRefused(
        storage.webhooks.insertWebhook(
          {
            webhook: { workspaceId: unknownId('ws'), url: 'https://example.com/', events: [], secrets: [] },
            idempotency: null,
          },
          at(),
        ),
        'NOT_FOUND',
      ),
  },
  {
    id: 'webhooks.find',
    name: 'a webhook is found within reach, and beyond it as little as one that does not exist',
    async check({ storage, accountId, workspaceId, addWebhook, addWorkspace, at }) {
      const webhook = await addWebhook()
      const other = await addWorkspace()
      const stranger = await storage.access.insertAccount(
        { name: 'Stranger', tier: 'professional', workspaceName: 'Stranger', agent: null },
        at(),
      )
      const find = (account: string, workspaceIds: readonly string[] | 'all', id = webhook.id) =>
        storage.webhooks.listWebhooks({ within: { accountId: account, workspaceIds }, webhookId: id }, at())
      assert.deepEqual(await find(accountId, 'all'), [webhook])
      assert.deepEqual(await find(accountId, [other.workspaceId, workspaceId]), [webhook])
      assert.deepEqual(await find(accountId, [other.workspaceId]), [])
      assert.deepEqual(await find(accountId, []), [])
      assert.deepEqual(await find(stranger.account.id, 'all'), [])
      assert.deepEqual(await find(stranger.account.id, [workspaceId]), [])
      assert.deepEqual(await find(accountId, 'all', unknownId('wh')), [])
      // An id that JavaScript passes as undefined does not stand for all.
      const none = { within: workspaceId, webhookId: undefined as unknown as string }
      assert.deepEqual(await storage.webhooks.listWebhooks(none, at()), [])
    },
  },
  {
    id: 'webhooks.list',
    name: 'webhooks are listed oldest first, for their own workspace',
    async check({ storage, workspaceId, addWebhook, addWorkspace, at }) {
      const webhooks = [await addWebhook(), await addWebhook(['task.failed'], at(SECOND))]
      assert.deepEqual(await storage.webhooks.listWebhooks({ within: workspaceId }, at()), webhooks)
      const other = await addWorkspace()
      assert.deepEqual(await storage.webhooks.listWebhooks({ within: other.workspaceId }, at()), [])
    },
  },
  {
    id: 'webhooks.update',
    name: 'an update changes what is given and nothing else',
    async check({ storage, workspaceId, addWebhook, at }) {
      const webhook = await addWebhook()
      const change = { url: 'https://example.com/next', events: ['order.new'] } as const
      const changed = await storage.webhooks.updateWebhook(
        { workspaceId, webhookId: webhook.id, change },
        at(SECOND),
      )
      assert.deepEqual(changed, { ...webhook, ...change, updatedAt: START + SECOND })
      assert.deepEqual(
        await readWebhook(storage.webhooks, { within: workspaceId, webhookId: webhook.id }, at()),
        changed,
      )
    },
  },
  {
    id: 'webhooks.disable',
    name: 'disabling names the host as the reason; enabling clears it',
    async check({ storage: { webhooks }, workspaceId, addWebhook, at }) {
      const { id } = await addWebhook()
      const off = await webhooks.updateWebhook(
        { workspaceId, webhookId: id, change: { enabled: false } },
        at(),
      )
      assert.deepEqual([off.enabled, off.disabledReason], [false, 'host'])
      const on = await webhooks.updateWebhook({ workspaceId, webhookId: id, change: { enabled: true } }, at())
      assert.deepEqual([on.enabled, on.disabledReason, on.failingSince], [true, null, null])
    },
  },
  {
    id: 'webhooks.moved',
    name: 'what the address said that a webhook had before says nothing of the webhook',
    async check(fixture) {
      const { id } = await fixture.addWebhook(['task.created'])
      const { webhooks } = fixture.storage
      const get = () => readWebhook(webhooks, { within: fixture.workspaceId, webhookId: id }, fixture.at())
      for (let count = 0; count < 4; count++) await fixture.add()
      const { deliveries } = await claim(fixture)
      const [failed, gone, late, other] = deliveries as ClaimedDelivery[]
      await record(fixture, failed as ClaimedDelivery, { kind: 'failed' }, 0)
      const url = 'https://example.com/moved'
      const same = { url: (await get()).url }
      const unmoved = await webhooks.updateWebhook(
        { workspaceId: fixture.workspaceId, webhookId: id, change: same },
        fixture.at(SECOND),
      )
      assert.equal(unmoved.failingSince, START - ATTEMPT_MS)
      const moved = await webhooks.updateWebhook(
        { workspaceId: fixture.workspaceId, webhookId: id, change: { url } },
        fixture.at(SECOND),
      )
      assert.deepEqual([moved.url, moved.failingSince], [url, null])
      await record(fixture, gone as ClaimedDelivery, { kind: 'gone' }, SECOND)
      const atOldUrl = resultOf(late as ClaimedDelivery, { kind: 'failed' }, SECOND)
      const atNewUrl = { ...resultOf(other as ClaimedDelivery, { kind: 'failed' }), url }
      await webhooks.recordDeliveryResults(
        { results: [atOldUrl, atNewUrl], disableAfterMs: DISABLE_AFTER_MS },
        fixture.at(3 * SECOND),
      )
      const webhook = await get()
      assert.deepEqual([webhook.enabled, webhook.failingSince], [true, START + 3 * SECOND - ATTEMPT_MS])
      const all = await log(fixture, id)
      assert.deepEqual(
        all.map(({ status }) => status),
        ['failed', 'failed', 'failed', 'failed'],
      )
    },
  },
  {
    id: 'webhooks.delete',
    name: 'a deleted webhook is gone with its deliveries',
    async check(fixture) {
      const { workspaceId, addWebhook, add, at } = fixture
      const { webhooks } = fixture.storage
      const { id } = await addWebhook()
      await add()
      assert.equal(await webhooks.deleteWebhook({ workspaceId, webhookId: id }, at()), true)
      assert.equal(await webhooks.deleteWebhook({ workspaceId, webhookId: id }, at()), false)
      assert.deepEqual(await webhooks.listWebhooks({ within: workspaceId, webhookId: id }, at()), [])
      assert.deepEqual(await claim(fixture), { deliveries: [], nextDueInMs: null })
    },
  },
  {
    id: 'webhooks.tenancy',
    name: 'a webhook of another workspace is treated as unknown',
    async check({ storage: { webhooks }, workspaceId: own, addWebhook, addWorkspace, at }) {
      const { id } = await addWebhook()
      const { workspaceId } = await addWorkspace()
      const query = { workspaceId, webhookId: id, status: null, limit: 10, afterId: null }
      const draft = { type: 'agent.alert', data: { message: 'm' } } as const
      for (const verb of [
        () => webhooks.updateWebhook({ workspaceId, webhookId: id, change: { enabled: false } }, at()),
        () => webhooks.insertTestDelivery({ workspaceId, webhookId: id, event: draft }, at()),
        () => webhooks.listDeliveries(query, at()),
        () => webhooks.resendDeliveries({ workspaceId, webhookId: id, which: { from: 0, to: START } }, at()),
      ]) {
        await assertRefused(verb(), 'NOT_FOUND')
      }
      assert.deepEqual(await webhooks.listWebhooks({ within: workspaceId, webhookId: id }, at()), [])
      assert.equal(await webhooks.deleteWebhook({ workspaceId, webhookId: id }, at()), false)
      assert.equal((await readWebhook(webhooks, { within: own, webhookId: id }, at())).enabled, true)
    },
  },
]
