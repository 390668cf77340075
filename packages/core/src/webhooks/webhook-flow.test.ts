import { createTaskboard, type Taskboard } from '@taskboard/core'
import { systemRandom } from '@taskboard/core/storage'
import type { Random } from '@taskboard/core/transport'
import { memoryStorage, type MemoryTransaction } from '@taskboard/memory'
import { virtualClock, webhookReceiver, type VirtualClock, type WebhookReceiver } from '@taskboard/testing'
import { afterEach, describe, expect, it } from 'vitest'

const MINUTE = 60_000
const START = Date.UTC(2026, 0, 1)
const noJitter: Random = { bytes: (size) => systemRandom.bytes(size), fraction: () => 0 }
const cleanups: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup()
})

async function setUp(): Promise<{
  clock: VirtualClock
  receiver: WebhookReceiver
  taskboard: Taskboard<MemoryTransaction>
  workspaceId: string
}> {
  const clock = virtualClock(START)
  const receiver = await webhookReceiver({ clock })
  const taskboard = createTaskboard({
    logger: false,
    storage: memoryStorage(),
    clock,
    random: noJitter,
    webhooks: { allow: ['127.0.0.0/8'] },
  })
  cleanups.push(
    () => taskboard.close({ drainTimeoutMs: 0 }),
    () => receiver.close(),
  )
  const { workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'enterprise' })
  await taskboard.start()
  return { clock, receiver, taskboard, workspaceId: workspace.id }
}

describe('webhooks of a task board in memory', () => {
  it('send an event of a task, six times when no attempt succeeds, and list it as failed', async () => {
    const { clock, receiver, taskboard, workspaceId } = await setUp()
    receiver.respond(500)
    const { id } = await taskboard.webhooks.register(workspaceId, {
      url: receiver.url,
      events: ['task.created'],
      secret: 'pässword',
    })
    const task = await taskboard.board(workspaceId).add({ title: 'Grüße 🚀' })
    await clock.advance({ hours: 24 })
    expect(receiver.deliveries.map(({ at }) => (at - START) / MINUTE)).toEqual([0, 1, 6, 36, 156, 876])
    expect(new Set(receiver.deliveries.map((each) => `${each.id} ${each.body.toString('hex')}`)).size).toBe(1)
    expect(receiver.deliveries.every((each) => each.isSignedWith('pässword'))).toBe(true)
    expect(receiver.deliveries[0]?.json).toMatchObject({ event: 'task.created', data: { task_id: task.id } })
    const log = await taskboard.webhooks.deliveries(workspaceId, id, { status: 'failed' })
    expect(log).toMatchObject({
      deliveries: [{ id: receiver.deliveries[0]?.id, attemptCount: 6 }],
      nextCursor: null,
    })
  })

  it('resend failed deliveries with the current secret', async () => {
    const { clock, receiver, taskboard, workspaceId } = await setUp()
    receiver.respond(404)
    const url = receiver.url
    const { id } = await taskboard.webhooks.register(workspaceId, {
      url,
      events: ['task.created'],
      secret: 'old',
    })
    await taskboard.board(workspaceId).add({ title: 'One' })
    await clock.advance({ hours: 24 })
    receiver.respond(200)
    const { secret } = await taskboard.webhooks.rotateSecret(workspaceId, id, { overlapMs: 0 })
    await expect(taskboard.webhooks.resend(workspaceId, id, { from: START, to: clock.now() })).resolves.toBe(
      1,
    )
    await clock.settle()
    const last = receiver.deliveries.at(-1)
    expect([last?.attempt, last?.id, last?.isSignedWith(secret)]).toEqual([
      7,
      receiver.deliveries[0]?.id,
      true,
    ])
    const { deliveries } = await taskboard.webhooks.deliveries(workspaceId, id)
    expect(deliveries.map(({ status }) => status)).toEqual(['succeeded'])
  })

  it('send a sample, which says that it is one, to only one endpoint', async () => {
    const { clock, receiver, taskboard, workspaceId } = await setUp()
    for (const path of ['/a', '/b']) {
      const { url } = receiver.at(path)
      await taskboard.webhooks.register(workspaceId, { url, events: ['task.completed'] })
    }
    const [first] = await taskboard.webhooks.list(workspaceId)
    const { id } = await taskboard.webhooks.test(workspaceId, first?.id ?? '')
    await clock.settle()
    const task = await taskboard.board(workspaceId).add({ title: 'Real' })
    await taskboard.board(workspaceId).move(task.id, 'DONE')
    await taskboard.webhooks.register(workspaceId, { url: receiver.at('/c').url, events: ['task.created'] })
    await taskboard.board(workspaceId).add({ title: 'Also real' })
    await clock.settle()
    const seen = receiver.deliveries.map((each) => [each.path, each.event, each.headers['x-service-test']])
    expect(seen).toEqual([
      ['/a', 'task.completed', 'true'],
      ['/c', 'task.created', undefined],
    ])
    expect(receiver.deliveries[0]?.id).toBe(id)
  })

  it('end with a 410, for the Test button too', async () => {
    const { clock, receiver, taskboard, workspaceId } = await setUp()
    receiver.respond(410)
    const { id } = await taskboard.webhooks.register(workspaceId, {
      url: receiver.url,
      events: ['task.created'],
    })
    await taskboard.board(workspaceId).add({ title: 'One' })
    await clock.settle()
    expect(await taskboard.webhooks.get(workspaceId, id)).toMatchObject({
      enabled: false,
      disabledReason: 'gone',
    })
    await clock.advance({ days: 1 })
    expect(receiver.deliveries).toHaveLength(1)
    await expect(taskboard.webhooks.test(workspaceId, id)).rejects.toMatchObject({ code: 'CONFLICT' })
  })
})
