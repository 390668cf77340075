import { countTasks } from '@taskboard/testing'
import { describe, expect, it } from 'vitest'
import { agentsFixture, newGate } from '../../test/agents-fixture.js'
import { TaskboardError } from '../errors/index.js'
import { TaskFailure, type TaskContext } from './index.js'

const HOUR = 3_600_000

describe('a runner', () => {
  it('works nothing before it starts, then the best task first', async () => {
    const order: string[] = []
    const fixture = await agentsFixture({
      agents: [{ type: 'bot', run: (task) => void order.push(task.title) }],
    })
    for (const priority of ['low', 'urgent', 'medium', 'high'] as const)
      await fixture.add({ title: priority, priority })
    const runner = fixture.newRunner()
    await fixture.clock.advance({ hours: 1 })
    expect(order).toEqual([])
    runner.start()
    runner.start()
    await fixture.clock.settle()
    expect(order).toEqual(['urgent', 'high', 'medium', 'low'])
    await runner.stop()
    expect(fixture.clock.pending()).toEqual({ timers: [], works: [] })
  })

  it('stores the result, and picks up tasks that are added later', async () => {
    const fixture = await agentsFixture({ agents: [{ type: 'bot', run: (task) => ({ did: task.title }) }] })
    const runner = fixture.newRunner()
    runner.start()
    const task = await fixture.add({ title: 'later' })
    await fixture.clock.settle()
    expect(await fixture.get(task)).toMatchObject({ column: 'DONE', result: '{"did":"later"}', lease: null })
    await runner.stop()
    const afterwards = await fixture.add()
    await fixture.clock.advance({ hours: 1 })
    expect((await fixture.get(afterwards)).column).toBe('TODO')
  })

  it('leaves time for other work between quick runs', async () => {
    let runs = 0
    const fixture = await agentsFixture({ agents: [{ type: 'bot', run: () => void runs++ }] })
    for (let i = 0; i < 500; i++) await fixture.add()
    const runner = fixture.newRunner()
    const runsByThen = new Promise<number>((resolve) => setImmediate(() => resolve(runs)))
    runner.start()
    expect(await runsByThen).toBeLessThan(100)
    await fixture.clock.settle()
    expect(runs).toBe(500)
    await runner.stop()
  })

  it('takes the next task with the completion of one, in one call', async () => {
    const fixture = await agentsFixture({ agents: [{ type: 'bot', run: () => 'ok' }] })
    for (let i = 0; i < 50; i++) await fixture.add()
    const runner = fixture.newRunner()
    runner.start()
    await fixture.clock.settle()
    await runner.stop()
    expect(await countTasks(fixture.storage, fixture.workspaceId, { now: null })).toMatchObject({ DONE: 50 })
    expect(fixture.faults.countCalls('completeTask')).toBe(50)
    expect(fixture.faults.countCalls('claimTasks')).toBeLessThan(5)
  })

  it('never runs more than its concurrency, and uses all of it', async () => {
    let running = 0
    let most = 0
    const fixture = await agentsFixture({
      agents: [
        {
          type: 'bot',
          concurrency: 7,
          async run(_, { sleep }) {
            most = Math.max(most, ++running)
            await sleep(1_000)
            running -= 1
          },
        },
      ],
    })
    for (let i = 0; i < 100; i++) await fixture.add()
    const runner = fixture.newRunner()
    runner.start()
    await fixture.clock.advance(14_999)
    expect(most).toBe(7)
    expect(runner.inFlight).toBe(2)
    await fixture.clock.advance(1)
    expect(runner.inFlight).toBe(0)
    expect(await countTasks(fixture.storage, fixture.workspaceId, { now: null })).toMatchObject({
      DONE: 100,
    })
    await runner.stop()
  })

  it('works workspaces in turn', async () => {
    const order: string[] = []
    const fixture = await agentsFixture({
      agents: [{ type: 'bot', run: (task) => void order.push(task.workspaceId) }],
      workspaces: 3,
    })
    const [first, second, third] = fixture.workspaceIds
    for (let i = 0; i < 20; i++) await fixture.add({ workspaceId: first ?? '' })
    for (const workspaceId of [second ?? '', third ?? ''])
      for (let i = 0; i < 2; i++) await fixture.add({ workspaceId })
    const runner = fixture.newRunner()
    runner.start()
    await fixture.clock.settle()
    await runner.stop()
    expect(order).toHaveLength(24)
    expect(new Set(order.slice(0, 3))).toEqual(new Set([first, second, third]))
    expect(new Set(order.slice(3, 6))).toEqual(new Set([first, second, third]))
  })

  it('wakes for a task that becomes ready', async () => {
    const fixture = await agentsFixture({ agents: [{ type: 'bot', run: () => 'ok' }] })
    const runner = fixture.newRunner()
    runner.start()
    const task = await fixture.add({ notBefore: fixture.clock.now() + HOUR })
    await fixture.clock.advance(HOUR - 1)
    expect((await fixture.get(task)).column).toBe('TODO')
    await fixture.clock.advance(1)
    expect((await fixture.get(task)).column).toBe('DONE')
    await runner.stop()
  })

  it('refuses two agents of one type', async () => {
    const agent = { type: 'bot', run: () => '' }
    const fixture = await agentsFixture({ agents: [agent, agent] })
    expect(() => fixture.newRunner()).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG' }))
  })

  it('reports the status of an agent again when the storage did not accept it', async () => {
    const fixture = await agentsFixture({ agents: [{ type: 'bot', run: (_, { sleep }) => sleep(1_000) }] })
    const runner = fixture.newRunner()
    runner.start()
    fixture.statusFaults.add('available')
    await fixture.add()
    await fixture.clock.advance({ seconds: 3 })
    const statuses = async () => (await fixture.eventsOf('agent.status')).map(({ data }) => data)
    expect(await statuses()).toMatchObject([{ status: 'busy' }])
    fixture.statusFaults.clear()
    await fixture.clock.advance({ seconds: 5 })
    expect(await statuses()).toMatchObject([{ status: 'busy' }, { status: 'available' }])
    await runner.stop()
    expect(fixture.clock.pending()).toEqual({ timers: [], works: [] })
  })

  it('reports when an agent is busy and when it is not, and not in between', async () => {
    const fixture = await agentsFixture({ agents: [{ type: 'bot', run: (_, { sleep }) => sleep(1_000) }] })
    for (let i = 0; i < 3; i++) await fixture.add()
    const runner = fixture.newRunner()
    runner.start()
    await fixture.clock.advance(10_000)
    await runner.stop()
    const statuses = (await fixture.eventsOf('agent.status')).map(({ data }) => data)
    const agentId = (
      await fixture.storage.agents.listAgents(
        { reach: null, workspaceId: fixture.workspaceId },
        { now: null },
      )
    )[0]?.id
    expect(statuses).toEqual([
      { agentId, status: 'busy' },
      { agentId, status: 'available' },
    ])
  })
})

describe('an attempt that fails', () => {
  it('is retried after a backoff, with the earlier attempts', async () => {
    const attempts: unknown[] = []
    const fixture = await agentsFixture({
      agents: [
        {
          type: 'bot',
          run(_, { claim }) {
            attempts.push([
              fixture.clock.now() - start,
              claim.attempt,
              claim.earlierAttempts.map(({ reason }) => reason),
            ])
            if (claim.attempt < 3) throw new Error(`no luck ${claim.attempt}`)
            return 'at last'
          },
        },
      ],
    })
    const start = fixture.clock.now()
    const task = await fixture.add()
    const runner = fixture.newRunner()
    runner.start()
    await fixture.clock.advance({ hours: 1 })
    await runner.stop()
    expect(attempts).toEqual([
      [0, 1, []],
      [10_000, 2, ['no luck 1']],
      [30_000, 3, ['no luck 1', 'no luck 2']],
    ])
    expect(await fixture.get(task)).toMatchObject({ column: 'DONE', result: 'at last' })
    expect(await fixture.eventsOf('task.failed')).toEqual([])
  })

  it('fails, however odd the thrown value', async () => {
    const { proxy: unreadable, revoke } = Proxy.revocable({}, {})
    revoke()
    for (const thrown of [unreadable, Object.assign(new Error('x'), { message: { code: 1 } }), undefined]) {
      const run = (): never => {
        throw thrown
      }
      const fixture = await agentsFixture({ agents: [{ type: 'bot', run }] })
      const task = await fixture.add({ maxAttempts: 1 })
      const runner = fixture.newRunner()
      runner.start()
      await fixture.clock.settle()
      expect(await fixture.get(task)).toMatchObject({ column: 'TODO', hold: { reason: 'failed' } })
      await runner.stop()
    }
  })

  it('puts the task on hold when attempts run out, with one task.failed', async () => {
    let runs = 0
    const fixture = await agentsFixture({
      agents: [
        {
          type: 'bot',
          run() {
            throw new Error(`boom ${++runs} ${'x'.repeat(9_000)}`)
          },
        },
      ],
    })
    const task = await fixture.add({ maxAttempts: 3 })
    const runner = fixture.newRunner()
    runner.start()
    await fixture.clock.advance({ days: 1 })
    await runner.stop()
    const held = await fixture.get(task)
    expect(runs).toBe(3)
    expect(held).toMatchObject({ column: 'TODO', hold: { reason: 'failed' } })
    expect(held.hold?.message).toHaveLength(2_000)
    expect(held.hold?.message).toMatch(/^boom 3 /)
    expect(await fixture.eventsOf('task.failed')).toHaveLength(1)
  })

  it.each<[string, Error]>([
    ['a TaskFailure', new TaskFailure('no such customer')],
    ['an error with retry: false', Object.assign(new Error('no such customer'), { retry: false })],
  ])('fails for good with %s', async (_, thrown) => {
    const fixture = await agentsFixture({ agents: [{ type: 'bot', run: () => Promise.reject(thrown) }] })
    const task = await fixture.add()
    const runner = fixture.newRunner()
    runner.start()
    await fixture.clock.advance({ days: 1 })
    await runner.stop()
    expect(await fixture.get(task)).toMatchObject({
      attempts: 1,
      hold: { reason: 'failed', message: 'no such customer' },
    })
    expect(await fixture.eventsOf('task.failed')).toHaveLength(1)
  })
})

describe('a dependency', () => {
  it('passes its result to the task that waited for it', async () => {
    const seen: TaskContext['claim'][] = []
    const fixture = await agentsFixture({
      agents: [
        {
          type: 'bot',
          run(task, { claim }) {
            seen.push(claim)
            return `result of ${task.title}`
          },
        },
      ],
    })
    const first = await fixture.add({ title: 'first' })
    await fixture.add({ title: 'second', priority: 'urgent', dependsOn: [first.id] })
    const runner = fixture.newRunner()
    runner.start()
    await fixture.clock.settle()
    await runner.stop()
    expect(seen.map(({ dependencies }) => dependencies)).toEqual([
      [],
      [{ id: first.id, title: 'first', result: 'result of first' }],
    ])
    expect(fixture.faults.countCalls('getTask')).toBe(1)
  })
})

describe('a storage that fails', () => {
  it('is retried with the outcome of a run, and no task runs twice', async () => {
    let runs = 0
    const fixture = await agentsFixture({ agents: [{ type: 'bot', run: () => `run ${++runs}` }] })
    const task = await fixture.add()
    fixture.faults.breakVerb('completeTask', { left: 3 })
    const runner = fixture.newRunner()
    runner.start()
    await fixture.clock.advance({ minutes: 5 })
    expect(await fixture.get(task)).toMatchObject({ column: 'DONE', result: 'run 1', attempts: 1 })
    await runner.stop()
    expect(runs).toBe(1)
  })

  it('leaves the task to its lease when it stays down, and another run works it', async () => {
    let runs = 0
    const fixture = await agentsFixture({ agents: [{ type: 'bot', run: () => `run ${++runs}` }] })
    const task = await fixture.add()
    fixture.faults.breakVerb('completeTask')
    fixture.faults.breakVerb('renew')
    const runner = fixture.newRunner()
    const sweep = fixture.newSweep()
    runner.start()
    sweep.start()
    await fixture.clock.advance(59_999)
    fixture.faults.repair()
    await fixture.clock.advance({ minutes: 5 })
    expect(await fixture.get(task)).toMatchObject({ column: 'DONE', result: 'run 2', attempts: 2 })
    expect(fixture.messages).toContain(
      'stopped retrying the storage; the task returns when its lease expires',
    )
    await Promise.all([runner.stop(), sweep.stop()])
  })

  it('that fails after it has stored a completion keeps it once, and the next task is worked', async () => {
    let runs = 0
    const fixture = await agentsFixture({ agents: [{ type: 'bot', run: () => `run ${++runs}` }] })
    const task = await fixture.add({ priority: 'urgent' })
    for (let count = 0; count < 2; count++) await fixture.add()
    fixture.faults.breakVerb('completeTask', { left: 1, when: 'after' })
    const runner = fixture.newRunner()
    runner.start()
    await fixture.clock.advance({ minutes: 5 })
    await runner.stop()
    expect(await fixture.get(task)).toMatchObject({ column: 'DONE', result: 'run 1' })
    const completed = await fixture.eventsOf('task.completed')
    expect(completed.filter(({ data }) => 'taskId' in data && data.taskId === task.id)).toHaveLength(1)
    expect(fixture.messages).not.toContain('discarded a write of a run that has lost its task')
    expect(runs).toBe(2)
  })

  it('delays a run that needs the earlier attempts', async () => {
    const fixture = await agentsFixture({
      agents: [{ type: 'bot', run: (_, { claim }) => `${claim.dependencies.length}` }],
    })
    const first = await fixture.add()
    const second = await fixture.add({ dependsOn: [first.id] })
    fixture.faults.breakVerb('getTask', { left: 2, error: new Error('socket hang up') })
    const runner = fixture.newRunner()
    runner.start()
    await fixture.clock.advance({ minutes: 1 })
    await runner.stop()
    expect(await fixture.get(second)).toMatchObject({ column: 'DONE', result: '1', attempts: 1 })
  })

  it('is not retried after a refusal', async () => {
    const fixture = await agentsFixture({ agents: [{ type: 'bot', run: () => 'refused' }] })
    const task = await fixture.add()
    fixture.faults.breakVerb('completeTask', { error: new TaskboardError('INVALID_FIELD', 'not like this') })
    const runner = fixture.newRunner()
    runner.start()
    await fixture.clock.advance({ seconds: 30 })
    expect(fixture.faults.countCalls('completeTask')).toBe(1)
    expect((await fixture.get(task)).column).toBe('DOING')
    await runner.stop()
  })

  it('does not end the claiming of tasks', async () => {
    const fixture = await agentsFixture({ agents: [{ type: 'bot', run: () => 'ok' }] })
    const task = await fixture.add()
    fixture.faults.breakVerb('claimTasks', { left: 3 })
    const runner = fixture.newRunner()
    runner.start()
    await fixture.clock.advance({ seconds: 10 })
    await runner.stop()
    expect((await fixture.get(task)).column).toBe('DONE')
  })
})

describe('gates', () => {
  it('hold a run until the test opens them, while time passes', async () => {
    const gate = newGate<string>()
    const fixture = await agentsFixture({ agents: [{ type: 'bot', run: () => gate.promise }] })
    const task = await fixture.add()
    const runner = fixture.newRunner()
    const sweep = fixture.newSweep()
    runner.start()
    sweep.start()
    await fixture.clock.advance({ hours: 8 })
    expect(await fixture.get(task)).toMatchObject({ column: 'DOING', attempts: 1 })
    gate.open('after a long day')
    await fixture.clock.settle()
    expect(await fixture.get(task)).toMatchObject({ column: 'DONE', result: 'after a long day', attempts: 1 })
    await Promise.all([runner.stop(), sweep.stop()])
    expect(fixture.clock.pending()).toEqual({ timers: [], works: [] })
  })
})
