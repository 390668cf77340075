import { createTaskboard, nextAttemptAt, verifySignature, type AgentDefinition } from '@taskboard/core'
import type { Random } from '@taskboard/core/transport'
import { memoryStorage } from '@taskboard/memory'
import { virtualClock, webhookReceiver } from '@taskboard/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { createOrderDesk, orderTable, packingAgent } from './order-desk.js'

const NOON = Date.UTC(2026, 0, 1, 12)
const DAY_MS = 86_400_000

/** Retries come at exact times when the jitter is always 0. */
const noJitter: Random = {
  bytes: (size) => crypto.getRandomValues(new Uint8Array(size)),
  fraction: () => 0,
}

const cleanUps: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

async function setUp(agents: readonly AgentDefinition[]) {
  const clock = virtualClock(NOON)
  const taskboard = createTaskboard({
    storage: memoryStorage(),
    clock,
    random: noJitter,
    agents,
    webhooks: { allow: ['127.0.0.0/8'] },
  })
  cleanUps.push(() => taskboard.close())
  const { workspace } = await taskboard.accounts.create({ name: 'Shop', tier: 'professional' })
  const orders = orderTable()
  const desk = createOrderDesk(taskboard, workspace.id, orders)
  return { clock, taskboard, workspaceId: workspace.id, board: taskboard.board(workspace.id), orders, desk }
}

describe('the order desk', () => {
  it('has an order packed and keeps its packing list', async () => {
    const { clock, taskboard, orders, desk } = await setUp([packingAgent(async (title) => `${title}: 1 box`)])
    await taskboard.start()
    await desk.place({ id: 'o-1', item: 'a lamp', shipBy: NOON + DAY_MS })
    await clock.settle()
    expect(orders.packingListOf('o-1')).toBe('Pack a lamp: 1 box')
  })

  it('leaves neither task nor event behind when the order cannot be kept', async () => {
    const { clock, taskboard, board, desk } = await setUp([])
    const seen: string[] = []
    taskboard.events.on('*', ({ type }) => seen.push(type))
    await taskboard.start()
    await desk.place({ id: 'o-1', item: 'a lamp', shipBy: NOON })
    await expect(desk.place({ id: 'o-1', item: 'a chair', shipBy: NOON })).rejects.toThrow('order o-1 exists')
    await clock.settle()
    expect((await board.list('TODO')).tasks.map(({ title }) => title)).toEqual(['Pack a lamp'])
    expect(seen).toEqual(['order.new', 'task.created'])
  })

  it('packs first what ships first, and the order changes as days pass', async () => {
    const packed: string[] = []
    const { clock, taskboard, board, desk } = await setUp([
      packingAgent(async (title) => {
        packed.push(title)
        return 'done'
      }),
    ])
    await board.add({ title: 'Sweep the floor', priority: 'high' })
    await desk.place({ id: 'o-1', item: 'a lamp', shipBy: NOON + 20 * DAY_MS })
    const firstToday = (await board.list('TODO')).tasks[0]?.title
    await clock.advance({ days: 18 })
    const firstLater = (await board.list('TODO')).tasks[0]?.title
    expect([firstToday, firstLater]).toEqual(['Sweep the floor', 'Pack a lamp'])

    await taskboard.start()
    await clock.settle()
    expect(packed).toEqual(['Pack a lamp', 'Sweep the floor'])
  })

  it('survives a packer that fails twice', async () => {
    const failures = ['no tape', 'no boxes']
    const { clock, taskboard, board, orders, desk } = await setUp([
      packingAgent(async () => {
        const failure = failures.shift()
        if (failure !== undefined) throw new Error(failure)
        return 'at last'
      }),
    ])
    await taskboard.start()
    const taskId = await desk.place({ id: 'o-1', item: 'a lamp', shipBy: NOON })
    await clock.settle()
    expect(await board.get(taskId)).toMatchObject({ column: 'TODO', attempts: 1, notBefore: NOON + 10_000 })
    await clock.advance({ seconds: 10 })
    expect(await board.get(taskId)).toMatchObject({ column: 'TODO', attempts: 2, notBefore: NOON + 30_000 })
    await clock.advance({ seconds: 20 })
    expect(await board.get(taskId)).toMatchObject({ column: 'DONE', attempts: 3, result: 'at last' })
    expect(orders.packingListOf('o-1')).toBe('at last')
  })
})

describe('the webhooks of the shop', () => {
  it('are retried for fifteen hours, in milliseconds, and signed each time', async () => {
    const { clock, taskboard, workspaceId, desk } = await setUp([])
    const receiver = await webhookReceiver({ clock })
    cleanUps.push(() => receiver.close())
    receiver.respond(503)
    const { id } = await taskboard.webhooks.register(workspaceId, {
      url: receiver.url,
      events: ['order.new'],
      secret: 'between-us',
    })
    await taskboard.start()
    await desk.place({ id: 'o-1', item: 'a lamp', shipBy: NOON })
    await clock.advance({ hours: 15 })

    const minutes = receiver.deliveries.map(({ at }) => (at - NOON) / 60_000)
    expect(minutes).toEqual([0, 1, 6, 36, 156, 876])
    expect(new Set(receiver.deliveries.map((delivery) => delivery.id)).size).toBe(1)
    for (const { body, headers } of receiver.deliveries) {
      expect(verifySignature('between-us', body, headers['x-service-signature'])).toBe(true)
    }
    const { deliveries } = await taskboard.webhooks.deliveries(workspaceId, id)
    expect(deliveries).toMatchObject([{ status: 'failed', attemptCount: 6 }])
  })

  it('follow a schedule that can be read beforehand', () => {
    const second = nextAttemptAt({ attemptCount: 1, endedAt: NOON, jitter: 0 })
    const none = nextAttemptAt({ attemptCount: 6, endedAt: NOON, jitter: 0 })
    expect([second, none]).toEqual([NOON + 60_000, null])
  })
})
