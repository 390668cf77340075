import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSendLimiter, type SendLimiter } from './send-limiter.js'
import type { WaitingDelivery } from './send-counts.js'
import { mayTakeSlot } from './send-thresholds.js'
import type { DeliveryTarget } from './webhook-store.js'

const NOW = 1_000_000

/** The webhook `a1` belongs to the account `a`. */
function target(id: string): DeliveryTarget {
  return { id, workspaceId: 'ws_1', accountId: id.slice(0, 1), url: `https://example.com/${id}`, secrets: [] }
}

function waiting(webhookId: string, deliveryId: string): WaitingDelivery {
  const claimed = { delivery: { id: deliveryId }, webhook: target(webhookId), claimToken: deliveryId }
  return { claimed: claimed as WaitingDelivery['claimed'], claimedUntil: 0 }
}

function add(slots: SendLimiter, webhookId: string, count: number): void {
  for (let index = 1; index <= count; index++) slots.add(waiting(webhookId, `${webhookId}.${index}`), NOW)
}

function takeAll(slots: SendLimiter, now = NOW): string[] {
  const taken: string[] = []
  for (let next = slots.take(now); next; next = slots.take(now)) taken.push(next.claimed.delivery.id)
  return taken
}

/** Claims from a storage with more than enough for `count` webhooks of an account. Returns the number of claims. */
function claimBacklog(slots: SendLimiter, account: string, count: number): number {
  const bounds = slots.nextClaim()
  if (bounds === null || bounds.excludeAccountIds.includes(account)) return 0
  let left = Math.min(bounds.limit, bounds.perAccount)
  for (let webhook = 1; webhook <= count && left > 0; webhook++) {
    if (bounds.excludeWebhookIds.includes(`${account}${webhook}`)) continue
    const claimed = Math.min(left, bounds.perWebhook)
    add(slots, `${account}${webhook}`, claimed)
    left -= claimed
  }
  return Math.min(bounds.limit, bounds.perAccount) - left
}

const alone = (most: number, mostPerWebhook: number) =>
  createSendLimiter({ most, mostPerAccount: most, mostPerWebhook })

describe('send slots of one account', () => {
  it('limit the sends to one webhook, however many are claimed for it', () => {
    const slots = alone(10, 2)
    add(slots, 'a1', 3)
    expect(takeAll(slots)).toEqual(['a1.1', 'a1.2'])
    expect(slots.nextClaim()?.excludeWebhookIds).toEqual(['a1'])
    slots.sent('a1', true)
    expect(takeAll(slots)).toEqual(['a1.3'])
  })

  it('go to its webhooks in turn, and fewer to each as their number grows', () => {
    const slots = alone(8, 4)
    add(slots, 'a1', 4)
    expect(takeAll(slots)).toHaveLength(4)
    add(slots, 'a2', 8)
    add(slots, 'a3', 8)
    expect(takeAll(slots)).toEqual(['a2.1', 'a3.1', 'a2.2'])
    add(slots, 'a4', 1)
    expect(takeAll(slots)).toEqual(['a4.1'])
  })

  it('let a quick webhook claim twice its sends, and a slow one only as many', () => {
    const slots = createSendLimiter({ most: 20, mostPerAccount: 10, mostPerWebhook: 2 })
    const isFull = () => slots.nextClaim()?.excludeWebhookIds.includes('a1')
    add(slots, 'a1', 4)
    takeAll(slots)
    slots.sent('a1', true)
    slots.settle('a1')
    expect(isFull()).toBe(false)
    add(slots, 'a1', 4)
    expect(isFull()).toBe(true)
    takeAll(slots)
    for (const _ of [1, 2, 3]) {
      slots.sent('a1', true)
      slots.settle('a1')
      takeAll(slots)
    }
    expect(isFull()).toBe(false)
    slots.sent('a1', false)
    expect(isFull()).toBe(true)
  })

  it('request a claim when there is room for many, and not for each settled one', () => {
    const slots = alone(10, 5)
    const { limit = 0, perWebhook = 0, perAccount = 0 } = slots.nextClaim() ?? {}
    expect([limit, perWebhook, perAccount]).toEqual([slots.room(), 10, 40])
    for (let index = 0; index < limit; index++) slots.add(waiting(`a${index}`, String(index)), NOW)
    expect([slots.room(), slots.nextClaim(), slots.isClaimDue()]).toEqual([0, null, false])
    let settled = 0
    for (; slots.room() < 40; settled++) {
      expect(slots.nextClaim()).toBeNull()
      slots.settle(`a${settled}`)
    }
    expect([settled, slots.nextClaim()?.limit]).toEqual([40, 40])
    slots.settle(`a${settled}`)
    expect(slots.isClaimDue()).toBe(false)
  })

  it('remove all that wait, and nothing else', () => {
    const slots = alone(1, 1)
    add(slots, 'a1', 2)
    add(slots, 'a2', 1)
    expect(takeAll(slots)).toEqual(['a1.1'])
    expect(slots.takeWaiting().map(({ claimed }) => claimed.delivery.id)).toEqual(['a1.2', 'a2.1'])
    expect(takeAll(slots)).toEqual([])
  })
})

describe('send slots of several accounts', () => {
  it('give a lone account its maximum, and the next one a share at once', () => {
    const slots = createSendLimiter({ most: 40, mostPerAccount: 10, mostPerWebhook: 5 })
    for (let webhook = 1; webhook <= 30; webhook++) add(slots, `a${webhook}`, 10)
    expect(takeAll(slots)).toHaveLength(10)
    add(slots, 'b1', 5)
    expect(takeAll(slots)).toEqual(['b1.1', 'b1.2', 'b1.3', 'b1.4', 'b1.5'])
  })

  it('leave some free when the endpoints of ten accounts hang', () => {
    const slots = createSendLimiter({ most: 200, mostPerAccount: 50, mostPerWebhook: 5 })
    for (const account of 'abcdefghij') {
      for (let webhook = 1; webhook <= 20; webhook++) add(slots, `${account}${webhook}`, 2)
      takeAll(slots)
    }
    add(slots, 'z1', 5)
    expect(takeAll(slots)).toEqual(['z1.1', 'z1.2', 'z1.3'])
  })

  it('stop growing when a quick account begins to hang with a backlog', () => {
    const slots = createSendLimiter({ most: 8, mostPerAccount: 4, mostPerWebhook: 1 })
    add(slots, 'a1', 2)
    takeAll(slots)
    slots.sent('a1', true)
    let rounds = 0
    for (let taken = 1; taken > 0 && rounds < 100; rounds++) {
      for (const { claimed } of slots.takeStuck()) slots.settle(claimed.webhook.id)
      taken = claimBacklog(slots, 'a', 60)
      takeAll(slots)
    }
    expect(rounds).toBeLessThan(100)
    expect(slots.nextClaim()?.excludeAccountIds).toEqual(['a'])
  })

  it('release what waits for hanging endpoints when it leaves no room for a claim', () => {
    const slots = createSendLimiter({ most: 8, mostPerAccount: 2, mostPerWebhook: 1 })
    for (let webhook = 1; slots.room() >= 8; webhook++) add(slots, `${webhook % 2 ? 'a' : 'b'}${webhook}`, 1)
    const sending = takeAll(slots).length
    expect(slots.nextClaim()).toBeNull()
    const stuck = slots.takeStuck()
    for (const { claimed } of stuck) slots.settle(claimed.webhook.id)
    expect(stuck.length).toBeGreaterThan(30)
    expect(slots.nextClaim()?.excludeAccountIds).toEqual(expect.arrayContaining(['a', 'b']))
    add(slots, 'c1', 1)
    expect(takeAll(slots)).toEqual(['c1.1'])
    expect(sending).toBeLessThan(8)
    expect(slots.takeStuck()).toEqual([])
  })

  it('keep a lone account to its maximum, and never exceed the total', () => {
    const bounds = fc
      .integer({ min: 1, max: 300 })
      .chain((capacity) => fc.tuple(fc.constant(capacity), fc.integer({ min: 1, max: capacity })))
    fc.assert(
      fc.property(bounds, fc.integer({ min: 1, max: 12 }), ([capacity, mostOfOne], takers) => {
        const held = Array.from({ length: takers }, () => 0)
        const used = () => held.reduce((sum, own) => sum + own, 0)
        for (let moved = true; moved;) {
          moved = false
          for (const [taker, own] of held.entries()) {
            if (!mayTakeSlot(own, used(), capacity, mostOfOne)) continue
            held[taker] = own + 1
            moved = true
          }
        }
        expect(used()).toBeLessThanOrEqual(capacity)
        if (takers === 1) expect(held).toEqual([mostOfOne])
        expect(Math.max(...held) - Math.min(...held)).toBeLessThanOrEqual(1)
      }),
    )
  })
})

describe('rereads of webhooks', () => {
  it('precede a send that was claimed a while ago, one for all that wait', () => {
    const slots = alone(4, 1)
    for (const id of ['a1', 'a2']) add(slots, id, 2)
    expect(takeAll(slots)).toEqual(['a1.1', 'a2.1'])
    for (const id of ['a1', 'a2']) slots.sent(id, true)
    expect([slots.take(NOW + 50), slots.isCheckDue(NOW + 50)]).toEqual([undefined, true])
    expect(slots.nextCheck(NOW + 50)).toEqual(['a1', 'a2'])
    const moved = { ...target('a1'), url: 'https://example.com/moved' }
    const dropped = slots.checked(['a1', 'a2'], [moved], NOW + 51)
    expect(dropped.map(({ claimed }) => claimed.delivery.id)).toEqual(['a2.2'])
    expect(slots.take(NOW + 51)?.target).toEqual(moved)
    expect([slots.take(NOW + 51), slots.isCheckDue(NOW + 51)]).toEqual([undefined, false])
  })

  it('come early enough when sends continue', () => {
    const slots = alone(4, 1)
    add(slots, 'a1', 3)
    slots.take(NOW)
    slots.sent('a1', true)
    expect([slots.isCheckDue(NOW + 24), slots.isCheckDue(NOW + 25)]).toEqual([false, true])
    expect(slots.take(NOW + 25)).toBeDefined()
  })

  it('are repeated after a change, also for reads that began before it', () => {
    const slots = alone(4, 1)
    slots.nextClaim()
    slots.forget('a1')
    add(slots, 'a1', 2)
    expect(slots.take(NOW)).toBeUndefined()
    slots.nextCheck(NOW)
    slots.forget('a1')
    slots.checked(['a1'], [target('a1')], NOW)
    expect([slots.take(NOW), slots.isCheckDue(NOW)]).toEqual([undefined, true])
    slots.checked(slots.nextCheck(NOW), [target('a1')], NOW)
    expect(slots.take(NOW)).toBeDefined()
  })

  it('stay valid when another webhook changes meanwhile', () => {
    const slots = alone(4, 1)
    slots.nextClaim()
    slots.forget('a2')
    add(slots, 'a1', 3)
    expect(slots.take(NOW)).toBeDefined()
    slots.sent('a1', true)
    const looked = slots.nextCheck(NOW + 50)
    slots.forget('a2')
    slots.checked(looked, [target('a1')], NOW + 50)
    expect(slots.take(NOW + 50)).toBeDefined()
  })

  it('count for no webhook when very many have changed meanwhile', () => {
    const slots = alone(4, 1)
    slots.nextClaim()
    for (let change = 0; change <= 1_000; change++) slots.forget(`b${change}`)
    add(slots, 'b1000', 1)
    expect([slots.take(NOW), slots.isCheckDue(NOW)]).toEqual([undefined, true])
    slots.checked(slots.nextCheck(NOW), [target('b1000')], NOW)
    expect(slots.take(NOW)).toBeDefined()
  })

  it('are not delayed by a clock that was set back', () => {
    const slots = alone(4, 1)
    add(slots, 'a1', 1)
    expect([slots.take(NOW - 3_600_000), slots.isCheckDue(NOW - 3_600_000)]).toEqual([undefined, true])
  })
})
