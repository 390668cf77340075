import { afterEach, describe, expect, it } from 'vitest'
import { deliverySession, START, turn, type DeliverySession } from '../../test/delivery-session.js'
import type { Sender } from './sender.js'
import type { WebhookOptions } from './webhook-options.js'

const sessions: DeliverySession[] = []
afterEach(async () => {
  for (const session of sessions.splice(0)) await session.end()
})

async function setUp(options?: WebhookOptions): Promise<DeliverySession> {
  const session = await deliverySession(options)
  sessions.push(session)
  return session
}

/** Nine deliveries to a hanging endpoint: five in progress, four claimed ahead. */
async function withSomeAhead(secrets?: readonly { secret: string }[]) {
  const session = await setUp()
  const { clock, deliverer, receiver, storage, webhook } = session
  receiver.at('/a').hang()
  const changed = webhook('a', secrets)
  for (let index = 0; index < 9; index++) storage.add(changed)
  deliverer.start()
  await clock.advance({ seconds: 10 })
  expect(receiver.deliveries).toHaveLength(5)
  expect(storage.deliveries.every(({ claim }) => claim !== null)).toBe(true)
  return { ...session, changed }
}

describe('a delivery claimed ahead', () => {
  it('is not sent when its webhook is deleted', async () => {
    const { clock, receiver, changed } = await withSomeAhead()
    changed.isDeleted = true
    await clock.advance({ minutes: 5 })
    expect(receiver.deliveries).toHaveLength(5)
  })

  it('is skipped by the next claim when its webhook is disabled', async () => {
    const { clock, receiver, storage, changed } = await withSomeAhead()
    changed.enabled = false
    await clock.advance({ seconds: 25 })
    expect(receiver.deliveries).toHaveLength(5)
    expect(storage.deliveries.slice(5).map(({ status }) => status)).toEqual(Array(4).fill('skipped'))
  })

  it('goes to the current address of its webhook', async () => {
    const { clock, receiver, storage, changed } = await withSomeAhead()
    changed.url = receiver.at('/b').url
    await clock.advance({ seconds: 25 })
    expect(receiver.at('/a').deliveries).toHaveLength(5)
    const moved = new Set(receiver.at('/b').deliveries.map(({ id }) => id))
    expect(moved).toEqual(new Set(['evt_6', 'evt_7', 'evt_8', 'evt_9']))
    expect(storage.deliveries.slice(5).every(({ status }) => status === 'succeeded')).toBe(true)
  })

  it('is signed with the current secret of its webhook', async () => {
    const { clock, receiver, changed, seal } = await withSomeAhead([{ secret: 'old' }])
    changed.secrets = [{ sealed: seal('new'), expiresAt: null }]
    receiver.at('/a').respond(200)
    await clock.advance({ seconds: 25 })
    const signed = (secret: string) => receiver.deliveries.map((each) => each.isSignedWith(secret))
    expect(signed('old')).toEqual([...Array(5).fill(true), ...Array(4).fill(false)])
    expect(signed('new')).toEqual([...Array(5).fill(false), ...Array(4).fill(true)])
  })

  it('shares one read of webhooks with all that wait, and needs none when just claimed', async () => {
    const { clock, storage } = await withSomeAhead()
    expect(storage.calls.check).toBe(0)
    await clock.advance({ seconds: 25 })
    expect(storage.calls.check).toBe(1)
  })

  it('waits while the storage is unavailable', async () => {
    const { clock, receiver, storage } = await withSomeAhead()
    storage.faults.check = Infinity
    receiver.at('/a').respond(200)
    await clock.advance({ seconds: 22 })
    expect(receiver.deliveries).toHaveLength(5)
    storage.faults.check = 0
    await clock.advance({ seconds: 1 })
    expect(receiver.deliveries).toHaveLength(9)
  })
})

describe('a change in the same process', () => {
  it('takes effect with the next send', async () => {
    const sentAt: string[] = []
    const sender: Sender = {
      async send({ url }) {
        sentAt.push(new URL(url).pathname)
        await turn()
        // The first answer comes at the instant of the claim: only the change requires another read.
        if (sentAt.length === 5) {
          changed.url = session.receiver.at('/b').url
          session.deliverer.forget(changed.id)
        }
        return { kind: 'answered', status: 200, excerpt: '' }
      },
      close: () => Promise.resolve(),
    }
    const session = await setUp({ sender })
    const changed = session.webhook('a')
    for (let index = 0; index < 9; index++) session.storage.add(changed)
    session.deliverer.start()
    await session.clock.settle()
    expect(session.clock.now()).toBe(START)
    expect(sentAt).toEqual([...Array(5).fill('/a'), ...Array(4).fill('/b')])
  })
})
