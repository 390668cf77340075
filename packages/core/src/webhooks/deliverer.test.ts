import { Webhook } from 'standardwebhooks'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { deliverySession, START, type DeliverySession } from '../../test/delivery-session.js'
import type { Sender } from './sender.js'
import { verifyDelivery, verifySignature } from './signature.js'
import type { WebhookOptions } from './webhook-options.js'

const MINUTE = 60_000
const sessions: DeliverySession[] = []
afterEach(async () => {
  vi.useRealTimers()
  for (const session of sessions.splice(0)) await session.end()
})

async function setUp(options?: WebhookOptions): Promise<DeliverySession> {
  const session = await deliverySession(options)
  sessions.push(session)
  return session
}

describe('the retries', () => {
  it('send six times, at 0:00, 0:01, 0:06, 0:36, 2:36 and 14:36, same id and same bytes, and then fail', async () => {
    const { clock, receiver, deliverer, storage, webhook } = await setUp()
    receiver.respond(500)
    const row = storage.add(webhook('a', [{ secret: 'pässword' }]))
    deliverer.start()
    await clock.advance({ hours: 24 })
    const { deliveries } = receiver
    expect(deliveries.map(({ at }) => (at - START) / MINUTE)).toEqual([0, 1, 6, 36, 156, 876])
    expect(new Set(deliveries.map(({ id }) => id))).toEqual(new Set([row.id]))
    expect(new Set(deliveries.map(({ body }) => body.toString('hex'))).size).toBe(1)
    expect(row.status).toBe('failed')
    expect(new Set(storage.disabledAfter)).toEqual(new Set([5 * 24 * 60 * MINUTE]))
    expect(row.attempts.map(({ status, error }) => [status, error])).toEqual(
      Array.from({ length: 6 }, () => [500, 'status: HTTP 500']),
    )
    expect(clock.pending()).toEqual({ timers: [], works: [] })
  })

  it('end with the first success', async () => {
    const { clock, receiver, deliverer, storage, webhook } = await setUp()
    receiver.respond(({ attempt }) => (attempt < 3 ? 503 : 204))
    const row = storage.add(webhook('a'))
    deliverer.start()
    await clock.advance({ hours: 24 })
    expect(row.attempts.map(({ status }) => status)).toEqual([503, 503, 204])
    expect(row.status).toBe('succeeded')
  })

  it('wait from the end of a hanging attempt that timed out', async () => {
    const { clock, receiver, deliverer, storage, webhook } = await setUp()
    receiver.hang()
    const row = storage.add(webhook('a'))
    deliverer.start()
    await clock.advance({ minutes: 2 })
    expect(receiver.deliveries.map(({ at }) => (at - START) / 1_000)).toEqual([0, 90])
    expect(row.attempts[0]).toEqual({
      at: START,
      durationMs: 30_000,
      status: null,
      error: 'timeout: no full response within 30000 ms',
      responseExcerpt: null,
    })
  })

  it('follow the usual schedule when a sender aborts on its own', async () => {
    const times: number[] = []
    const sender: Sender = {
      async send() {
        times.push((session.clock.now() - START) / MINUTE)
        return { kind: 'aborted' }
      },
      close: async () => undefined,
    }
    const session = await setUp({ sender })
    const row = session.storage.add(session.webhook('a'))
    session.deliverer.start()
    await session.clock.advance({ minutes: 10 })
    expect(times).toEqual([0, 1, 6])
    expect(row.attempts[0]).toMatchObject({ status: null, error: 'unsent: the sender aborted the send' })
  })

  it('stop at 410, and treat a redirect as a failure', async () => {
    const { clock, receiver, deliverer, storage, webhook } = await setUp()
    receiver.at('/gone').respond(410)
    receiver.at('/moved').redirect(receiver.at('/elsewhere').url)
    const [gone, moved] = [storage.add(webhook('gone')), storage.add(webhook('moved'))]
    deliverer.start()
    await clock.settle()
    expect(gone).toMatchObject({ status: 'gone', dueAt: null })
    expect(moved).toMatchObject({ status: 'retry', dueAt: START + MINUTE })
    expect(moved.attempts[0]?.error).toBe('redirect: HTTP 302 is not followed')
    expect(receiver.at('/elsewhere').deliveries).toEqual([])
  })
})

describe('what is sent', () => {
  it('carries the contract’s headers and the event’s time, not the attempt’s', async () => {
    const { clock, receiver, deliverer, storage, webhook } = await setUp()
    const row = storage.add(webhook('a', [{ secret: 'pässword' }]))
    await clock.advance({ minutes: 7 })
    deliverer.start()
    await clock.settle()
    const [delivery] = receiver.deliveries
    expect(delivery?.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'Taskboard-Webhooks/1',
      'x-service-event': 'task.moved',
      'x-service-delivery': row.id,
    })
    const body = delivery?.body ?? Buffer.alloc(0)
    expect(JSON.parse(body.toString())).toMatchObject({
      event: 'task.moved',
      timestamp: '2026-01-01T00:00:00.000Z',
    })
    expect(verifySignature('pässword', body, delivery?.headers['x-service-signature'] as string)).toBe(true)
    expect(delivery?.headers).not.toHaveProperty('x-service-signatures')
    expect(delivery?.headers).toMatchObject({
      'webhook-id': row.id,
      'webhook-timestamp': String(START / 1_000 + 7 * 60),
    })
  })

  it('is verified by the library of Standard Webhooks, and by receivers that require a time', async () => {
    const { clock, receiver, deliverer, storage, webhook } = await setUp()
    const secrets = ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'a secret of my own']
    for (const [index, secret] of secrets.entries()) storage.add(webhook(String(index), [{ secret }]))
    deliverer.start()
    await clock.settle()
    vi.useFakeTimers({ toFake: ['Date'], now: clock.now() })
    for (const [index, secret] of secrets.entries()) {
      const [delivery] = receiver.at(`/${index}`).deliveries
      const { body = Buffer.alloc(0), headers = {} } = delivery ?? {}
      const library = index === 0 ? new Webhook(secret) : new Webhook(Buffer.from(secret), { format: 'raw' })
      expect(library.verify(body, headers)).toEqual(JSON.parse(body.toString()))
      const isVerified = (now: number, changed = {}) =>
        verifyDelivery(secret, { headers: { ...headers, ...changed }, body, now })
      expect(isVerified(START)).toBe(true)
      expect(isVerified(START + 5 * MINUTE + 1_000)).toBe(false)
      expect(isVerified(START, { 'webhook-id': 'evt_other' })).toBe(false)
      expect(isVerified(START, { 'webhook-timestamp': String(START / 1_000 + 1) })).toBe(false)
    }
  })

  it('carries no signature without a secret, and other header names if configured', async () => {
    const { clock, receiver, deliverer, storage, webhook } = await setUp({
      headerPrefix: 'X-Acme-',
      userAgent: 'Acme/2',
    })
    storage.add(webhook('a'))
    deliverer.start()
    await clock.settle()
    const headers = receiver.deliveries[0]?.headers ?? {}
    expect(headers).toMatchObject({
      'x-acme-event': 'task.moved',
      'user-agent': 'Acme/2',
      'webhook-id': 'evt_1',
      'webhook-timestamp': String(START / 1_000),
    })
    expect(Object.keys(headers).filter((name) => name.includes('signature'))).toEqual([])
  })

  it('carries both signatures until the old secret expires, and then only the new one’s', async () => {
    const { clock, receiver, deliverer, storage, webhook } = await setUp()
    receiver.respond(500)
    storage.add(webhook('a', [{ secret: 'new' }, { secret: 'old', expiresAt: START + MINUTE }]))
    deliverer.start()
    await clock.advance({ minutes: 1 })
    const [first, second] = receiver.deliveries
    const of = (delivery: typeof first, name: string): string => String(delivery?.headers[name])
    for (const secret of ['new', 'old']) {
      expect(verifySignature(secret, first?.body ?? '', of(first, 'x-service-signatures'))).toBe(true)
    }
    expect(verifySignature('old', first?.body ?? '', of(first, 'x-service-signature'))).toBe(false)
    expect(of(first, 'webhook-signature').split(' ')).toHaveLength(2)
    expect(verifySignature('new', second?.body ?? '', of(second, 'x-service-signature'))).toBe(true)
    expect(second?.headers).not.toHaveProperty('x-service-signatures')
    expect(of(second, 'webhook-signature').split(' ')).toHaveLength(1)
    expect(second?.body).toEqual(first?.body)
    expect(of(second, 'webhook-timestamp')).toBe(String(START / 1_000 + 60))
  })

  it('never goes out unsigned when the secret cannot be opened', async () => {
    const { clock, receiver, deliverer, storage, webhook } = await setUp()
    const row = storage.add({ ...webhook('a'), secrets: [{ sealed: 'v1.lost.key', expiresAt: null }] })
    deliverer.start()
    await clock.settle()
    expect(receiver.deliveries).toEqual([])
    expect(row.attempts[0]?.error).toBe('unsent: the delivery could not be prepared')
    expect(row.status).toBe('retry')
  })

  it('logs no secret, no user data of the URL and no body', async () => {
    const { clock, receiver, deliverer, storage, webhook, logged } = await setUp()
    receiver.respond(500)
    const made = webhook('a', [{ secret: 'hush-hush' }])
    storage.add({ ...made, url: `${made.url}?token=keep-private` }, 'private title')
    deliverer.start()
    await clock.settle()
    expect(receiver.deliveries).toHaveLength(1)
    expect(logged).toHaveLength(1)
    expect(logged.join()).not.toMatch(/hush-hush|keep-private|private title|127\.0\.0\.1/)
  })
})
