import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { systemRandom } from '../environment/index.js'
import {
  newWebhookSecret,
  signStandardWebhook,
  standardWebhookHeaders,
  standardWebhookKey,
} from './signature.js'

const body = JSON.stringify({ event: 'task.created', data: { title: 'Grüße, 東京 🚀' } })
/** The library compares the timestamp with the real clock. */
const message = { id: 'evt_1', sentAt: new Date().getTime(), body }

describe('the Standard Webhooks headers', () => {
  it('match the example in the specification', () => {
    const signature = signStandardWebhook('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', {
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      sentAt: 1_614_265_330_000,
      body: '{"test": 2432232314}',
    })
    expect(signature).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
  })

  it('verify with an unchanged whsec_ secret', () => {
    const secret = newWebhookSecret(systemRandom)
    const headers = standardWebhookHeaders([standardWebhookKey(secret)], message)
    expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body))
  })

  it.each(['my secret', 'pässwörd 🔑', 'whsec_not base64', 'whsec_', 'whsec_abc'])(
    'verify with %j as raw bytes',
    (secret) => {
      const headers = standardWebhookHeaders([standardWebhookKey(secret)], {
        ...message,
        body: Buffer.from(body),
      })
      const receiver = new Webhook(Buffer.from(secret), { format: 'raw' })
      expect(receiver.verify(body, headers)).toEqual(JSON.parse(body))
    },
  )

  it('carry one signature per valid secret while one is rotated', () => {
    const [fresh, old, other] = [1, 2, 3].map(() => newWebhookSecret(systemRandom)) as [
      string,
      string,
      string,
    ]
    const headers = standardWebhookHeaders([fresh, old].map(standardWebhookKey), message)
    expect(new Webhook(fresh).verify(body, headers)).toBeTruthy()
    expect(new Webhook(old).verify(body, headers)).toBeTruthy()
    expect(() => new Webhook(other).verify(body, headers)).toThrow('No matching signature')
  })

  it('contain no signature without a secret', () => {
    expect(standardWebhookHeaders([], { ...message, sentAt: 1_999 })).toEqual({
      'webhook-id': 'evt_1',
      'webhook-timestamp': '1',
    })
  })
})

describe('newWebhookSecret', () => {
  it('has 256 bits, and is different each time', () => {
    const secrets = new Set(Array.from({ length: 50 }, () => newWebhookSecret(systemRandom)))
    expect(secrets.size).toBe(50)
    for (const secret of secrets) expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  })
})
