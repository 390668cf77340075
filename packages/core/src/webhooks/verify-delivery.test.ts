import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { systemRandom } from '../environment/index.js'
import { newWebhookSecret, signStandardWebhook, verifyDelivery, type ReceivedRequest } from './signature.js'

const NOW = Date.UTC(2026, 0, 1)
const SECOND = 1_000
const LATEST = 300 * SECOND
const secret = newWebhookSecret(systemRandom)
const body = JSON.stringify({ event: 'task.created', data: { title: 'Grüße, 東京 🚀' } })

function received(sentAt = NOW, by = [secret], id = 'evt_1'): ReceivedRequest {
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': String(sentAt / SECOND),
    'webhook-signature': by.map((each) => signStandardWebhook(each, { id, sentAt, body })).join(' '),
  }
  return { headers, body, now: NOW }
}

const withHeader = (name: string, value: unknown): ReceivedRequest => {
  const request = received()
  return { ...request, headers: { ...request.headers, [name]: value as string } }
}

describe('verifyDelivery', () => {
  it('accepts what the library of Standard Webhooks signs, as text and as bytes', () => {
    const headers = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(NOW / SECOND),
      'webhook-signature': new Webhook(secret).sign('msg_1', new Date(NOW), body),
    }
    expect(verifyDelivery(secret, { headers, body, now: NOW })).toBe(true)
    expect(verifyDelivery(secret, { headers, body: Buffer.from(body), now: NOW })).toBe(true)
    expect(verifyDelivery(secret, { headers, body: `${body} `, now: NOW })).toBe(false)
  })

  it('accepts a time up to five minutes from now, and no other', () => {
    const times = [-LATEST - SECOND, -LATEST, 0, LATEST, LATEST + SECOND]
    const seen = times.map((difference) => verifyDelivery(secret, received(NOW + difference)))
    expect(seen).toEqual([false, true, true, true, false])
    expect(verifyDelivery(secret, { ...received(), now: Number.NaN })).toBe(false)
  })

  it('accepts one of several signatures, as long as a secret is rotated', () => {
    const old = 'the secret before'
    const request = received(NOW, [secret, old])
    expect([secret, old].map((each) => verifyDelivery(each, request))).toEqual([true, true])
    expect(verifyDelivery('another secret', request)).toBe(false)
    const many = Array.from({ length: 16 }, (_, index) => `secret ${index}`)
    expect(verifyDelivery(secret, received(NOW, [...many, secret]))).toBe(false)
  })

  it('refuses another id, another time and the signature of the contract', () => {
    expect(verifyDelivery(secret, withHeader('webhook-id', 'evt_2'))).toBe(false)
    expect(verifyDelivery(secret, withHeader('webhook-timestamp', String(NOW / SECOND + 1)))).toBe(false)
    expect(verifyDelivery(secret, withHeader('webhook-signature', `sha256=${'0'.repeat(64)}`))).toBe(false)
  })

  it('refuses what is absent or malformed, and never throws', () => {
    const values = [undefined, '', 'x', '-1', '1e9', ' ', ['a', 'b'], 7, null]
    for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature']) {
      for (const value of values) expect(verifyDelivery(secret, withHeader(name, value))).toBe(false)
    }
    expect(verifyDelivery('', received(NOW, ['x']))).toBe(false)
    expect(verifyDelivery(7 as never, received())).toBe(false)
    for (const name of ['headers', 'body', 'now']) {
      for (const value of [undefined, null, 7n, '', {}]) {
        expect(verifyDelivery(secret, { ...received(), [name]: value })).toBe(false)
      }
    }
    for (const request of [undefined, null]) expect(verifyDelivery(secret, request as never)).toBe(false)
  })

  it('refuses random headers', () => {
    const text = fc.string({ maxLength: 100 })
    fc.assert(
      fc.property(text, text, text, (id, timestamp, signature) => {
        const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature }
        expect(verifyDelivery(secret, { headers, body, now: NOW })).toBe(false)
      }),
    )
  })
})
