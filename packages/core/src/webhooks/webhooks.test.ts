import { describe, expect, it } from 'vitest'
import { delivery, HOUR, NOW, setUpWebhooks, URL } from '../../test/webhooks-session.js'
import { webhookEventTypes } from '../events/index.js'
import { signPayload } from './signature.js'

describe('register', () => {
  it('stores the input, and the secret sealed and never returned', async () => {
    const { webhooks, storage, signaturesAt } = setUpWebhooks()
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
    const { webhooks, storage } = setUpWebhooks()
    for (const secret of [undefined, null]) {
      const webhook = await webhooks.register('ws_1', { url: URL, events: [...webhookEventTypes], secret })
      expect(webhook).toMatchObject({ events: webhookEventTypes, signed: false })
    }
    expect(storage.webhooks.map(({ secrets }) => secrets)).toEqual([[], []])
  })

  it('passes on the transaction and the idempotency claim', async () => {
    const { webhooks, storage } = setUpWebhooks()
    const idempotency = { scope: 's', key: 'k', fingerprint: 'f' }
    await webhooks.register('ws_1', { url: URL, events: ['order.new'] }, { tx: 'tx', idempotency })
    expect(storage.calls[0]?.slice(1)).toEqual([
      { webhook: expect.anything(), idempotency: { ...idempotency, fingerprint: expect.any(String) } },
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
    const { webhooks, storage } = setUpWebhooks()
    await expect(webhooks.register('ws_1', input as never)).rejects.toMatchObject({ code, field })
    expect(storage.calls).toEqual([])
  })
})

describe('get, update and delete', () => {
  it('find only webhooks of the workspace', async () => {
    const { webhooks } = setUpWebhooks()
    const { id } = await webhooks.register('ws_1', { url: URL, events: ['order.new'] })
    await expect(webhooks.get('ws_1', id)).resolves.toMatchObject({ id })
    await expect(webhooks.get('ws_2', id)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(webhooks.update('ws_2', id, { enabled: false })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(webhooks.delete('ws_1', id, { tx: 'tx' })).resolves.toBe(true)
  })

  it('report each change and deletion, so that no send uses what was read before', async () => {
    const { webhooks, changed } = setUpWebhooks()
    const { id } = await webhooks.register('ws_1', { url: URL, events: ['order.new'] })
    expect(changed).toEqual([])
    await webhooks.update('ws_1', id, { enabled: true })
    await webhooks.rotateSecret('ws_1', id)
    await webhooks.delete('ws_1', id)
    expect(changed).toEqual([id, id, id])
  })

  it('change the given fields and leave the rest', async () => {
    const { webhooks } = setUpWebhooks()
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
    const { webhooks } = setUpWebhooks()
    const { id } = await webhooks.register('ws_1', { url: URL, events: ['order.new'] })
    await expect(webhooks.update('ws_1', id, change as never)).rejects.toMatchObject({
      code: 'INVALID_FIELD',
      field,
    })
  })
})

describe('rotateSecret', () => {
  it('returns a new secret once, and lets the old one sign for a day', async () => {
    const { webhooks, storage, signaturesAt } = setUpWebhooks()
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
    const { webhooks, signaturesAt } = setUpWebhooks()
    const { id } = await webhooks.register('ws_1', { url: URL, events: ['order.new'], secret: 'first' })
    await webhooks.rotateSecret('ws_1', id, { secret: 'second', overlapMs: HOUR })
    await webhooks.rotateSecret('ws_1', id, { secret: 'third', overlapMs: 2 * HOUR })
    expect(signaturesAt(NOW + HOUR)).toEqual([signPayload('third', 'body'), signPayload('second', 'body')])
    await webhooks.rotateSecret('ws_1', id, { secret: 'fourth', overlapMs: 0 })
    expect(signaturesAt(NOW)).toEqual([signPayload('fourth', 'body')])
  })

  it('sets the first secret of a webhook without one', async () => {
    const { webhooks, signaturesAt } = setUpWebhooks()
    const { id } = await webhooks.register('ws_1', { url: URL, events: ['order.new'] })
    await webhooks.rotateSecret('ws_1', id, { secret: 'first' })
    expect(signaturesAt(NOW)).toEqual([signPayload('first', 'body')])
  })

  it.each([
    [{ secret: '' }, 'secret'],
    [{ overlapMs: -1 }, 'overlapMs'],
    [{ overlapMs: 0.5 }, 'overlapMs'],
  ])('refuses %j', async (input, field) => {
    const { webhooks } = setUpWebhooks()
    const { id } = await webhooks.register('ws_1', { url: URL, events: ['order.new'] })
    await expect(webhooks.rotateSecret('ws_1', id, input)).rejects.toMatchObject({
      code: 'INVALID_FIELD',
      field,
    })
  })
})

describe('test', () => {
  it('sends a sample of the first type, and logs it', async () => {
    const { webhooks, storage } = setUpWebhooks()
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
    const { webhooks, storage } = setUpWebhooks()
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
    const { webhooks, storage } = setUpWebhooks()
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
    const { webhooks } = setUpWebhooks()
    await expect(webhooks.deliveries('ws_1', 'wh_1', query)).rejects.toMatchObject({
      code: 'INVALID_FIELD',
      field,
    })
  })
})

describe('resend', () => {
  it('accepts one delivery, or a time range as instants or dates', async () => {
    const { webhooks, storage } = setUpWebhooks()
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
    const { webhooks } = setUpWebhooks()
    await expect(webhooks.resend('ws_1', 'wh_1', which)).rejects.toMatchObject({
      code: 'INVALID_FIELD',
      field,
    })
  })
})
