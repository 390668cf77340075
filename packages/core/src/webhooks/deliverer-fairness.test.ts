import { afterEach, describe, expect, it } from 'vitest'
import { deliverySession, START, type DeliverySession } from '../../test/delivery-session.js'
import type { WebhookOptions } from './webhook-options.js'

const SECOND = 1_000
const sessions: DeliverySession[] = []
afterEach(async () => {
  for (const session of sessions.splice(0)) await session.end()
})

async function setUp(options?: WebhookOptions): Promise<DeliverySession> {
  const session = await deliverySession(options)
  sessions.push(session)
  return session
}

/** Webhooks of an account with endpoints that never answer, each with a backlog. */
function addHanging({ receiver, storage, webhook }: DeliverySession, account: string, count: number): void {
  for (let index = 0; index < count; index++) {
    const path = `hanging-${account}-${index}`
    receiver.at(`/${path}`).hang()
    const hanging = webhook(path, [], account)
    for (let due = 0; due < 20; due++) storage.add(hanging)
  }
}

describe('an account whose endpoints hang', () => {
  it.each([12, 100])(
    'with %i webhooks delays no delivery of another account',
    async (count) => {
      const session = await setUp()
      const { clock, deliverer, receiver, storage, webhook } = session
      addHanging(session, 'acc_slow', count)
      deliverer.start()
      await clock.settle()
      const quick = webhook('quick', [], 'acc_quick')
      for (let second = 1; second <= 100; second++) {
        storage.add(quick)
        deliverer.wake()
        await clock.advance(SECOND)
      }
      const sentAt = receiver.at('/quick').deliveries.map(({ at }) => at - START)
      expect(sentAt).toEqual(Array.from({ length: 100 }, (_, index) => index * SECOND))
    },
    60_000,
  )

  it('leaves another account the slots for a burst, although both had a backlog before', async () => {
    const session = await setUp()
    const { clock, deliverer, receiver, storage, webhook } = session
    addHanging(session, 'acc_slow', 100)
    for (let index = 0; index < 4; index++) {
      const quick = webhook(`quick-${index}`, [], 'acc_quick')
      for (let due = 0; due < 100; due++) storage.add(quick)
    }
    deliverer.start()
    await clock.settle()
    const ofQuick = receiver.deliveries.filter(({ path }) => path.startsWith('/quick'))
    expect(ofQuick).toHaveLength(400)
    expect(receiver.deliveries.length - ofQuick.length).toBeLessThanOrEqual(50)
  })

  it('delays no other account either beside nine more of its kind', async () => {
    const session = await setUp()
    const { clock, deliverer, receiver, storage, webhook } = session
    for (let account = 0; account < 10; account++) addHanging(session, `acc_${account}`, 50)
    deliverer.start()
    await clock.settle()
    storage.add(webhook('quick', [], 'acc_quick'))
    deliverer.wake()
    await clock.settle()
    expect(receiver.at('/quick').deliveries.map(({ at }) => at)).toEqual([START])
  }, 60_000)
})

describe('an endpoint that hangs', () => {
  it('delays no other webhook of its account, and neither do twelve of them', async () => {
    const session = await setUp()
    const { clock, deliverer, receiver, storage, webhook } = session
    addHanging(session, 'acc_1', 12)
    deliverer.start()
    await clock.settle()
    for (let due = 0; due < 50; due++) storage.add(webhook('quick', [], 'acc_1'))
    deliverer.wake()
    await clock.settle()
    expect(receiver.at('/quick').deliveries).toHaveLength(50)
  })
})
