import { afterEach, describe, expect, it } from 'vitest'
import { deliverySession, START, type DeliverySession } from '../../test/delivery-session.js'

const sessions: DeliverySession[] = []
afterEach(async () => {
  for (const session of sessions.splice(0)) await session.end()
})

/** A deliverer that has found nothing due. */
async function setUp(options?: Parameters<typeof deliverySession>[0]): Promise<DeliverySession> {
  const session = await deliverySession(options)
  sessions.push(session)
  session.deliverer.start()
  await session.clock.settle()
  return session
}

describe('a new delivery', () => {
  it('is sent by the process that commits it, without another claim', async () => {
    const { clock, receiver, storage, webhook } = await setUp()
    const { claim } = storage.calls
    const [row] = await storage.commit([webhook('a', [{ secret: 'hush' }])])
    await clock.settle()
    expect(receiver.deliveries.map(({ id }) => id)).toEqual([row?.id])
    expect(receiver.deliveries[0]?.isSignedWith('hush')).toBe(true)
    expect(row?.status).toBe('succeeded')
    expect(storage.calls).toMatchObject({ claim, check: 0 })
  })

  it('stays due beyond what its webhook and its account can have, and other accounts get theirs', async () => {
    const { clock, receiver, storage, webhook } = await setUp({ bounds: { maxDeliveriesPerAccount: 20 } })
    for (const path of ['a', 'b', 'c', 'd']) receiver.at(`/${path}`).hang()
    const hanging = ['a', 'b', 'c', 'd'].map((path) => webhook(path))
    await storage.commit(hanging.flatMap((each) => Array(20).fill(each)))
    const held = storage.deliveries.filter(({ claim }) => claim !== null)
    const ofEach = hanging.map(({ id }) => held.filter((row) => row.webhook.id === id).length)
    expect(Math.max(...ofEach)).toBe(10)
    expect(held).toHaveLength(40)
    await clock.settle()
    const [other, more] = await storage.commit([webhook('quick', [], 'acc_2'), webhook('a')])
    expect(more?.claim).toBeNull()
    await clock.settle()
    expect(other?.status).toBe('succeeded')
  })

  it('waits behind older ones while there is a backlog', async () => {
    const bounds = { maxDeliveries: 4, maxDeliveriesPerAccount: 2 }
    const { clock, deliverer, receiver, storage, webhook } = await setUp({ bounds })
    const paths = Array.from({ length: 100 }, (_, index) => `w${index}`)
    for (const path of paths) {
      receiver.at(`/${path}`).hang()
      storage.add(webhook(path, [], `acc_of_${path}`))
    }
    deliverer.wake()
    await clock.settle()
    const [row] = await storage.commit([webhook('b', [], 'acc_b')])
    expect(row?.claim).toBeNull()
    for (const path of paths) receiver.at(`/${path}`).respond(200)
    await clock.advance({ minutes: 1 })
    expect(row?.status).toBe('succeeded')
  })

  it('waits until the process has looked for older ones', async () => {
    const session = await deliverySession()
    sessions.push(session)
    const { clock, deliverer, storage, webhook } = session
    deliverer.start()
    const [row] = await storage.commit([webhook('a')])
    expect(row?.claim).toBeNull()
    deliverer.wake()
    await clock.settle()
    expect(row?.status).toBe('succeeded')
  })

  it('is sent once by the usual claim, with the same id, when the answer to its commit is lost', async () => {
    const { clock, receiver, storage, deliverer, webhook } = await setUp()
    const [row] = await storage.commit([webhook('a')], 'unknown')
    deliverer.wake()
    await clock.advance({ seconds: 119 })
    expect(receiver.deliveries).toEqual([])
    await clock.advance({ seconds: 2 })
    expect(receiver.deliveries.map(({ id }) => id)).toEqual([row?.id])
  })

  it('gives its room back when its commit fails', async () => {
    const { clock, receiver, storage, webhook } = await setUp({ bounds: { maxDeliveriesPerAccount: 20 } })
    for (let index = 0; index < 100; index++) await storage.commit([webhook('a')], 'failed')
    const [row] = await storage.commit([webhook('a')])
    expect(row?.claim).not.toBeNull()
    await clock.settle()
    expect(receiver.deliveries).toHaveLength(1)
  })

  it('goes to the address that its webhook got while it was committed', async () => {
    const { clock, deliverer, receiver, storage, webhook } = await setUp()
    const changed = webhook('a')
    const committed = storage.commit([changed])
    const old = changed.url
    queueMicrotask(() => deliverer.forget(changed.id))
    const [row] = await committed
    changed.url = receiver.at('/b').url
    expect(changed.url).not.toBe(old)
    await clock.settle()
    expect(receiver.at('/a').deliveries).toEqual([])
    expect(receiver.at('/b').deliveries.map(({ id }) => id)).toEqual([row?.id])
  })

  it('is due again at once when the deliverer stops before its commit ends', async () => {
    const { clock, deliverer, receiver, storage, webhook } = await setUp()
    const committed = storage.commit([webhook('a')])
    await Promise.all([deliverer.stop({ drainTimeoutMs: 1_000 }), committed, clock.settle()])
    const [row] = await committed
    expect(row).toMatchObject({ claim: null, dueAt: START, status: 'pending' })
    expect(receiver.deliveries).toEqual([])
    expect((await storage.commit([webhook('b')]))[0]?.claim).toBeNull()
  })

  it('leaves commits that claim nothing to a pass within 50 ms while others claim', async () => {
    const { clock, deliverer, storage, webhook } = await setUp()
    await storage.commit([webhook('a')])
    await clock.settle()
    const { claim } = storage.calls
    const row = storage.add(webhook('b'))
    for (let index = 0; index < 10; index++) {
      deliverer.wake()
      await clock.advance({ ms: 4 })
    }
    expect(storage.calls.claim).toBe(claim)
    await clock.advance({ ms: 10 })
    expect(row.status).toBe('succeeded')
    expect(storage.calls.claim).toBe(claim + 1)
  })
})
