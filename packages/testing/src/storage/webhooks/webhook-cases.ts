import assert from 'node:assert/strict'
import { AsyncResource } from 'node:async_hooks'
import type { ClaimedDelivery, NewStoredWebhook } from '@taskboard/core/storage'
import { ATTEMPT_MS, claim, DISABLE_AFTER_MS, log, record, resultOf } from './delivery-steps.js'
import { assertRefused, type StorageCheck } from '../storage-case.js'
import { readWebhook, SECOND, START, unknownId } from '../storage-fixture.js'

const HOOK: Omit<NewStoredWebhook, 'workspaceId'> = {
  url: 'https://example.com/hook',
  events: ['task.created', 'task.failed'],
  secrets: [],
  weakSecret: false,
}

/** Registered endpoints. */
export const webhookCases: readonly StorageCheck[] = [
  {
    id: 'webhooks.insert',
    name: 'a new webhook is enabled, and reads back as it was returned',
    async check({ storage, workspaceId, at }) {
      const secrets = [{ sealed: 'box', expiresAt: null }]
      const input = {
        workspaceId,
        url: 'https://example.com/',
        events: ['task.failed'],
        secrets,
        weakSecret: false,
      } as const
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
            webhook: {
              workspaceId: unknownId('ws'),
              url: 'https://example.com/',
              events: [],
              secrets: [],
              weakSecret: false,
            },
            idempotency: null,
          },
          at(),
        ),
        'NOT_FOUND',
      ),
  },
  {
    id: 'webhooks.unless-there',
    name: 'with `unlessThere`, the oldest webhook with the same URL and event types is returned instead of another one',
    async check({ storage: { webhooks }, workspaceId, addWorkspace, at }) {
      const insert = (given: Partial<NewStoredWebhook>, unlessThere = true, afterMs = 0) =>
        webhooks.insertWebhook(
          { webhook: { ...HOOK, workspaceId, ...given }, idempotency: null, unlessThere },
          at(afterMs),
        )
      const first = await insert({})
      assert.equal(first.replayed, false)
      const second = await insert({}, false, SECOND)
      assert.notEqual(second.value.id, first.value.id)
      const secrets = [{ sealed: 'other', expiresAt: null }]
      const same = { events: [...HOOK.events, ...HOOK.events].reverse(), secrets, weakSecret: true }
      assert.deepEqual(await insert(same, true, SECOND), { value: first.value, replayed: true })
      const others: readonly Partial<NewStoredWebhook>[] = [
        { url: `${HOOK.url}?other` },
        { events: HOOK.events.slice(1) },
        { events: [...HOOK.events, 'order.new'] },
        { workspaceId: (await addWorkspace()).workspaceId },
      ]
      for (const other of others) assert.equal((await insert(other)).replayed, false)
      assert.equal((await webhooks.listWebhooks({ within: workspaceId }, at())).length, 5)
      await assertRefused(insert({ workspaceId: unknownId('ws') }), 'NOT_FOUND')
    },
  },
  {
    id: 'webhooks.unless-there-at-once',
    name: 'of concurrent calls with `unlessThere`, in one process or two, one adds the webhook and the others return it',
    async check(fixture) {
      const { storage, workspaceId, at } = fixture
      const another = await fixture.another()
      const insert = (turn: number) => {
        const { webhooks } = turn % 2 === 0 ? storage : (another?.storage ?? storage)
        const idempotency = turn < 4 ? null : { scope: 's', key: `k${turn}`, fingerprint: 'f' }
        const insertion = { webhook: { ...HOOK, workspaceId }, idempotency, unlessThere: true }
        return webhooks.insertWebhook(insertion, at())
      }
      const made = await Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map(insert))
      assert.equal(made.filter(({ replayed }) => !replayed).length, 1)
      assert.equal(new Set(made.map(({ value }) => value.id)).size, 1)
      assert.equal((await storage.webhooks.listWebhooks({ within: workspaceId }, at())).length, 1)
      const again = await insert(6)
      assert.deepEqual([again.value.id, again.replayed], [made[0]?.value.id, true])
    },
  },
  {
    id: 'webhooks.unless-there-waits',
    name: 'a call with `unlessThere` waits for an open transaction that adds the webhook',
    async check({ storage, workspaceId, at }) {
      const insert = (tx?: unknown) =>
        storage.webhooks.insertWebhook(
          { webhook: { ...HOOK, workspaceId }, idempotency: null, unlessThere: true },
          at(0, tx),
        )
      for (const outcome of ['rollback', 'commit'] as const) {
        let twin: ReturnType<typeof insert> | undefined
        const insertOutside = AsyncResource.bind(() => insert())
        const work = storage.transaction(async (tx) => {
          const { value } = await insert(tx)
          twin = insertOutside()
          const isDone = await Promise.race([
            twin.then(() => true),
            new Promise<boolean>((resolve) => setTimeout(resolve, 100, false)),
          ])
          assert.equal(isDone, false)
          if (outcome === 'rollback') throw new Error('no')
          return value
        })
        const made = await work.catch((error: Error) => {
          if (error.message !== 'no') throw error
          return null
        })
        const second = await twin
        assert.equal(second?.replayed, outcome === 'commit')
        if (made !== null) assert.equal(second?.value.id, made.id)
        const { id } = second?.value ?? { id: '' }
        assert.equal(await storage.webhooks.deleteWebhook({ workspaceId, webhookId: id }, at()), true)
      }
    },
  },
  {
    id: 'webhooks.weak-secret',
    name: 'whether a secret is weak is kept, and follows the current one',
    async check({ storage: { webhooks }, workspaceId, at }) {
      const webhook = {
        ...HOOK,
        workspaceId,
        secrets: [{ sealed: 'box', expiresAt: null }],
        weakSecret: true,
      }
      const { value } = await webhooks.insertWebhook({ webhook, idempotency: null }, at())
      const read = () => readWebhook(webhooks, { within: workspaceId, webhookId: value.id }, at())
      assert.deepEqual([value.weakSecret, (await read()).weakSecret], [true, true])
      for (const weakSecret of [false, true]) {
        const change = { rotation: { sealed: 'next', weakSecret, overlapMs: SECOND } }
        const rotated = await webhooks.updateWebhook({ workspaceId, webhookId: value.id, change }, at())
        assert.deepEqual([rotated.weakSecret, (await read()).weakSecret], [weakSecret, weakSecret])
      }
    },
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
