import type { VirtualClock } from '@taskboard/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { deliverySession, START, turn, type DeliverySession } from '../../test/delivery-session.js'
import type { Sender } from './sender.js'

const MINUTE = 60_000
const sessions: DeliverySession[] = []
afterEach(async () => {
  for (const session of sessions.splice(0)) await session.end()
})

async function setUp(options?: Parameters<typeof deliverySession>[0]): Promise<DeliverySession> {
  const session = await deliverySession(options)
  sessions.push(session)
  return session
}

function createGate(): { opened: Promise<number>; open(status: number): void } {
  let open = (_status: number): void => undefined
  const opened = new Promise<number>((resolve) => (open = resolve))
  return { opened, open: (status) => open(status) }
}

describe('the bounds', () => {
  it('keep a hanging endpoint from delaying others', async () => {
    const { clock, receiver, deliverer, storage, webhook } = await setUp()
    const hanging = receiver.at('/hanging')
    hanging.hang()
    const [slow, quick] = [webhook('hanging'), webhook('quick')]
    for (let i = 0; i < 40; i++) storage.add(slow)
    for (let i = 0; i < 40; i++) storage.add(quick)
    deliverer.start()
    await clock.settle()
    expect(hanging.deliveries).toHaveLength(5)
    expect(receiver.at('/quick').deliveries).toHaveLength(40)
    const late = storage.add(quick)
    deliverer.wake()
    await clock.settle()
    expect(late.status).toBe('succeeded')
  })

  it('keep a retry of another endpoint on time while one has a backlog', async () => {
    const { clock, receiver, deliverer, storage, webhook } = await setUp()
    receiver.at('/hanging').hang()
    receiver.at('/quick').respond(({ attempt }) => (attempt === 1 ? 500 : 200))
    const slow = webhook('hanging')
    for (let i = 0; i < 100; i++) storage.add(slow)
    storage.add(webhook('quick'))
    deliverer.start()
    await clock.advance({ minutes: 2 })
    const [first, second] = receiver.at('/quick').deliveries
    expect(first?.at).toBe(START)
    expect((second?.at ?? Infinity) - START).toBeLessThanOrEqual(MINUTE + 1_000)
  })

  it('keep a retry of another endpoint on time to the millisecond when one fills up right before it', async () => {
    const { clock, receiver, deliverer, storage, webhook } = await setUp()
    receiver.at('/hanging').hang()
    receiver.at('/quick').respond(({ attempt }) => (attempt === 1 ? 500 : 200))
    const slow = webhook('hanging')
    storage.add(webhook('quick'))
    deliverer.start()
    await clock.advance(MINUTE - 900)
    for (let i = 0; i < 100; i++) storage.add(slow)
    deliverer.wake()
    await clock.advance(MINUTE)
    expect(receiver.at('/quick').deliveries.map((delivery) => delivery.at - START)).toEqual([0, MINUTE])
  })

  it('send no more at once than allowed', async () => {
    let open = 0
    let most = 0
    const sender: Sender = {
      async send() {
        most = Math.max(most, (open += 1))
        await turn()
        open -= 1
        return { kind: 'answered', status: 200, excerpt: '' }
      },
      close: () => Promise.resolve(),
    }
    const { clock, deliverer, storage, webhook } = await setUp({
      sender,
      bounds: { maxDeliveries: 7, maxDeliveriesPerAccount: 7, maxDeliveriesPerWebhook: 3 },
    })
    for (let i = 0; i < 200; i++) storage.add(webhook(String(i % 10)))
    deliverer.start()
    await clock.settle()
    expect(storage.deliveries.every(({ status }) => status === 'succeeded')).toBe(true)
    expect(most).toBe(7)
    expect(storage.calls.record).toBeLessThan(150)
    expect(storage.calls.claim).toBeLessThan(200)
  })
})

describe('storage errors', () => {
  it('of any kind lose no delivery and store no result twice', async () => {
    const { clock, receiver, deliverer, storage, webhook, logged } = await setUp()
    for (let i = 0; i < 30; i++) storage.add(webhook(String(i % 3)))
    Object.assign(storage.faults, { claim: 2, record: 3, recordAfterCommit: 2 })
    deliverer.start()
    await clock.advance({ minutes: 1 })
    expect(storage.deliveries.map(({ status, attempts }) => [status, attempts.length])).toEqual(
      Array.from({ length: 30 }, () => ['succeeded', 1]),
    )
    expect(receiver.deliveries).toHaveLength(30)
    expect(logged.filter((line) => line.includes('background pass failed'))).toHaveLength(7)
  })

  it('for one result do not block the others', async () => {
    const { clock, deliverer, storage, webhook, logged } = await setUp()
    for (let i = 0; i < 12; i++) storage.add(webhook(String(i)))
    storage.faults.poison = 'evt_1'
    deliverer.start()
    await clock.advance({ seconds: 30 })
    expect(storage.deliveries.filter(({ status }) => status === 'succeeded')).toHaveLength(11)
    await clock.advance({ minutes: 3 })
    expect(logged.some((line) => line.includes('could not store a webhook result in time'))).toBe(true)
  })

  it('at stop leave claims to expire, and are logged', async () => {
    const { clock, receiver, deliverer, storage, webhook, logged } = await setUp()
    Object.assign(storage.faults, { record: 100, release: 100 })
    storage.add(webhook('a'))
    receiver.at('/b').hang()
    storage.add(webhook('b'))
    deliverer.start()
    await clock.settle()
    await receiver.waitFor(2)
    await deliverer.stop({ drainTimeoutMs: 0 })
    expect(logged.some((line) => line.includes('could not store webhook results at stop'))).toBe(true)
    expect(logged.some((line) => line.includes('could not release webhook claims'))).toBe(true)
    expect(clock.pending()).toEqual({ timers: [], works: [] })
  })
})

describe('starting and stopping', () => {
  it('does nothing before start and nothing after stop', async () => {
    const { clock, deliverer, storage, webhook } = await setUp()
    storage.add(webhook('a'))
    deliverer.wake()
    await clock.advance({ hours: 1 })
    expect(storage.calls.claim).toBe(0)
    deliverer.start()
    await deliverer.stop()
    const { claim } = storage.calls
    deliverer.wake()
    await clock.advance({ hours: 1 })
    expect(storage.calls.claim).toBe(claim)
    expect(clock.pending()).toEqual({ timers: [], works: [] })
  })

  it('does not wait for a sender that never aborts', async () => {
    const gate = createGate()
    const begun = createGate()
    const sender: Sender = {
      async send() {
        begun.open(0)
        return { kind: 'answered', status: await gate.opened, excerpt: '' }
      },
      close: () => Promise.resolve(),
    }
    const { clock, deliverer, storage, webhook } = await setUp({ sender })
    const row = storage.add(webhook('a'))
    deliverer.start()
    await begun.opened
    await deliverer.stop({ drainTimeoutMs: 10 })
    expect(row).toMatchObject({ status: 'pending', attempts: [] })
    expect(clock.pending().timers).toEqual([])
    gate.open(200)
  })

  it('lets sends in progress finish', async () => {
    const { clock, receiver, deliverer, storage, webhook } = await setUp()
    const gate = createGate()
    receiver.respond(() => gate.opened)
    const row = storage.add(webhook('a'))
    deliverer.start()
    await receiver.waitFor(1)
    const stopped = deliverer.stop()
    gate.open(200)
    await stopped
    expect(row).toMatchObject({ status: 'succeeded', claim: null })
    expect(clock.pending()).toEqual({ timers: [], works: [] })
  })

  it('aborts unfinished sends and releases every claim, to be sent after the next start', async () => {
    const { clock, receiver, deliverer, storage, webhook } = await setUp()
    receiver.hang()
    const slow = webhook('a')
    for (let i = 0; i < 9; i++) storage.add(slow)
    deliverer.start()
    await clock.settle()
    expect(receiver.deliveries).toHaveLength(5)
    const stopped = deliverer.stop({ drainTimeoutMs: 2_000 })
    await clock.advance(1_999)
    expect(storage.calls.release).toBe(0)
    await clock.advance(1)
    await stopped
    expect(storage.calls.release).toBe(1)
    for (const row of storage.deliveries)
      expect(row).toMatchObject({ status: 'pending', claim: null, attempts: [] })
    receiver.respond(200)
    deliverer.start()
    await clock.settle()
    expect(storage.deliveries.every(({ status }) => status === 'succeeded')).toBe(true)
  })

  it('releases a claim that another process may have taken over before its turn', async () => {
    const clocks: VirtualClock[] = []
    const sent: string[] = []
    const sender: Sender = {
      async send({ headers }) {
        const id = String(headers['X-Service-Delivery'])
        sent.push(id)
        if (id === 'evt_1') {
          clocks[0]?.park(id)
          await clocks[0]?.sleep(100_000)
        }
        return { kind: 'answered', status: 200, excerpt: '' }
      },
      close: () => Promise.resolve(),
    }
    const { clock, deliverer, storage, webhook } = await setUp({ sender, bounds: { maxDeliveries: 1 } })
    clocks.push(clock)
    const [first, second] = [storage.add(webhook('a')), storage.add(webhook('b'))]
    deliverer.start()
    await clock.advance({ seconds: 99 })
    expect([second.claim === null, sent]).toEqual([false, ['evt_1']])
    await clock.advance({ seconds: 1 })
    expect([first.status, second.status, sent]).toEqual(['succeeded', 'succeeded', ['evt_1', 'evt_2']])
    expect(storage.calls.release).toBe(1)
    expect(second.attempts).toHaveLength(1)
  })
})
