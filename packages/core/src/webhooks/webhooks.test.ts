import { describe, expect, it } from 'vitest'
import { createSecretBox } from '../access/index.js'
import { createEnvironment, systemRandom, type Clock } from '../environment/index.js'
import { TaskboardError } from '../errors/index.js'
import { webhookEventTypes } from '../events/index.js'
import { createEndpointGuard } from './endpoint-guard.js'
import { createSigningKeyCache, rotateSecrets } from './signing-keys.js'
import { signPayload } from './signature.js'
import type { Delivery, StoredWebhook, WebhookStore } from './webhook-store.js'
import { createWebhooks, type TransportWebhooks } from './webhooks.js'

const NOW = Date.UTC(2026, 0, 1)
const HOUR = 3_600_000
const URL = 'https://example.com/hooks'

type Calls = [verb: string, ...args: unknown[]][]

/** One workspace's webhooks and deliveries in arrays, with a record of every call. */
function createTestStore() {
  const webhooks: StoredWebhook[] = []
  const deliveries: Delivery[] = []
  const calls: Calls = []
  const find = (workspaceId: string, webhookId: string): StoredWebhook => {
    const found = webhooks.find((each) => each.id === webhookId && each.workspaceId === workspaceId)
    if (!found) throw new TaskboardError('NOT_FOUND', 'no such webhook')
    return found
  }
  const verbs: Partial<WebhookStore> = {
    async insertWebhook({ webhook, unlessThere }) {
      const there = unlessThere === true ? webhooks.find(({ url }) => url === webhook.url) : undefined
      if (there !== undefined) return { value: there, replayed: true }
      const fields = {
        enabled: true,
        disabledReason: null,
        failingSince: null,
        createdAt: NOW,
        updatedAt: NOW,
      }
      const value: StoredWebhook = { ...webhook, ...fields, id: `wh_${webhooks.length + 1}` }
      webhooks.push(value)
      return { value, replayed: false }
    },
    listWebhooks: async (query) =>
      webhooks.filter(
        ({ id, workspaceId }) =>
          workspaceId === query.within && (!('webhookId' in query) || id === query.webhookId),
      ),
    async updateWebhook({ workspaceId, webhookId, change }) {
      const before = find(workspaceId, webhookId)
      if ('rotation' in change) {
        const { sealed, weakSecret, overlapMs } = change.rotation
        const secrets = rotateSecrets(before.secrets, sealed, NOW, overlapMs)
        const rotated = { ...before, secrets, weakSecret }
        webhooks[webhooks.indexOf(before)] = rotated
        return rotated
      }
      const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
      const after: StoredWebhook = {
        ...before,
        ...given,
        disabledReason: change.enabled === false ? 'host' : null,
      }
      webhooks[webhooks.indexOf(before)] = after
      return after
    },
    deleteWebhook: async () => true,
    async insertTestDelivery({ workspaceId, webhookId, event }) {
      const logged = {
        ...event,
        id: 'log_1',
        workspaceId,
        seq: 0,
        at: NOW,
        payloadVersion: 1,
      } as Delivery['event']
      return delivery('evt_1', logged, webhookId)
    },
    async listDeliveries({ limit, afterId }) {
      const start = afterId === null ? 0 : deliveries.findIndex(({ id }) => id === afterId) + 1
      return deliveries.slice(start, start + limit)
    },
    resendDeliveries: async () => 3,
  }
  const store = new Proxy(verbs as WebhookStore, {
    get:
      (target, verb: keyof WebhookStore) =>
      (...args: unknown[]) => {
        calls.push([verb, ...args])
        return (target[verb] as (...args: unknown[]) => unknown)(...args)
      },
  })
  return { store, webhooks, deliveries, calls }
}

function delivery(id: string, event: Delivery['event'], webhookId = 'wh_1'): Delivery {
  const state = {
    status: 'pending',
    attemptCount: 0,
    attempts: [],
    nextAttemptAt: NOW,
    createdAt: NOW,
  } as const
  return { id, webhookId, workspaceId: 'ws_1', event, ...state }
}

function setUp(): {
  webhooks: TransportWebhooks
  storage: ReturnType<typeof createTestStore>
  readonly changed: readonly string[]
  readonly signaturesAt: (now: number) => string[]
} {
  const clock: Clock = { now: () => NOW, setTimer: () => ({ cancel: () => undefined }) }
  const box = createSecretBox({ encryptionKey: systemRandom.bytes(32) }, systemRandom)
  const storage = createTestStore()
  const changed: string[] = []
  const webhooks = createWebhooks({
    environment: createEnvironment({ clock }),
    store: storage.store,
    secrets: box,
    guard: createEndpointGuard(),
    settings: { rotationOverlapMs: 24 * HOUR, shortestSecret: 16 },
    onChanged: (webhookId) => changed.push(webhookId),
  })
  const openKeys = createSigningKeyCache(box)
  const signaturesAt = (now: number): string[] => {
    const [webhook] = storage.webhooks
    const { workspaceId = '', secrets = [] } = webhook ?? {}
    const valid = secrets.filter(({ expiresAt }) => expiresAt === null || expiresAt > now)
    const keys = openKeys({ workspaceId, secrets: valid.map(({ sealed }) => sealed) })
    return keys.map(({ payload }) => signPayload(payload, 'body'))
  }
  return { webhooks, storage, changed, signaturesAt }
}

describe('register', () => {
  it('stores the input, and the secret sealed and never returned', async () => {
    const { webhooks, storage, signaturesAt } = setUp()
    const input = {
      url: URL,
      events: ['task.created', 'task.failed', 'task.created'] as const,
      secret: 'hush-hush',
    }
    const webhook = await webhooks.register('ws_1', { ...input, events: [...input.events] })
    expect(webhook).toEqual({
      id: 'wh_1',
      workspaceId: 'ws_1',
      url: URL,
      events: ['task.created', 'task.failed'],
      signed: true,
      weakSecret: true,
      enabled: true,
      disabledReason: null,
      failingSince: null,
      createdAt: NOW,
      updatedAt: NOW,
    })
    expect(JSON.stringify([webhook, await webhooks.list('ws_1'), storage.webhooks])).not.toContain(
      'hush-hush',
    )
    expect(signaturesAt(NOW)).toEqual([signPayload('hush-hush', 'body')])
  })

  it('accepts every event type, and no secret', async () => {
    const { webhooks, storage } = setUp()
    for (const secret of [undefined, null]) {
      const webhook = await webhooks.register('ws_1', { url: URL, events: [...webhookEventTypes], secret })
      expect(webhook).toMatchObject({ events: webhookEventTypes, signed: false })
    }
    expect(storage.webhooks.map(({ secrets }) => secrets)).toEqual([[], []])
  })

  it('passes on the transaction and the idempotency claim', async () => {
    const { webhooks, storage } = setUp()
    const idempotency = { scope: 's', key: 'k', fingerprint: 'f' }
    await webhooks.register('ws_1', { url: URL, events: ['order.new'] }, { tx: 'tx', idempotency })
    expect(storage.calls[0]?.slice(1)).toEqual([
      { webhook: expect.anything(), idempotency },
      { now: NOW, tx: 'tx' },
    ])
  })

  it.each([
    [{ events: ['task.created'] }, 'MISSING_FIELD', 'url'],
    [{ url: URL }, 'MISSING_FIELD', 'events'],
    [{ url: 7, events: ['task.created'] }, 'INVALID_FIELD', 'url'],
    [{ url: 'http://example.com', events: ['task.created'] }, 'INVALID_FIELD', 'url'],
    [{ url: 'https://127.1/', events: ['task.created'] }, 'INVALID_FIELD', 'url'],
    [{ url: 'https://[::ffff:7f00:1]/', events: ['task.created'] }, 'INVALID_FIELD', 'url'],
    [{ url: URL, events: [] }, 'INVALID_FIELD', 'events'],
    [{ url: URL, events: 'task.created' }, 'INVALID_FIELD', 'events'],
    [{ url: URL, events: ['task.progress'] }, 'INVALID_FIELD', 'events'],
    [{ url: URL, events: [undefined] }, 'INVALID_FIELD', 'events'],
    [{ url: URL, events: Array.from({ length: 101 }, () => 'order.new') }, 'INVALID_FIELD', 'events'],
    [{ url: URL, events: ['order.new'], secret: '' }, 'INVALID_FIELD', 'secret'],
    [{ url: URL, events: ['order.new'], secret: 5 }, 'INVALID_FIELD', 'secret'],
    [{ url: URL, events: ['order.new'], secret: 'x'.repeat(257) }, 'INVALID_FIELD', 'secret'],
    [{ url: URL, events: ['order.new'], secret: 'a\0b' }, 'INVALID_FIELD', 'secret'],
    [{ url: URL, events: ['order.new'], secret: 'a\uD800' }, 'INVALID_FIELD', 'secret'],
    [null, 'INVALID_FIELD', undefined],
  ])('refuses %j', async (input, code, field) => {
    const { webhooks, storage } = setUp()
    await expect(webhooks.register('ws_1', input as never)).rejects.toMatchObject({ code, field })
    expect(storage.calls).toEqual([])
  })
})

describe('create', () => {
  const input = { url: URL, events: ['order.new' as const] }

  it('generates a secret, which signs and is returned only once', async () => {
    const { webhooks, storage, signaturesAt } = setUp()
    const { webhook, secret } = await webhooks.create('ws_1', { ...input, generateSecret: true })
    expect(secret).toMatch(/^whsec_/)
    expect(webhook).toMatchObject({ signed: true, weakSecret: false })
    expect(signaturesAt(NOW)).toEqual([signPayload(secret ?? '', 'body')])
    expect(JSON.stringify([webhook, await webhooks.list('ws_1'), storage.webhooks])).not.toContain(secret)
  })

  it('returns no secret that was given', async () => {
    const { webhooks } = setUp()
    const { webhook, secret } = await webhooks.create('ws_1', { ...input, secret: 'x'.repeat(16) })
    expect([webhook.signed, webhook.weakSecret, secret]).toEqual([true, false, null])
  })

  it.each([
    [{ secret: 'x'.repeat(15) }, 'secret', 'secret must have at least 16 characters'],
    [
      { secret: 'x'.repeat(16), generateSecret: true },
      'generateSecret',
      expect.stringMatching(/^generateSecret must/),
    ],
    [{ secret: 'x', generateSecret: true }, 'generateSecret', expect.anything()],
    [{ generateSecret: 1 }, 'generateSecret', expect.anything()],
  ])('refuses %j', async (given, field, message) => {
    const { webhooks, storage } = setUp()
    const creating = webhooks.create('ws_1', { ...input, ...given } as never)
    await expect(creating).rejects.toMatchObject({ code: 'INVALID_FIELD', field, message })
    expect(storage.calls).toEqual([])
  })

  it('returns the webhook that is there, and refuses another secret with its id', async () => {
    const { webhooks, storage } = setUp()
    const { webhook } = await webhooks.create('ws_1', { ...input, secret: 'x'.repeat(16) })
    for (const given of [{}, { secret: null }, { secret: 'x'.repeat(16) }]) {
      expect(await webhooks.create('ws_1', { ...input, ...given })).toEqual({ webhook, secret: null })
    }
    for (const given of [{ secret: 'y'.repeat(16) }, { generateSecret: true }]) {
      await expect(webhooks.create('ws_1', { ...input, ...given })).rejects.toMatchObject({
        code: 'CONFLICT',
        resourceId: webhook.id,
      })
    }
    await webhooks.rotateSecret('ws_1', webhook.id, { secret: 'z' })
    await expect(webhooks.create('ws_1', { ...input, secret: 'x'.repeat(16) })).rejects.toMatchObject({
      code: 'CONFLICT',
    })
    expect(storage.webhooks).toHaveLength(1)
  })
})

describe('a secret of the host or of the Board API (v1)', () => {
  it('may be short, and is marked until it is rotated', async () => {
    const { webhooks } = setUp()
    const marks = []
    for (const secret of [null, 'z', 'x'.repeat(15), 'x'.repeat(16)]) {
      const { weakSecret } = await webhooks.register('ws_1', { url: URL, events: ['order.new'], secret })
      marks.push(weakSecret)
    }
    expect(marks).toEqual([false, true, true, false])
    const rotated = async (secret?: string) =>
      (await webhooks.rotateSecret('ws_1', 'wh_2', { secret })).webhook
    expect(await rotated()).toMatchObject({ weakSecret: false })
    expect(await rotated('short')).toMatchObject({ weakSecret: true })
  })
})

describe('get, update and delete', () => {
  it('find only webhooks of the workspace', async () => {
    const { webhooks } = setUp()
    const { id } = await webhooks.register('ws_1', { url: URL, events: ['order.new'] })
    await expect(webhooks.get('ws_1', id)).resolves.toMatchObject({ id })
    await expect(webhooks.get('ws_2', id)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(webhooks.update('ws_2', id, { enabled: false })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(webhooks.delete('ws_1', id, { tx: 'tx' })).resolves.toBe(true)
  })

  it('report each change and deletion, so that no send uses what was read before', async () => {
    const { webhooks, changed } = setUp()
    const { id } = await webhooks.register('ws_1', { url: URL, events: ['order.new'] })
    expect(changed).toEqual([])
    await webhooks.update('ws_1', id, { enabled: true })
    await webhooks.rotateSecret('ws_1', id)
    await webhooks.delete('ws_1', id)
    expect(changed).toEqual([id, id, id])
  })

  it('change the given fields and leave the rest', async () => {
    const { webhooks } = setUp()
    const before = await webhooks.register('ws_1', { url: URL, events: ['order.new'], secret: 's' })
    const disabled = await webhooks.update('ws_1', before.id, { enabled: false })
    expect(disabled).toEqual({ ...before, enabled: false, disabledReason: 'host' })
    const changed = await webhooks.update('ws_1', before.id, {
      url: `${URL}/2`,
      events: ['task.moved'],
      enabled: true,
    })
    expect(changed).toEqual({ ...before, url: `${URL}/2`, events: ['task.moved'] })
  })

  it.each([
    [{ url: 'https://10.0.0.1/' }, 'url'],
    [{ url: null }, 'url'],
    [{ events: [] }, 'events'],
    [{ enabled: 'yes' }, 'enabled'],
    [{ secret: 'new' }, 'secret'],
  ])('refuse the change %j', async (change, field) => {
    const { webhooks } = setUp()
    const { id } = await webhooks.register('ws_1', { url: URL, events: ['order.new'] })
    await expect(webhooks.update('ws_1', id, change as never)).rejects.toMatchObject({
      code: 'INVALID_FIELD',
      field,
    })
  })
})

describe('rotateSecret', () => {
  it('returns a new secret once, and lets the old one sign for a day', async () => {
    const { webhooks, storage, signaturesAt } = setUp()
    const { id } = await webhooks.register('ws_1', { url: URL, events: ['order.new'], secret: 'old' })
    const { webhook, secret } = await webhooks.rotateSecret('ws_1', id)
    expect(secret).toMatch(/^whsec_/)
    expect(webhook.signed).toBe(true)
    expect(JSON.stringify([webhook, await webhooks.get('ws_1', id), storage.webhooks])).not.toContain(secret)
    expect(signaturesAt(NOW + 24 * HOUR - 1)).toEqual([
      signPayload(secret, 'body'),
      signPayload('old', 'body'),
    ])
    expect(signaturesAt(NOW + 24 * HOUR)).toEqual([signPayload(secret, 'body')])
  })

  it('accepts a secret and an overlap, and keeps one old secret at most', async () => {
    const { webhooks, signaturesAt } = setUp()
    const { id } = await webhooks.register('ws_1', { url: URL, events: ['order.new'], secret: 'first' })
    await webhooks.rotateSecret('ws_1', id, { secret: 'second', overlapMs: HOUR })
    await webhooks.rotateSecret('ws_1', id, { secret: 'third', overlapMs: 2 * HOUR })
    expect(signaturesAt(NOW + HOUR)).toEqual([signPayload('third', 'body'), signPayload('second', 'body')])
    await webhooks.rotateSecret('ws_1', id, { secret: 'fourth', overlapMs: 0 })
    expect(signaturesAt(NOW)).toEqual([signPayload('fourth', 'body')])
  })

  it('sets the first secret of a webhook without one', async () => {
    const { webhooks, signaturesAt } = setUp()
    const { id } = await webhooks.register('ws_1', { url: URL, events: ['order.new'] })
    await webhooks.rotateSecret('ws_1', id, { secret: 'first' })
    expect(signaturesAt(NOW)).toEqual([signPayload('first', 'body')])
  })

  it.each([
    [{ secret: '' }, 'secret'],
    [{ overlapMs: -1 }, 'overlapMs'],
    [{ overlapMs: 0.5 }, 'overlapMs'],
  ])('refuses %j', async (input, field) => {
    const { webhooks } = setUp()
    const { id } = await webhooks.register('ws_1', { url: URL, events: ['order.new'] })
    await expect(webhooks.rotateSecret('ws_1', id, input)).rejects.toMatchObject({
      code: 'INVALID_FIELD',
      field,
    })
  })
})

describe('test', () => {
  it('sends a sample of the first type, and logs it', async () => {
    const { webhooks, storage } = setUp()
    const { id } = await webhooks.register('ws_1', { url: URL, events: ['task.completed', 'order.new'] })
    await expect(webhooks.test('ws_1', id)).resolves.toEqual({
      id: 'evt_1',
      webhookId: id,
      workspaceId: 'ws_1',
      event: { type: 'task.completed', at: NOW },
      status: 'pending',
      attemptCount: 0,
      attempts: [],
      nextAttemptAt: NOW,
      createdAt: NOW,
    })
    expect(storage.calls.at(-1)?.[1]).toMatchObject({
      event: { type: 'task.completed', data: { status: 'DONE' } },
    })
  })

  it('and resend require an enabled webhook', async () => {
    const { webhooks, storage } = setUp()
    const { id } = await webhooks.register('ws_1', { url: URL, events: ['order.new'] })
    await webhooks.update('ws_1', id, { enabled: false })
    storage.calls.length = 0
    await expect(webhooks.test('ws_1', id)).rejects.toMatchObject({ code: 'CONFLICT', resourceId: id })
    await expect(webhooks.resend('ws_1', id, { deliveryId: 'evt_1' })).rejects.toMatchObject({
      code: 'CONFLICT',
    })
    expect(storage.calls.map(([verb]) => verb)).toEqual(['listWebhooks', 'listWebhooks'])
  })
})

describe('the log', () => {
  it('comes in pages', async () => {
    const { webhooks, storage } = setUp()
    const { id } = await webhooks.register('ws_1', { url: URL, events: ['order.new'] })
    const event = {
      id: 'log_1',
      workspaceId: 'ws_1',
      seq: 1,
      at: NOW,
      payloadVersion: 1,
      type: 'order.new',
      data: {},
    } as const
    for (let i = 1; i <= 4; i++) storage.deliveries.push(delivery(`evt_${i}`, event))
    const pages: string[][] = []
    let cursor: string | null = null
    do {
      const page = await webhooks.deliveries('ws_1', id, { limit: 2, cursor })
      pages.push(page.deliveries.map((each) => each.id))
      cursor = page.nextCursor
    } while (cursor !== null)
    expect(pages).toEqual([
      ['evt_1', 'evt_2'],
      ['evt_3', 'evt_4'],
    ])
    await webhooks.deliveries('ws_1', id, { status: 'failed' })
    expect(storage.calls.at(-1)?.[1]).toMatchObject({ status: 'failed', limit: 101, afterId: null })
  })

  it.each([
    [{ limit: 0 }, 'limit'],
    [{ limit: 1_001 }, 'limit'],
    [{ limit: 1.5 }, 'limit'],
    [{ cursor: '../etc' }, 'cursor'],
    [{ status: 'lost' as never }, 'status'],
  ])('refuses the query %j', async (query, field) => {
    const { webhooks } = setUp()
    await expect(webhooks.deliveries('ws_1', 'wh_1', query)).rejects.toMatchObject({
      code: 'INVALID_FIELD',
      field,
    })
  })
})

describe('resend', () => {
  it('accepts one delivery, or a time range as instants or dates', async () => {
    const { webhooks, storage } = setUp()
    const { id } = await webhooks.register('ws_1', { url: URL, events: ['order.new'] })
    await expect(webhooks.resend('ws_1', id, { deliveryId: 'evt_1' })).resolves.toBe(3)
    expect(storage.calls.at(-1)?.[1]).toEqual(expect.objectContaining({ which: { deliveryId: 'evt_1' } }))
    await webhooks.resend('ws_1', id, { from: NOW - HOUR, to: new Date(NOW) })
    expect(storage.calls.at(-1)?.[1]).toEqual(
      expect.objectContaining({ which: { from: NOW - HOUR, to: NOW } }),
    )
  })

  it.each([
    [{ from: NaN, to: NOW }, 'from'],
    [{ from: NOW, to: new Date(NaN) }, 'to'],
  ])('refuses %j', async (which, field) => {
    const { webhooks } = setUp()
    await expect(webhooks.resend('ws_1', 'wh_1', which)).rejects.toMatchObject({
      code: 'INVALID_FIELD',
      field,
    })
  })
})
