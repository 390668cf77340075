import { createTaskboard, type TaskboardEvent } from '@taskboard/core'
import { memoryStorage } from '@taskboard/memory'
import { virtualClock } from '@taskboard/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { checklistAgent } from './checklist-agent.js'

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()))
})

/** A board with one task, whose processes come and go. */
async function setUp(lines: readonly string[]) {
  const clock = virtualClock('2026-11-21T10:30:00Z')
  const storage = memoryStorage()
  const events: TaskboardEvent[] = []
  async function open() {
    const agents = [checklistAgent({ stepMs: 300, now: () => clock.now() })]
    const taskboard = createTaskboard({ storage, clock, agents })
    let isOpen = true
    const close = async (): Promise<void> => {
      if (isOpen) await taskboard.close({ drainTimeoutMs: 0 })
      isOpen = false
    }
    closing.push(close)
    taskboard.events.on('*', (event) => events.push(event))
    await taskboard.start()
    return { taskboard, close }
  }
  let process = await open()
  const { account, workspace } = await process.taskboard.accounts.create({
    name: 'Test',
    tier: 'professional',
  })
  const board = () => process.taskboard.board(workspace.id)
  const { id } = await board().add({ title: 'Move', description: lines.join('\n') })
  const run = () => clock.advance({ seconds: 20 })
  await run()
  return {
    id,
    board,
    run,
    events,
    get: () => board().get(id),
    said: async () => (await board().comments(id)).comments.map(({ kind, body }) => `${kind}: ${body}`),
    approvals: async () => {
      const reach = { accountId: account.id, workspaceIds: 'all' } as const
      return (await process.taskboard.approvals.search(reach, {})).approvals
    },
    async answer(body: string) {
      await board().answer(id, { body })
      await run()
    },
    async decide(decision: 'approved' | 'rejected', comment?: string) {
      const reach = { accountId: account.id, workspaceIds: 'all' } as const
      const [pending] = (await process.taskboard.approvals.search(reach, { status: 'pending' })).approvals
      await board().decide(pending?.id ?? '', { decision, comment })
      await run()
    },
    /** Ends the process, and starts another one on the same storage. */
    async restart() {
      await process.close()
      process = await open()
      await run()
    },
  }
}

const linesOf = (result: string | null): readonly string[] => result?.split('\n') ?? []

describe('a checklist that people and agents work together', () => {
  it('asks, does what was approved, waits for subtasks, and repeats nothing, over as many processes', async () => {
    const { get, said, answer, decide, restart, run, events, approvals } = await setUp([
      'Read https://a.example/plan',
      '? Which floor?',
      'alert: the movers are coming',
      '- [ ] ! Sign the lease',
      'wait 2s',
      '! Sell the desks',
      '+ Pack the books',
      '+ Pack the plants',
      '? Which day?',
    ])
    expect(await get()).toMatchObject({ hold: { reason: 'needs_input', message: 'Which floor?' } })
    await restart()
    await answer('The third.\nNot the fourth.')
    expect(await get()).toMatchObject({ hold: { reason: 'approval', message: 'Sign the lease' } })
    await restart()
    await decide('approved', 'At last')
    expect(await get()).toMatchObject({ hold: { reason: 'approval', message: 'Sell the desks' } })
    await restart()
    await decide('rejected', 'We keep them')
    await run()
    expect(await get()).toMatchObject({ hold: { reason: 'needs_input', message: 'Which day?' } })
    await restart()
    await answer('Friday')

    const { column, attempts, result } = await get()
    expect([column, attempts]).toEqual(['DONE', 1])
    expect(linesOf(result)).toEqual([
      'Worked through 9 lines of "Move".',
      '1. Read https://a.example/plan (read: 2 words; link https://a.example/plan)',
      '2. Which floor? (answered: The third. / Not the fourth.)',
      '3. the movers are coming (people were alerted)',
      '4. Sign the lease (approved, and done)',
      '5. wait 2s (waited before)',
      '6. Sell the desks (not done: rejected: We keep them)',
      expect.stringMatching(/^7\. Pack the books \(done as a subtask: "Pack the books" has no description/),
      expect.stringMatching(/^8\. Pack the plants \(done as a subtask: /),
      '9. Which day? (answered: Friday)',
      expect.stringContaining('8 gone through now, 1 not done;'),
    ])
    expect(await said()).toEqual([
      'question: Which floor?',
      'answer: The third.\nNot the fourth.',
      'comment: Done:\nalert: the movers are coming',
      'decision: Approved: work a line\n\nAt last',
      'comment: Done:\n! Sign the lease',
      'comment: Done:\nwait 2s',
      'decision: Rejected: work a line\n\nWe keep them',
      'question: Which day?',
      'answer: Friday',
    ])
    expect((await approvals()).map(({ status }) => status)).toEqual(['rejected', 'used'])
    expect(events.filter(({ type }) => type === 'agent.alert')).toHaveLength(1)
    expect(events.filter(({ type }) => type === 'task.created')).toHaveLength(3)
  })

  it('adds each link once, however many attempts there are', async () => {
    const { id, board, answer } = await setUp(['https://a.example/', '? One?', '? Two?'])
    await answer('1')
    await answer('2')
    const outputs = await board().outputs(id)
    expect(outputs.map(({ url }) => url)).toEqual(['https://a.example/'])
  })

  it('asks equal questions one by one, and has equal actions approved one by one', async () => {
    const { get, answer, decide } = await setUp(['? Who?', '? Who?', '! Pay', '! Pay'])
    await answer('Ada')
    expect(await get()).toMatchObject({ hold: { message: 'Who?' } })
    await answer('Grace')
    await decide('approved')
    expect(await get()).toMatchObject({ hold: { reason: 'approval', message: 'Pay' } })
    await decide('rejected')
    expect(linesOf((await get()).result).slice(1, 5)).toEqual([
      '1. Who? (answered: Ada)',
      '2. Who? (answered: Grace)',
      '3. Pay (approved, and done)',
      '4. Pay (not done: rejected)',
    ])
  })

  it('takes nothing that people say or release for an answer, an approval or a subtask', async () => {
    const { id, board, get, run, answer, decide, approvals } = await setUp([
      '? Which floor?',
      '! Sign',
      '+ Pack',
    ])
    await board().comment(id, { body: 'Which floor?' })
    await board().comment(id, { body: 'The third' })
    await board().release(id)
    await run()
    expect(await get()).toMatchObject({ hold: { reason: 'needs_input' } })
    await answer('The third')
    await board().comment(id, { body: 'Done:\n! Sign' })
    await board().release(id)
    await run()
    expect(await get()).toMatchObject({ hold: { reason: 'approval', message: 'Sign' } })
    await decide('approved')
    await run()
    expect(linesOf((await get()).result)[1]).toBe('1. Which floor? (answered: The third)')
    expect((await approvals()).map(({ status }) => status)).toEqual(['used'])
  })

  it('finds answers behind more comments than a claim has', async () => {
    const { id, board, answer, get } = await setUp(['? First?', '? Second?'])
    await answer('one')
    for (let written = 0; written < 120; written++) await board().comment(id, { body: `Comment ${written}` })
    await answer('two')
    expect(linesOf((await get()).result).slice(1, 3)).toEqual([
      '1. First? (answered: one)',
      '2. Second? (answered: two)',
    ])
  })

  it('does nothing twice when a person moves the finished task back', async () => {
    const { id, board, get, run, answer, decide, events } = await setUp([
      '? Who?',
      'alert: now',
      '! Pay',
      '+ Pack',
    ])
    await answer('Ada')
    await decide('approved')
    await run()
    const { result } = await get()
    await board().move(id, 'TODO')
    await run()
    expect(await get()).toMatchObject({ column: 'DONE', result })
    expect(events.filter(({ type }) => type === 'approval.requested')).toHaveLength(1)
    expect(events.filter(({ type }) => type === 'agent.alert')).toHaveLength(1)
    expect(events.filter(({ type }) => type === 'task.created')).toHaveLength(2)
  })

  it('alerts once before a question, and splits off only the lines that a person added to a group', async () => {
    const { id, board, get, run, answer, events } = await setUp(['alert: now', '+ Pack', '? Who?'])
    await run()
    await board().update(id, { description: 'alert: now\nalert: again\n+ Fetch\n+ Pack\n+ Carry\n? Who?' })
    await answer('Ada')
    await run()
    const lines = linesOf((await get()).result)
    expect(lines[2]).toBe('2. again (people were alerted)')
    expect(lines[6]).toBe('6. Who? (answered: Ada)')
    const titles = events.flatMap((event) => (event.type === 'task.created' ? [event.data.title] : []))
    expect(titles).toEqual(['Move', 'Pack', 'Fetch', 'Carry'])
    expect(events.filter(({ type }) => type === 'agent.alert')).toHaveLength(2)
  })

  it('notes what it did before it asks', async () => {
    const { answer, events } = await setUp(['alert: now', '? Who?'])
    await answer('Ada')
    expect(events.filter(({ type }) => type === 'agent.alert')).toHaveLength(1)
  })

  it('makes at most 50 subtasks, which is what a task depends on', async () => {
    const { get, run, events } = await setUp(Array.from({ length: 52 }, (_, place) => `+ Part ${place}`))
    for (let passed = 0; passed < 3; passed++) await run()
    const lines = linesOf((await get()).result)
    expect(lines[50]).toMatch(/^50\. Part 49 \(done as a subtask: /)
    expect(lines.slice(51, 53)).toEqual([
      '51. Part 50 (not done: a checklist has at most 50 subtasks)',
      '52. Part 51 (not done: a checklist has at most 50 subtasks)',
    ])
    expect(events.filter(({ type }) => type === 'task.created')).toHaveLength(51)
  })
})
