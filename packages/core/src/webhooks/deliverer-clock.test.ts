import { afterEach, expect, it } from 'vitest'
import { deliverySession, START, type DeliverySession } from '../../test/delivery-session.js'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const sessions: DeliverySession[] = []
afterEach(async () => {
  for (const session of sessions.splice(0)) await session.end()
})

async function setUp(clockAheadMs: number): Promise<DeliverySession> {
  const session = await deliverySession({}, clockAheadMs)
  sessions.push(session)
  return session
}

const skews: [string, number][] = [
  ['an hour ahead of', HOUR],
  ['an hour behind', -HOUR],
]

it.each(skews)('a clock %s the storage’s does not move the retries', async (_, clockAheadMs) => {
  const { clock, receiver, deliverer, storage, webhook } = await setUp(clockAheadMs)
  receiver.respond(500)
  const row = storage.add(webhook('a'))
  deliverer.start()
  await clock.advance({ hours: 24 })
  const times = [0, 1, 6, 36, 156, 876]
  expect(receiver.deliveries.map(({ at }) => (at - START) / MINUTE)).toEqual(times)
  expect(row.attempts.map(({ at }) => (at - START) / MINUTE)).toEqual(times)
})

it.each(skews)(
  'a clock %s the storage’s has retries wait from the end of a hanging attempt',
  async (_, clockAheadMs) => {
    const { clock, receiver, deliverer, storage, webhook } = await setUp(clockAheadMs)
    receiver.hang()
    storage.add(webhook('a'))
    deliverer.start()
    await clock.advance({ minutes: 2 })
    expect(receiver.deliveries.map(({ at }) => (at - START) / 1_000)).toEqual([0, 90])
  },
)

it.each(skews)(
  'a clock %s the storage’s signs with both secrets as long as the old one is valid',
  async (_, clockAheadMs) => {
    const { clock, receiver, deliverer, storage, webhook } = await setUp(clockAheadMs)
    receiver.respond(500)
    storage.add(webhook('a', [{ secret: 'new' }, { secret: 'old', expiresAt: START + 2 * MINUTE }]))
    deliverer.start()
    await clock.advance({ minutes: 10 })
    const both = receiver.deliveries.map(({ headers }) => 'x-service-signatures' in headers)
    expect(both).toEqual([true, true, false])
  },
)
