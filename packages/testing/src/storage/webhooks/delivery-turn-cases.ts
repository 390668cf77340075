import assert from 'node:assert/strict'
import type { ClaimedDelivery } from '@taskboard/core/storage'
import { claim, claimOne, log, record } from './delivery-steps.js'
import { assertRefused, type StorageCheck } from '../storage-case.js'
import {
  DAY,
  HOUR,
  MINUTE,
  readWebhook,
  SECOND,
  START,
  unknownId,
  type StorageFixture,
} from '../storage-fixture.js'

/** An account with webhooks for `order.new`. */
interface Tenant {
  readonly accountId: string
  readonly workspaceId: string
  readonly webhookIds: readonly string[]
}

async function addTenant({ storage, at }: StorageFixture, webhooks: number): Promise<Tenant> {
  const input = { name: 'tenant', tier: 'professional', workspaceName: 'its', agent: null } as const
  const { account, workspace } = await storage.access.insertAccount(input, at())
  const webhookIds = await addWebhooks({ storage, at }, workspace.id, webhooks)
  return { accountId: account.id, workspaceId: workspace.id, webhookIds }
}

async function addWebhooks(
  { storage, at }: Pick<StorageFixture, 'storage' | 'at'>,
  workspaceId: string,
  count: number,
): Promise<readonly string[]> {
  const webhook = {
    workspaceId,
    url: 'https://example.com/hook',
    events: ['order.new'],
    secrets: [],
    weakSecret: false,
  } as const
  const ids: string[] = []
  for (let index = 0; index < count; index++) {
    ids.push((await storage.webhooks.insertWebhook({ webhook, idempotency: null }, at())).value.id)
  }
  return ids
}

/** Raises events, each a delivery for every webhook of the tenant. */
async function raise(
  { storage, at }: StorageFixture,
  { workspaceId }: Tenant,
  events: number,
  afterMs = 0,
): Promise<void> {
  const draft = { type: 'order.new', data: {} } as const
  for (let index = 0; index < events; index++)
    await storage.events.appendEvent({ workspaceId, event: draft }, at(afterMs))
}

const countOf = (deliveries: readonly ClaimedDelivery[], { accountId }: Tenant): number =>
  deliveries.filter(({ webhook }) => webhook.accountId === accountId).length

/** Accounts and webhooks take turns, and a claim has the webhook's current target. */
export const deliveryTurnCases: readonly StorageCheck[] = [
  {
    id: 'turns.accounts',
    name: 'accounts share a claim equally, however long each has waited',
    async check(fixture) {
      const [busy, quiet] = [await addTenant(fixture, 2), await addTenant(fixture, 1)]
      await raise(fixture, busy, 20)
      await raise(fixture, quiet, 3, SECOND)
      const { deliveries } = await claim(fixture, MINUTE, { limit: 10 })
      assert.deepEqual([countOf(deliveries, busy), countOf(deliveries, quiet)], [7, 3])
    },
  },
  {
    id: 'turns.per-account',
    name: 'no account gets more of a claim than its bound, and no webhook of it waits behind another',
    async check(fixture) {
      const busy = await addTenant(fixture, 1)
      await raise(fixture, busy, 9)
      const [late] = await addWebhooks(fixture, busy.workspaceId, 1)
      await raise(fixture, busy, 1, SECOND)
      const { deliveries, nextDueInMs } = await claim(fixture, MINUTE, { perAccount: 4 })
      assert.deepEqual([deliveries.length, nextDueInMs], [4, 0])
      assert.equal(deliveries.filter(({ webhook: { id } }) => id === late).length, 1)
    },
  },
  {
    id: 'turns.backlog',
    name: 'behind the backlog of another account a delivery comes with the next claim at the latest',
    async check(fixture) {
      const [busy, quiet] = [await addTenant(fixture, 30), await addTenant(fixture, 1)]
      await raise(fixture, busy, 12)
      await raise(fixture, quiet, 1, SECOND)
      const bounds = { limit: 20, perAccount: 20, perWebhook: 5 }
      const claims = [await claim(fixture, MINUTE, bounds), await claim(fixture, MINUTE, bounds)]
      assert.deepEqual(
        claims.map(({ nextDueInMs }) => nextDueInMs),
        [0, 0],
      )
      const deliveries = claims.flatMap((each) => each.deliveries)
      assert.equal(countOf(deliveries, quiet), 1)
      assert.ok(deliveries.length >= 21)
    },
  },
  {
    id: 'turns.webhooks',
    name: 'every webhook of an account with a backlog has its turn',
    async check(fixture) {
      // More than one claim takes of the account, even of each a single one; and more than a storage looks at as a whole, after every claim.
      const busy = await addTenant(fixture, 30)
      await raise(fixture, busy, 24)
      const served = new Set<string>()
      for (let claims = 0; claims < 10; claims++) {
        const { deliveries } = await claim(fixture, MINUTE, { limit: 50, perAccount: 15, perWebhook: 5 })
        for (const { webhook } of deliveries) served.add(webhook.id)
      }
      assert.deepEqual([...served].sort(), [...busy.webhookIds].sort())
    },
  },
  {
    id: 'turns.late-webhooks',
    name: 'webhooks of an account with a backlog have their turn although others of it have waited longer',
    async check(fixture) {
      const busy = await addTenant(fixture, 15)
      await raise(fixture, busy, 24)
      const late = await addWebhooks(fixture, busy.workspaceId, 15)
      await raise(fixture, busy, 1, SECOND)
      const served = new Set<string>()
      for (let claims = 0; claims < 4; claims++) {
        const { deliveries } = await claim(fixture, MINUTE, { limit: 50, perAccount: 15, perWebhook: 1 })
        for (const { webhook } of deliveries) served.add(webhook.id)
      }
      assert.deepEqual([...served].sort(), [...busy.webhookIds, ...late].sort())
    },
  },
  {
    id: 'turns.many-accounts',
    name: 'of more accounts with a backlog than a claim takes from, each has its turn',
    async check(fixture) {
      const tenants: Tenant[] = []
      for (let index = 0; index < 12; index++) tenants.push(await addTenant(fixture, 1))
      for (const tenant of tenants) await raise(fixture, tenant, 30)
      const served = new Set<string>()
      for (let claims = 0; claims < 3; claims++) {
        const { deliveries } = await claim(fixture, MINUTE, { limit: 5, perAccount: 1, perWebhook: 1 })
        for (const { webhook } of deliveries) served.add(webhook.accountId)
      }
      assert.deepEqual([...served].sort(), tenants.map(({ accountId }) => accountId).sort())
    },
  },
  {
    id: 'turns.exclude-account',
    name: 'an excluded account gives nothing, and its backlog hides neither what others have due nor what they will',
    async check(fixture) {
      const [full, other] = [await addTenant(fixture, 15), await addTenant(fixture, 1)]
      await raise(fixture, full, 25)
      await raise(fixture, other, 1, SECOND)
      const exclude = { excludeAccountIds: [full.accountId] }
      const first = await claim(fixture, MINUTE, exclude)
      assert.deepEqual([countOf(first.deliveries, full), first.deliveries.length], [0, 1])
      assert.equal(first.nextDueInMs, null)
      await record(fixture, first.deliveries[0] as ClaimedDelivery, { kind: 'retry', delayMs: HOUR }, MINUTE)
      assert.deepEqual(await claim(fixture, MINUTE, exclude), { deliveries: [], nextDueInMs: HOUR })
      const webhooksOnly = await claim(fixture, MINUTE, { excludeWebhookIds: full.webhookIds })
      assert.deepEqual(webhooksOnly, { deliveries: [], nextDueInMs: HOUR })
      assert.equal((await claim(fixture, MINUTE)).deliveries.length, 100)
    },
  },
  {
    id: 'turns.exclude-few',
    name: 'an excluded account with little due gives nothing',
    async check(fixture) {
      const [full, other] = [await addTenant(fixture, 2), await addTenant(fixture, 1)]
      await raise(fixture, full, 2)
      await raise(fixture, other, 1, SECOND)
      const { deliveries, nextDueInMs } = await claim(fixture, MINUTE, {
        excludeAccountIds: [full.accountId],
      })
      assert.deepEqual([countOf(deliveries, full), deliveries.length, nextDueInMs], [0, 1, null])
    },
  },
  {
    id: 'turns.disabled-backlog',
    name: 'the backlog of a disabled webhook is skipped and delays no other',
    async check(fixture) {
      const [off, on] = [await addTenant(fixture, 1), await addTenant(fixture, 1)]
      await raise(fixture, off, 350)
      await raise(fixture, on, 1, SECOND)
      const [offId = ''] = off.webhookIds
      await fixture.storage.webhooks.updateWebhook(
        { workspaceId: off.workspaceId, webhookId: offId, change: { enabled: false } },
        fixture.at(),
      )
      const { deliveries, nextDueInMs } = await claim(fixture, MINUTE)
      assert.deepEqual([deliveries.length, countOf(deliveries, on), nextDueInMs], [1, 1, null])
      const skipped = await log({ ...fixture, workspaceId: off.workspaceId }, offId, 'skipped')
      assert.equal(skipped.length, 100)
      assert.deepEqual(await log({ ...fixture, workspaceId: off.workspaceId }, offId, 'pending'), [])
    },
  },
  {
    id: 'targets.read',
    name: 'the target of a webhook is that of now: none when it is disabled or deleted, and only secrets that are valid',
    async check({ storage: { webhooks }, workspaceId, accountId, addWebhook, at }) {
      const secrets = [
        { sealed: 'new', expiresAt: null },
        { sealed: 'old', expiresAt: START + MINUTE },
      ]
      const input = {
        workspaceId,
        url: 'https://example.com/1',
        events: ['order.new'],
        secrets,
        weakSecret: false,
      } as const
      const { value: signed } = await webhooks.insertWebhook({ webhook: input, idempotency: null }, at())
      const [off, gone] = [await addWebhook(), await addWebhook()]
      await webhooks.updateWebhook({ workspaceId, webhookId: off.id, change: { enabled: false } }, at())
      await webhooks.deleteWebhook({ workspaceId, webhookId: gone.id }, at())
      const ids = [off.id, gone.id, signed.id, unknownId('wh')]
      const target = { id: signed.id, workspaceId, accountId, url: input.url }
      assert.deepEqual(await webhooks.readTargets({ webhookIds: ids }, at()), [
        { ...target, secrets: ['new', 'old'] },
      ])
      assert.deepEqual(await webhooks.readTargets({ webhookIds: ids }, at(MINUTE)), [
        { ...target, secrets: ['new'] },
      ])
      await webhooks.updateWebhook(
        { workspaceId, webhookId: signed.id, change: { url: 'https://example.com/2' } },
        at(),
      )
      const [moved] = await webhooks.readTargets({ webhookIds: ids }, at())
      assert.equal(moved?.url, 'https://example.com/2')
      assert.deepEqual(await webhooks.readTargets({ webhookIds: [] }, at()), [])
    },
  },
  {
    id: 'targets.claimed',
    name: 'a claim names the secrets that are valid when it is made',
    async check(fixture) {
      const { storage, workspaceId, at } = fixture
      const secrets = [{ sealed: 'first', expiresAt: null }]
      const input = {
        workspaceId,
        url: 'https://example.com/1',
        events: ['task.created'],
        secrets,
        weakSecret: false,
      } as const
      const { value } = await storage.webhooks.insertWebhook({ webhook: input, idempotency: null }, at())
      await fixture.add()
      const rotation = { sealed: 'second', weakSecret: false, overlapMs: HOUR }
      await storage.webhooks.updateWebhook({ workspaceId, webhookId: value.id, change: { rotation } }, at())
      const claimed = await claimOne(fixture)
      assert.deepEqual(claimed.webhook.secrets, ['second', 'first'])
      await record(fixture, claimed, { kind: 'retry', delayMs: HOUR }, 0)
      assert.deepEqual((await claimOne(fixture, HOUR)).webhook.secrets, ['second'])
      assert.equal((await log(fixture, value.id)).length, 1)
    },
  },
  {
    id: 'webhooks.rotate',
    name: 'a rotation keeps the newest secret that is valid, by the storage’s time, and of two at once loses neither',
    async check({ storage: { webhooks }, workspaceId, addWebhook, addWorkspace, at }) {
      const { id } = await addWebhook()
      const rotate = (sealed: string, overlapMs: number, afterMs: number) =>
        webhooks.updateWebhook(
          { workspaceId, webhookId: id, change: { rotation: { sealed, weakSecret: true, overlapMs } } },
          at(afterMs),
        )
      const stored = async (sealed: string, overlapMs: number, afterMs: number) =>
        (await rotate(sealed, overlapMs, afterMs)).secrets
      const current = (sealed: string) => ({ sealed, expiresAt: null })
      assert.deepEqual(await stored('one', DAY, 0), [current('one')])
      const one = { sealed: 'one', expiresAt: START + SECOND + DAY }
      assert.deepEqual(await stored('two', DAY, SECOND), [current('two'), one])
      const two = { sealed: 'two', expiresAt: START + HOUR + MINUTE }
      assert.deepEqual(await stored('three', MINUTE, HOUR), [current('three'), two])
      assert.deepEqual(await stored('four', 0, HOUR), [current('four')])
      await Promise.all([rotate('five', DAY, HOUR), rotate('six', DAY, HOUR)])
      const { secrets, updatedAt } = await readWebhook(webhooks, { within: workspaceId, webhookId: id }, at())
      assert.deepEqual(secrets.map(({ sealed }) => sealed).sort(), ['five', 'six'])
      assert.equal(updatedAt, START + HOUR)
      const { workspaceId: other } = await addWorkspace()
      await assertRefused(
        webhooks.updateWebhook(
          {
            workspaceId: other,
            webhookId: id,
            change: { rotation: { sealed: 's', weakSecret: false, overlapMs: 0 } },
          },
          at(),
        ),
        'NOT_FOUND',
      )
    },
  },
]
