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

function add(limiter: SendLimiter, webhookId: string, count: number): void {
  for (let index = 1; index <= count; index++) limiter.add(waiting(webhookId, `${webhookId}.${index}`), NOW)
}

function takeAll(limiter: SendLimiter, now = NOW): string[] {
  const taken: string[] = []
  for (let next = limiter.take(now); next; next = limiter.take(now)) taken.push(next.claimed.delivery.id)
  return taken
}

/** Claims from a storage with more than enough for `count` webhooks of an account. Returns the number of claims. */
function claimBacklog(limiter: SendLimiter, account: string, count: number): number {
  const bounds = limiter.nextClaim()
  if (bounds === null || bounds.excludeAccountIds.includes(account)) return 0
  let left = Math.min(bounds.limit, bounds.perAccount)
  for (let webhook = 1; webhook <= count && left > 0; webhook++) {
    if (bounds.excludeWebhookIds.includes(`${account}${webhook}`)) continue
    const claimed = Math.min(left, bounds.perWebhook)
    add(limiter, `${account}${webhook}`, claimed)
    left -= claimed
  }
  return Math.min(bounds.limit, bounds.perAccount) - left
}

const alone = (most: number, mostPerWebhook: number) =>
  createSendLimiter({ most, mostPerAccount: most, mostPerWebhook })

describe('sends of one account', () => {
  it('limit the sends to one webhook, however many are claimed for it', () => {
    const limiter = alone(10, 2)
    add(limiter, 'a1', 3)
    expect(takeAll(limiter)).toEqual(['a1.1', 'a1.2'])
    expect(limiter.nextClaim()?.excludeWebhookIds).toEqual(['a1'])
    limiter.sent('a1', true)
    expect(takeAll(limiter)).toEqual(['a1.3'])
  })

  it('go to its webhooks in turn, and fewer to each as their number grows', () => {
    const limiter = alone(8, 4)
    add(limiter, 'a1', 4)
    expect(takeAll(limiter)).toHaveLength(4)
    add(limiter, 'a2', 8)
    add(limiter, 'a3', 8)
    expect(takeAll(limiter)).toEqual(['a2.1', 'a3.1', 'a2.2'])
    add(limiter, 'a4', 1)
    expect(takeAll(limiter)).toEqual(['a4.1'])
  })

  it('let a quick webhook claim twice its sends, and a slow one only as many', () => {
    const limiter = createSendLimiter({ most: 20, mostPerAccount: 10, mostPerWebhook: 2 })
    const isFull = () => limiter.nextClaim()?.excludeWebhookIds.includes('a1')
    add(limiter, 'a1', 4)
    takeAll(limiter)
    limiter.sent('a1', true)
    limiter.settle('a1')
    expect(isFull()).toBe(false)
    add(limiter, 'a1', 4)
    expect(isFull()).toBe(true)
    takeAll(limiter)
    for (const _ of [1, 2, 3]) {
      limiter.sent('a1', true)
      limiter.settle('a1')
      takeAll(limiter)
    }
    expect(isFull()).toBe(false)
    limiter.sent('a1', false)
    expect(isFull()).toBe(true)
  })

  it('request a claim when there is room for many, and not for each settled one', () => {
    const limiter = alone(10, 5)
    const { limit = 0, perWebhook = 0, perAccount = 0 } = limiter.nextClaim() ?? {}
    expect([limit, perWebhook, perAccount]).toEqual([limiter.room(), 10, 40])
    for (let index = 0; index < limit; index++) limiter.add(waiting(`a${index}`, String(index)), NOW)
    expect([limiter.room(), limiter.nextClaim(), limiter.isClaimDue()]).toEqual([0, null, false])
    let settled = 0
    for (; limiter.room() < 40; settled++) {
      expect(limiter.nextClaim()).toBeNull()
      limiter.settle(`a${settled}`)
    }
    expect([settled, limiter.nextClaim()?.limit]).toEqual([40, 40])
    limiter.settle(`a${settled}`)
    expect(limiter.isClaimDue()).toBe(false)
  })

  it('remove all that wait, and nothing else', () => {
    const limiter = alone(1, 1)
    add(limiter, 'a1', 2)
    add(limiter, 'a2', 1)
    expect(takeAll(limiter)).toEqual(['a1.1'])
    expect(limiter.takeWaiting().map(({ claimed }) => claimed.delivery.id)).toEqual(['a1.2', 'a2.1'])
    expect(takeAll(limiter)).toEqual([])
  })
})

describe('sends of several accounts', () => {
  it('give a lone account its maximum, and the next one a share at once', () => {
    const limiter = createSendLimiter({ most: 40, mostPerAccount: 10, mostPerWebhook: 5 })
    for (let webhook = 1; webhook <= 30; webhook++) add(limiter, `a${webhook}`, 10)
    expect(takeAll(limiter)).toHaveLength(10)
    add(limiter, 'b1', 5)
    expect(takeAll(limiter)).toEqual(['b1.1', 'b1.2', 'b1.3', 'b1.4', 'b1.5'])
  })

  it('leave some free when the endpoints of ten accounts hang', () => {
    const limiter = createSendLimiter({ most: 200, mostPerAccount: 50, mostPerWebhook: 5 })
    for (const account of 'abcdefghij') {
      for (let webhook = 1; webhook <= 20; webhook++) add(limiter, `${account}${webhook}`, 2)
      takeAll(limiter)
    }
    add(limiter, 'z1', 5)
    expect(takeAll(limiter)).toEqual(['z1.1', 'z1.2', 'z1.3'])
  })

  it('stop growing when a quick account begins to hang with a backlog', () => {
    const limiter = createSendLimiter({ most: 8, mostPerAccount: 4, mostPerWebhook: 1 })
    add(limiter, 'a1', 2)
    takeAll(limiter)
    limiter.sent('a1', true)
    let rounds = 0
    for (let taken = 1; taken > 0 && rounds < 100; rounds++) {
      for (const { claimed } of limiter.takeStuck()) limiter.settle(claimed.webhook.id)
      taken = claimBacklog(limiter, 'a', 60)
      takeAll(limiter)
    }
    expect(rounds).toBeLessThan(100)
    expect(limiter.nextClaim()?.excludeAccountIds).toEqual(['a'])
  })

  it('release what waits for hanging endpoints when it leaves no room for a claim', () => {
    const limiter = createSendLimiter({ most: 8, mostPerAccount: 2, mostPerWebhook: 1 })
    for (let webhook = 1; limiter.room() >= 8; webhook++)
      add(limiter, `${webhook % 2 ? 'a' : 'b'}${webhook}`, 1)
    const sending = takeAll(limiter).length
    expect(limiter.nextClaim()).toBeNull()
    const stuck = limiter.takeStuck()
    for (const { claimed } of stuck) limiter.settle(claimed.webhook.id)
    expect(stuck.length).toBeGreaterThan(30)
    expect(limiter.nextClaim()?.excludeAccountIds).toEqual(expect.arrayContaining(['a', 'b']))
    add(limiter, 'c1', 1)
    expect(takeAll(limiter)).toEqual(['c1.1'])
    expect(sending).toBeLessThan(8)
    expect(limiter.takeStuck()).toEqual([])
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
    const limiter = alone(4, 1)
    for (const id of ['a1', 'a2']) add(limiter, id, 2)
    expect(takeAll(limiter)).toEqual(['a1.1', 'a2.1'])
    for (const id of ['a1', 'a2']) limiter.sent(id, true)
    expect([limiter.take(NOW + 50), limiter.isCheckDue(NOW + 50)]).toEqual([undefined, true])
    expect(limiter.nextCheck(NOW + 50)).toEqual(['a1', 'a2'])
    const moved = { ...target('a1'), url: 'https://example.com/moved' }
    const dropped = limiter.checked(['a1', 'a2'], [moved], NOW + 51)
    expect(dropped.map(({ claimed }) => claimed.delivery.id)).toEqual(['a2.2'])
    expect(limiter.take(NOW + 51)?.target).toEqual(moved)
    expect([limiter.take(NOW + 51), limiter.isCheckDue(NOW + 51)]).toEqual([undefined, false])
  })

  it('come early enough when sends continue', () => {
    const limiter = alone(4, 1)
    add(limiter, 'a1', 3)
    limiter.take(NOW)
    limiter.sent('a1', true)
    expect([limiter.isCheckDue(NOW + 24), limiter.isCheckDue(NOW + 25)]).toEqual([false, true])
    expect(limiter.take(NOW + 25)).toBeDefined()
  })

  it('are repeated after a change, also for reads that began before it', () => {
    const limiter = alone(4, 1)
    limiter.nextClaim()
    limiter.forget('a1')
    add(limiter, 'a1', 2)
    expect(limiter.take(NOW)).toBeUndefined()
    limiter.nextCheck(NOW)
    limiter.forget('a1')
    limiter.checked(['a1'], [target('a1')], NOW)
    expect([limiter.take(NOW), limiter.isCheckDue(NOW)]).toEqual([undefined, true])
    limiter.checked(limiter.nextCheck(NOW), [target('a1')], NOW)
    expect(limiter.take(NOW)).toBeDefined()
  })

  it('stay valid when another webhook changes meanwhile', () => {
    const limiter = alone(4, 1)
    limiter.nextClaim()
    limiter.forget('a2')
    add(limiter, 'a1', 3)
    expect(limiter.take(NOW)).toBeDefined()
    limiter.sent('a1', true)
    const looked = limiter.nextCheck(NOW + 50)
    limiter.forget('a2')
    limiter.checked(looked, [target('a1')], NOW + 50)
    expect(limiter.take(NOW + 50)).toBeDefined()
  })

  it('count for no webhook when very many have changed meanwhile', () => {
    const limiter = alone(4, 1)
    limiter.nextClaim()
    for (let change = 0; change <= 1_000; change++) limiter.forget(`b${change}`)
    add(limiter, 'b1000', 1)
    expect([limiter.take(NOW), limiter.isCheckDue(NOW)]).toEqual([undefined, true])
    limiter.checked(limiter.nextCheck(NOW), [target('b1000')], NOW)
    expect(limiter.take(NOW)).toBeDefined()
  })

  it('are not delayed by a clock that was set back', () => {
    const limiter = alone(4, 1)
    add(limiter, 'a1', 1)
    expect([limiter.take(NOW - 3_600_000), limiter.isCheckDue(NOW - 3_600_000)]).toEqual([undefined, true])
  })
})
