import { createTaskboard, type TaskboardEvent } from '@taskboard/core'
import { memoryStorage } from '@taskboard/memory'
import { virtualClock } from '@taskboard/testing'
import { expect, it, onTestFinished } from 'vitest'
import { checklistAgent } from './checklist-agent.js'
import { addSampleTasks } from './sample-tasks.js'

const STEP_MS = 300

async function setUp() {
  const clock = virtualClock('2026-11-21T10:30:00Z')
  const agents = [checklistAgent({ stepMs: STEP_MS, now: () => clock.now() })]
  const taskboard = createTaskboard({ storage: memoryStorage(), clock, agents })
  onTestFinished(() => taskboard.close({ drainTimeoutMs: 0 }))
  const { workspace } = await taskboard.accounts.create({ name: 'Demo', tier: 'professional' })
  const events: TaskboardEvent[] = []
  taskboard.events.on('*', (event) => events.push(event))
  await taskboard.start()
  await addSampleTasks(taskboard, workspace.id)
  await clock.settle()
  return { clock, events, board: taskboard.board(workspace.id) }
}

it('leave room for the newcomer: a task that is added while they run starts immediately', async () => {
  const { clock, board } = await setUp()
  for (let second = 0; second < 70; second += 7) {
    const { tasks } = await board.list('DOING')
    expect(tasks.every(({ title }) => title.startsWith('Sample: '))).toBe(true)
    const { id, createdAt } = await board.add({ title: 'Mine', description: '- one\n- two' })
    await clock.settle()
    expect(await board.get(id)).toMatchObject({ column: 'DOING', startedAt: createdAt })
    await clock.advance({ seconds: 7 })
    expect(await board.get(id)).toMatchObject({ column: 'DONE' })
  }
})

it('ask first, and take about a minute, one after the other', async () => {
  const { clock, board, events } = await setUp()
  await clock.advance({ seconds: 2 })
  const [asking] = (await board.list('TODO')).tasks.filter(({ hold }) => hold !== null)
  expect(asking).toMatchObject({ title: 'Sample: book the train', hold: { reason: 'needs_input' } })
  expect((await board.list('DOING')).tasks).toMatchObject([{ title: 'Sample: pack the box for the fair' }])
  await clock.advance({ seconds: 43 })
  expect((await board.list('DOING')).tasks).toMatchObject([{ title: 'Sample: give the box to the courier' }])
  await clock.advance({ seconds: 30 })
  expect((await board.list('DONE')).tasks).toHaveLength(2)
  const [first, last] = [events[0], events.findLast(({ type }) => type === 'task.completed')]
  const tookMs = Number(last?.at) - Number(first?.at)
  expect(tookMs).toBeGreaterThan(50_000)
  expect(tookMs).toBeLessThan(75_000)
  await board.answer(asking?.id ?? '', { body: 'Friday' })
  await clock.advance({ seconds: 5 })
  expect((await board.list('DONE')).tasks).toHaveLength(3)
})
