import { afterEach, describe, expect, it } from 'vitest'
import {
  deliverySession,
  START,
  type DeliverySession,
  type StoredDelivery,
} from '../../test/delivery-session.js'
import type { Sender } from './sender.js'

const MINUTE = 60_000
const sessions: DeliverySession[] = []
afterEach(async () => {
  for (const session of sessions.splice(0)) await session.end()
})

interface Sent {
  readonly host: string
  readonly at: number
}

async function setUp(mostPerHostPerMinute: number) {
  const sent: Sent[] = []
  const sender: Sender = {
    async send({ url }) {
      sent.push({ host: new URL(url).host, at: session.clock.now() - START })
      return { kind: 'answered', status: 200, excerpt: '' }
    },
    close: () => Promise.resolve(),
  }
  const session = await deliverySession({ sender, mostPerHostPerMinute })
  sessions.push(session)
  const { storage, webhook } = session
  const addTo = (url: string, count: number, id = url, accountId = 'acc_1'): StoredDelivery[] => {
    const made = { ...webhook(id, [], accountId), url }
    return Array.from({ length: count }, () => storage.add(made))
  }
  const timesOf = (host: string) => sent.filter((each) => each.host === host).map(({ at }) => at)
  return { ...session, addTo, timesOf }
}

/** The most of `times` within any minute. */
function mostInAMinute(times: readonly number[]): number {
  return Math.max(...times.map((start) => times.filter((at) => at >= start && at < start + MINUTE).length))
}

describe('deliveries to one host', () => {
  it('begin as often per minute as they may, and the others wait without an attempt', async () => {
    const { clock, deliverer, addTo, timesOf } = await setUp(30)
    const rows = [...addTo('https://a.example/1', 40), ...addTo('https://a.example:8443/2', 40)]
    deliverer.start()
    await clock.settle()
    expect([timesOf('a.example').length + timesOf('a.example:8443').length]).toEqual([30])
    const waiting = rows.filter(({ status }) => status !== 'succeeded')
    expect(new Set(waiting.map(({ status }) => status))).toEqual(new Set(['pending']))
    expect(waiting.every(({ attempts }) => attempts.length === 0)).toBe(true)
    const dueAt = waiting.map((row) => (row.dueAt ?? 0) - START)
    expect(dueAt.filter((at) => at > MINUTE)).not.toEqual([])
    expect(dueAt.filter((at) => at > 0 && at <= MINUTE)).toEqual([])
    await clock.advance({ minutes: 4 })
    const times = [...timesOf('a.example'), ...timesOf('a.example:8443')]
    expect(times).toHaveLength(80)
    expect(mostInAMinute(times)).toBeLessThanOrEqual(30)
    expect(rows.map(({ status, attempts }) => [status, attempts.length])).toEqual(
      rows.map(() => ['succeeded', 1]),
    )
    expect(clock.pending()).toEqual({ timers: [], works: [] })
  })

  it('delay no other host of the account, and no other account at that host', async () => {
    const { clock, deliverer, addTo, timesOf, storage } = await setUp(30)
    addTo('https://a.example/', 2_000)
    deliverer.start()
    await clock.settle()
    const claims = storage.calls.claim
    expect(claims).toBeLessThan(20)
    for (let second = 1; second <= 20; second++) {
      addTo('https://b.example/', 1)
      addTo('https://a.example/', 1, 'theirs', 'acc_2')
      deliverer.wake()
      await clock.settle()
      expect(timesOf('b.example').at(-1)).toBe(clock.now() - START)
      expect(timesOf('a.example').filter((at) => at === clock.now() - START)).toHaveLength(
        second === 1 ? 31 : 1,
      )
      await clock.advance({ seconds: 1 })
    }
    // A backlog is not read over and over while it waits.
    expect(storage.calls.claim - claims).toBeLessThan(200)
    expect(storage.deliveries.every(({ attempts }) => attempts.length <= 1)).toBe(true)
  })
})
