import { createTaskboard, type Task, type TaskLogEntry, type TaskboardEvent } from '@taskboard/core'
import { memoryStorage } from '@taskboard/memory'
import { virtualClock } from '@taskboard/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { checklistAgent } from './checklist-agent.js'

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()))
})

async function setUp() {
  const clock = virtualClock('2026-11-21T10:30:00Z')
  const storage = memoryStorage()
  const agent = checklistAgent({ stepMs: 300, now: () => clock.now() })
  const taskboard = createTaskboard({ storage, clock, agents: [agent] })
  closing.push(() => taskboard.close({ drainTimeoutMs: 0 }))
  const { workspace } = await taskboard.accounts.create({ name: 'Test', tier: 'professional' })
  const events: TaskboardEvent[] = []
  taskboard.events.on('*', (event) => events.push(event))
  await taskboard.start()
  const board = taskboard.board(workspace.id)
  const at = { now: null }
  return {
    clock,
    board,
    events,
    logs: (task: Task): Promise<readonly TaskLogEntry[]> =>
      storage.tasks
        .getTask({ within: workspace.id, taskId: task.id, parts: ['logs'] }, at)
        .then(({ logs }) => logs),
    outputs: (task: Task) =>
      storage.tasks
        .getTask({ within: workspace.id, taskId: task.id, parts: ['outputs'] }, at)
        .then(({ outputs }) => outputs),
  }
}

describe('the checklist agent', () => {
  it('works a line at a time, with progress, a log and the links it found', async () => {
    const { clock, board, events, logs, outputs } = await setUp()
    const task = await board.add({
      title: 'Launch',
      description: '- [x] Pick a date\n- Read https://a.example/plan\n- wait 2s\n- Order 250 stickers',
    })
    await clock.advance({ ms: 600 })
    expect(await board.get(task.id)).toMatchObject({ column: 'DOING', progress: 50 })
    await clock.advance({ ms: 2_600 })
    expect(await board.get(task.id)).toMatchObject({ column: 'DONE', startedAt: task.createdAt })
    expect((await board.get(task.id)).result?.split('\n')).toEqual([
      'Worked through 4 lines of "Launch".',
      '1. [x] Pick a date (ticked off before)',
      '2. Read https://a.example/plan (read: 2 words; link https://a.example/plan)',
      '3. wait 2s (waited 2000 ms)',
      '4. Order 250 stickers (read: 3 words; number 250)',
      'In all: 1 ticked off before, 3 gone through now; 10 words, 1 link, 0 dates, 1 number.',
    ])
    expect((await logs(task)).map(({ message }) => message)).toContain('1/4 Pick a date (ticked off before)')
    expect(await outputs(task)).toEqual([
      { type: 'link', name: 'a.example', url: 'https://a.example/plan', size: null },
    ])
    const progress = events.flatMap((event) => (event.type === 'task.progress' ? [event.data.progress] : []))
    expect(progress).toEqual([25, 50, 75, 100])
  })

  it('says so when there is nothing to work through', async () => {
    const { clock, board } = await setUp()
    const { id } = await board.add({ title: 'Call Bob' })
    await clock.settle()
    expect((await board.get(id)).result).toContain('has no description')
  })

  it('asks a person, and resumes once the task is released', async () => {
    const { clock, board, events } = await setUp()
    const { id } = await board.add({ title: 'Paint', description: 'needs input: which colour?\n- Paint it' })
    await clock.advance({ seconds: 5 })
    expect(await board.get(id)).toMatchObject({
      column: 'TODO',
      hold: { reason: 'needs_input', message: 'which colour?' },
    })
    expect(events.filter(({ type }) => type === 'task.failed')).toHaveLength(1)
    await board.release(id)
    await clock.advance({ seconds: 5 })
    expect((await board.get(id)).result).toContain(
      '1. which colour? (a person was asked, and released the task)',
    )
  })

  it('alerts people, and waits no longer than allowed', async () => {
    const { clock, board, events } = await setUp()
    const { id } = await board.add({ title: 'Watch', description: 'alert: the disk is full\nwait 10m' })
    await clock.advance({ seconds: 31 })
    expect((await board.get(id)).result).toContain('waited 30000 ms, the most that is allowed')
    const alerts = events.flatMap((event) => (event.type === 'agent.alert' ? [event.data.message] : []))
    expect(alerts).toEqual(['the disk is full'])
  })
})

describe('its chat', () => {
  it('adds tasks, lists them and reports the status', async () => {
    const { clock, board } = await setUp()
    const say = async (message: string): Promise<string> => (await board.chat({ message })).reply
    const added = await say('add Write the report, urgent, due tomorrow\n- Collect the figures\n- wait 5s')
    await clock.advance({ ms: 300 })
    const [task] = (await board.list('DOING')).tasks
    expect(task).toMatchObject({ title: 'Write the report', priority: 'urgent' })
    expect(added).toBe(
      `Added "Write the report" (${task?.id}, urgent, due 2026-11-22 23:59 UTC). Its score is 0.8266.`,
    )
    expect(await say('list doing')).toContain(`- "Write the report" (${task?.id}`)
    expect(await say('status')).toContain('TODO 0, DOING 1, DONE 0.\nIn work: "Write the report"')
    await clock.advance({ seconds: 10 })
    expect(await say('list done')).toContain('DONE:\n- "Write the report"')
    expect(await say('list')).toBe('TODO is empty.')
    expect(await say('result')).toContain('Worked through 2 lines of "Write the report".')
    expect(await say(`result ${task?.id}`)).toBe(await say('result'))
  })

  it('reports holds', async () => {
    const { clock, board } = await setUp()
    const { id } = await board.add({ title: 'Paint', description: 'blocked: no paint' })
    await clock.advance({ seconds: 1 })
    expect((await board.chat({ message: 'status' })).reply).toContain('On hold: "Paint"')
    expect((await board.chat({ message: 'result' })).reply).toBe('No task is done yet.')
    expect((await board.chat({ message: `result ${id}` })).reply).toContain('has no result.')
    expect((await board.chat({ message: 'result task_none' })).reply).toBe('This board has no such task.')
  })

  it('answers what it does not understand with help, and adds nothing that the board refuses', async () => {
    const { board } = await setUp()
    const replies = await Promise.all(
      ['Tell me a joke', 'add Party, due sometime', `add ${'x'.repeat(201)}`].map((message) =>
        board.chat({ message }),
      ),
    )
    expect(replies.map(({ reply }) => reply.split('\n', 1)[0])).toEqual([
      'I did not understand that.',
      'I did not do anything: "sometime" is not a date that I know.',
      'I did not add a task: title must have at most 200 characters.',
    ])
    expect((await board.list('TODO')).tasks).toEqual([])
  })
})
