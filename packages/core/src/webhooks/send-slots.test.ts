import { describe, expect, it } from 'vitest'
import { createSendSlots, type SendSlots, type WaitingDelivery } from './send-slots.js'

function waiting(webhookId: string, deliveryId: string): WaitingDelivery {
  const claimed = { delivery: { id: deliveryId }, webhook: { id: webhookId }, claimToken: deliveryId }
  return { claimed: claimed as WaitingDelivery['claimed'], claimedUntil: 0 }
}

function add(slots: SendSlots, webhookId: string, count: number): void {
  for (let index = 1; index <= count; index++) slots.add(waiting(webhookId, `${webhookId}${index}`))
}

function takeAll(slots: SendSlots): string[] {
  const taken: string[] = []
  for (let next = slots.take(); next; next = slots.take()) taken.push(next.claimed.delivery.id)
  return taken
}

describe('send slots', () => {
  it('send to one webhook no more at once than it may have, however many are claimed for it', () => {
    const slots = createSendSlots(10, 2)
    add(slots, 'a', 3)
    expect(takeAll(slots)).toEqual(['a1', 'a2'])
    expect(slots.fullWebhookIds()).toEqual(['a'])
    slots.sent('a', true)
    expect(takeAll(slots)).toEqual(['a3'])
  })

  it('send no more at once than the process may, to the webhooks in turn', () => {
    const slots = createSendSlots(4, 3)
    add(slots, 'a', 3)
    add(slots, 'b', 3)
    expect(takeAll(slots)).toEqual(['a1', 'b1', 'a2', 'b2'])
    slots.sent('a', true)
    expect(takeAll(slots)).toEqual(['a3'])
  })

  it('let a webhook have twice its sends claimed once it answers quickly, and else no more than they are', () => {
    const slots = createSendSlots(2, 2)
    add(slots, 'a', 4)
    takeAll(slots)
    slots.sent('a', true)
    slots.settle('a')
    expect(slots.fullWebhookIds()).toEqual([])
    add(slots, 'a', 4)
    expect(slots.fullWebhookIds()).toEqual(['a'])
    takeAll(slots)
    for (const _ of [1, 2, 3]) {
      slots.sent('a', true)
      slots.settle('a')
      takeAll(slots)
    }
    expect(slots.fullWebhookIds()).toEqual([])
    slots.sent('a', false)
    expect(slots.fullWebhookIds()).toEqual(['a'])
  })

  it('ask for a claim when there is room for many, and not for each that is settled', () => {
    const slots = createSendSlots(10, 5)
    const { limit = 0, perWebhook = 0 } = slots.nextClaim() ?? {}
    expect([limit, perWebhook]).toEqual([slots.room, 10])
    for (let index = 0; index < limit; index++) slots.add(waiting(String(index), String(index)))
    expect([slots.room, slots.nextClaim(), slots.isClaimDue]).toEqual([0, null, false])
    let settled = 0
    for (; !slots.isClaimDue; settled++) {
      expect(slots.nextClaim()).toBeNull()
      slots.settle(String(settled))
    }
    expect([settled, slots.nextClaim()?.limit]).toEqual([40, 40])
    slots.settle(String(settled))
    expect(slots.isClaimDue).toBe(false)
    slots.sent(slots.take()?.claimed.webhook.id ?? '', true)
    expect(slots.isClaimDue).toBe(true)
  })

  it('keep room for a claim while webhooks that hang have all they may have', () => {
    const slots = createSendSlots(20, 5)
    for (const hanging of ['a', 'b', 'c']) {
      for (let claims = 0; !slots.fullWebhookIds().includes(hanging); claims++) {
        expect(claims).toBeLessThan(3)
        add(slots, hanging, slots.nextClaim()?.perWebhook ?? 0)
      }
    }
    takeAll(slots)
    expect(slots.nextClaim()?.limit).toBeGreaterThanOrEqual(20)
    add(slots, 'd', 10)
    expect(takeAll(slots)).toHaveLength(5)
    for (let sent = 0; sent < 100; sent++) {
      slots.sent('d', true)
      slots.settle('d')
      if (slots.isClaimDue && !slots.fullWebhookIds().includes('d'))
        add(slots, 'd', slots.nextClaim()?.perWebhook ?? 0)
      expect(takeAll(slots).length).toBeGreaterThan(0)
    }
  })

  it('give up all that wait, and nothing else', () => {
    const slots = createSendSlots(1, 1)
    add(slots, 'a', 2)
    add(slots, 'b', 1)
    expect(takeAll(slots)).toEqual(['a1'])
    expect(slots.takeWaiting().map(({ claimed }) => claimed.delivery.id)).toEqual(['b1', 'a2'])
    expect(takeAll(slots)).toEqual([])
  })
})
