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
    slots.sent('a')
    expect(takeAll(slots)).toEqual(['a3'])
  })

  it('send no more at once than the process may, to the webhooks in turn', () => {
    const slots = createSendSlots(4, 3)
    add(slots, 'a', 3)
    add(slots, 'b', 3)
    expect(takeAll(slots)).toEqual(['a1', 'b1', 'a2', 'b2'])
    slots.sent('a')
    expect(takeAll(slots)).toEqual(['a3'])
  })

  it('have room for as many again to be claimed ahead, until results are settled', () => {
    const slots = createSendSlots(2, 2)
    add(slots, 'a', 2)
    add(slots, 'b', 2)
    expect(slots.room).toBe(0)
    takeAll(slots)
    slots.sent('a')
    expect(slots.room).toBe(0)
    slots.settle('a')
    expect(slots.room).toBe(1)
    expect(slots.fullWebhookIds()).toEqual(['b'])
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
