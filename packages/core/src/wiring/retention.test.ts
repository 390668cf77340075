import { memoryStorage } from '@taskboard/memory'
import { virtualClock } from '@taskboard/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { createTaskboard, type Taskboard } from './taskboard.js'
import type { TaskboardOptions } from './taskboard-options.js'
import type { Sender } from '../webhooks/index.js'

const open: Taskboard[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((taskboard) => taskboard.close({ drainTimeoutMs: 0 })))
})

async function setUp(options: Partial<TaskboardOptions> = {}) {
  const clock = virtualClock(Date.UTC(2026, 0, 1))
  const taskboard = createTaskboard({ storage: memoryStorage(), clock, logger: false, ...options })
  open.push(taskboard)
  const { workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'professional' })
  return { clock, taskboard, workspace, board: taskboard.board(workspace.id) }
}

describe('the retention', () => {
  it('prunes what is older than its retention', async () => {
    const storage = memoryStorage()
    const { clock, taskboard, board, workspace } = await setUp({ storage })
    await taskboard.start()
    await board.add({ title: 'Write' })
    await clock.advance({ days: 29 })
    const query = { workspaceId: workspace.id, afterSeq: 0, limit: 10 }
    expect(await storage.events.readEvents(query, { now: null })).not.toHaveLength(0)
    await clock.advance({ days: 2 })
    expect(await storage.events.readEvents(query, { now: null })).toHaveLength(0)
  })

  it('deletes done tasks, and those that they depend on, only if the host wants that', async () => {
    const { clock, taskboard, board } = await setUp({ retention: { doneTasksDays: 7 } })
    const kept = await setUp()
    for (const one of [{ taskboard, board }, kept]) {
      await one.taskboard.start()
      const { id } = await one.board.add({ title: 'First' })
      const dependent = await one.board.add({ title: 'Second', dependsOn: [id] })
      for (const done of [id, dependent.id]) await one.board.move(done, 'DONE')
    }
    await clock.advance({ days: 6 })
    expect((await board.list('DONE')).tasks).toHaveLength(2)
    await clock.advance({ days: 2 })
    expect((await board.list('DONE')).tasks).toEqual([])
    await kept.clock.advance({ days: 60 })
    expect((await kept.board.list('DONE')).tasks).toHaveLength(2)
  })

  it('keeps deliveries for their own retention, and events as long as deliveries', async () => {
    const sender: Sender = {
      send: async () => ({ kind: 'answered', status: 200, excerpt: '' }),
      close: async () => undefined,
    }
    const day = 86_400_000
    const retention = { eventsMs: day, deliveriesMs: 5 * day }
    const storage = memoryStorage()
    const { clock, taskboard, board, workspace } = await setUp({
      storage,
      retention,
      webhooks: { sender },
    })
    const url = 'https://receiver.example/hook'
    const { id } = await taskboard.webhooks.register(workspace.id, { url, events: ['task.created'] })
    await taskboard.start()
    await board.add({ title: 'Write' })
    const kept = async () => (await taskboard.webhooks.deliveries(workspace.id, id)).deliveries.length
    const query = { workspaceId: workspace.id, afterSeq: 0, limit: 10 }
    const events = async () => (await storage.events.readEvents(query, { now: null })).length
    await clock.advance({ days: 4 })
    expect([await kept(), await events()]).toEqual([1, 1])
    await clock.advance({ days: 2 })
    expect([await kept(), await events()]).toEqual([0, 0])
  })
})
