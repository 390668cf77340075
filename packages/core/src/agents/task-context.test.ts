import { describe, expect, it } from 'vitest'
import { agentsFixture, newGate } from '../../test/agents-fixture.js'
import type { TaskContext } from './index.js'

/** Runs one task with `work` as its agent, and returns the fixture once that has settled. */
async function runOnce(work: (context: TaskContext) => unknown) {
  const fixture = await agentsFixture({ agents: [{ type: 'bot', run: (_, context) => work(context) }] })
  const task = await fixture.add({ title: 'the task', maxAttempts: 1 })
  const runner = fixture.newRunner()
  runner.start()
  await fixture.clock.advance({ seconds: 30 })
  await runner.stop()
  const at = { now: fixture.clock.now() }
  return {
    ...fixture,
    task: await fixture.get(task),
    logs: (
      await fixture.storage.tasks.getTask({ within: task.workspaceId, taskId: task.id, parts: ['logs'] }, at)
    ).logs.map(({ level, message }) => [level, message]),
    outputs: (
      await fixture.storage.tasks.getTask(
        { within: task.workspaceId, taskId: task.id, parts: ['outputs'] },
        at,
      )
    ).outputs,
  }
}

describe('a run', () => {
  it('writes progress, log and outputs in the order of the calls, awaited or not, before its end', async () => {
    const { task, logs, outputs, eventsOf } = await runOnce(({ progress, log, output }) => {
      void log('one')
      void progress(33.4)
      void log('two', 'warn')
      void output({ type: 'file', name: 'report', url: 'https://example.com/r.pdf', size: 12 })
      void output({ type: 'link', name: 'page', url: 's3://bucket/key' })
      void log('three', 'error')
      return 'ok'
    })
    expect(task).toMatchObject({ column: 'DONE', result: 'ok' })
    expect(logs).toEqual([
      ['info', 'one'],
      ['warn', 'two'],
      ['error', 'three'],
    ])
    expect(outputs).toEqual([
      { type: 'file', name: 'report', url: 'https://example.com/r.pdf', size: 12 },
      { type: 'link', name: 'page', url: 's3://bucket/key', size: null },
    ])
    expect((await eventsOf('task.progress')).map(({ data }) => data)).toEqual([
      { taskId: task.id, progress: 33 },
    ])
  })

  it.each<[string, (context: TaskContext) => Promise<void>]>([
    ['percent', ({ progress }) => progress(101)],
    ['percent', ({ progress }) => progress(Number.NaN)],
    ['message', ({ log }) => log(7 as unknown as string)],
    ['level', ({ log }) => log('x', 'loud' as 'info')],
    ['url', ({ output }) => output({ type: 'link', name: 'x', url: 'javascript:alert(1)' })],
    ['url', ({ output }) => output({ type: 'link', name: 'x', url: '/relative' })],
    ['size', ({ output }) => output({ type: 'link', name: 'x', url: 'https://example.com', size: -1 })],
    ['name', ({ output }) => output({ type: 'link', name: '', url: 'https://example.com' })],
    ['data', ({ alert }) => alert('x', { when: new Date(0) })],
    ['reason', ({ hold }) => hold('bored' as 'approval')],
  ])('gets an error for a wrong %s, and can continue', async (field, write) => {
    const refusals: unknown[] = []
    const { task } = await runOnce(async (context) => {
      await write(context).catch((error: unknown) => refusals.push(error))
      await context.log('continues')
      return 'ok'
    })
    expect(refusals).toEqual([expect.objectContaining({ code: 'INVALID_FIELD', field })])
    expect(task).toMatchObject({ column: 'DONE', result: 'ok' })
  })

  it('that is taken away leaves no unhandled rejection of a sleep that nobody awaits', async () => {
    const unhandled: unknown[] = []
    const note = (error: unknown) => void unhandled.push(error)
    process.on('unhandledRejection', note)
    const rejected: unknown[] = []
    await runOnce(async ({ sleep, board, signal }) => {
      void sleep(3_600_000)
      await board.move((await board.list('DOING')).tasks[0]?.id ?? '', 'DONE')
      await sleep(3_600_000).catch((error: unknown) => rejected.push(error === signal.reason))
    })
    await new Promise((resolve) => setImmediate(resolve))
    process.off('unhandledRejection', note)
    expect(rejected).toEqual([true])
    expect(unhandled).toEqual([])
  })

  it('changes the board as its agent', async () => {
    const { task, storage, workspaceId, get } = await runOnce(async ({ board, claim }) => {
      const added = await board.add({ title: 'a part of it' })
      await board.move(added.id, 'DONE')
      expect(await board.get(added.id)).toMatchObject({ workspaceId: board.workspaceId, column: 'DONE' })
      return claim.agentId
    })
    const actor = { kind: 'agent', id: task.result }
    const events = await storage.events.readEvents({ workspaceId, afterSeq: 0, limit: 100 }, { now: null })
    const made = events.flatMap(({ type, data }) => ('actor' in data ? [[type, data.actor]] : []))
    expect(made).toEqual([
      ['task.created', { kind: 'host', id: null }],
      ['task.created', actor],
      ['task.moved', actor],
    ])
    expect((await get(task)).column).toBe('DONE')
  })

  it('is not affected by a refused write that it does not await', async () => {
    const { task, messages } = await runOnce(({ progress }) => {
      void progress(-1)
      return 'ok'
    })
    expect(task.column).toBe('DONE')
    expect(messages).toContain('the storage rejected a write of an agent')
  })

  it('gets CONFLICT beyond the outputs that a task may have, and keeps its task', async () => {
    const codes: unknown[] = []
    const { task, outputs } = await runOnce(async ({ output, signal }) => {
      for (let i = 0; i < 3; i++) {
        await output({ type: 'link', name: `${i}`, url: 'https://example.com' }).catch(({ code }) =>
          codes.push(code),
        )
      }
      return `${signal.aborted}`
    })
    expect(codes).toEqual(['CONFLICT'])
    expect(outputs).toHaveLength(2)
    expect(task).toMatchObject({ column: 'DONE', result: 'false' })
  })

  it('ends although its code keeps writing, and refuses those writes', async () => {
    const codes: unknown[] = []
    const { task } = await runOnce(({ log }) => {
      void (async () => {
        for (let line = 0; line < 20_000; line++) await log(`line ${line}`)
      })().catch(({ code }) => codes.push(code))
      return 'ok'
    })
    expect(task).toMatchObject({ column: 'DONE', result: 'ok' })
    expect(codes).toEqual(['CONFLICT'])
  })

  it('raises alerts', async () => {
    const { task, eventsOf } = await runOnce(({ alert }) =>
      alert('look here', { sum: 3, nested: { ok: true } }),
    )
    const [alert] = await eventsOf('agent.alert')
    const agentId = expect.stringMatching(/^agent_/)
    expect(alert?.data).toEqual({
      message: 'look here',
      agentId,
      taskId: task.id,
      data: { sum: 3, nested: { ok: true } },
    })
  })

  it('cuts off messages that are too long', async () => {
    const { logs, eventsOf } = await runOnce(async ({ log, alert }) => {
      await log('x'.repeat(50_000))
      await alert('y'.repeat(50_000))
    })
    expect(logs[0]?.[1]).toHaveLength(10_000)
    expect((await eventsOf('agent.alert'))[0]?.data).toMatchObject({ message: 'y'.repeat(2_000) })
  })

  it('puts its task on hold, which ends it: what it returns or throws is ignored', async () => {
    for (const after of [() => 'ignored', () => Promise.reject(new Error('ignored'))]) {
      const seen: unknown[] = []
      const { task, eventsOf } = await runOnce(async ({ hold, log, signal }) => {
        await hold('needs_input', 'which colour?')
        seen.push(signal.aborted)
        await log('too late').catch(({ code }) => seen.push(code))
        return after()
      })
      expect(seen).toEqual([true, 'CONFLICT'])
      expect(task).toMatchObject({
        column: 'TODO',
        result: null,
        hold: { reason: 'needs_input', message: 'which colour?' },
      })
      const failures = await eventsOf('task.failed')
      expect(failures.map(({ data }) => data)).toEqual([expect.objectContaining({ reason: 'needs_input' })])
    }
  })

  it('that has put its task on hold sends no heartbeat, even if its code runs on', async () => {
    const gate = newGate()
    const fixture = await agentsFixture({
      agents: [
        {
          type: 'bot',
          async run(_, { hold }) {
            await hold('approval')
            await gate.promise
          },
        },
      ],
    })
    await fixture.add()
    const runner = fixture.newRunner()
    runner.start()
    await fixture.clock.advance({ hours: 1 })
    expect(fixture.faults.countCalls('renew')).toBe(0)
    expect(runner.inFlight).toBe(1)
    gate.open()
    await fixture.clock.settle()
    expect(runner.inFlight).toBe(0)
    await runner.stop()
  })

  it.each<[string, (context: TaskContext) => Promise<void>]>([
    ['progress', ({ progress }) => progress(50)],
    ['log', ({ log }) => log('late')],
    ['output', ({ output }) => output({ type: 'link', name: 'late', url: 'https://example.com' })],
    ['alert', ({ alert }) => alert('late')],
    ['hold', ({ hold }) => hold('approval')],
  ])('learns from a refused %s that its task was taken, and writes nothing more', async (_, write) => {
    const gate = newGate()
    const refusals: unknown[] = []
    const fixture = await agentsFixture({
      agents: [
        {
          type: 'bot',
          async run(_task, context) {
            await gate.promise
            await write(context).catch(({ code }) => refusals.push(code, context.signal.aborted))
            return 'dropped'
          },
        },
      ],
    })
    const task = await fixture.add()
    const runner = fixture.newRunner()
    runner.start()
    await fixture.clock.settle()
    const person = { kind: 'user', id: null } as const
    await fixture.storage.tasks.changeTask(
      {
        target: { workspaceId: task.workspaceId, taskId: task.id },
        command: { kind: 'move', to: 'DOING', actor: person },
      },
      { now: fixture.clock.now() },
    )
    await fixture.storage.tasks.changeTask(
      {
        target: { workspaceId: task.workspaceId, taskId: task.id },
        command: { kind: 'move', to: 'DONE', actor: person },
      },
      { now: fixture.clock.now() },
    )
    const moved = await fixture.get(task)
    const events = await fixture.eventTypes()
    gate.open()
    await fixture.clock.settle()
    expect(refusals).toEqual(['CONFLICT', true])
    expect(await fixture.get(task)).toEqual(moved)
    expect((await fixture.eventTypes()).filter((type) => type !== 'agent.status')).toEqual(
      events.filter((type) => type !== 'agent.status'),
    )
    await runner.stop()
  })
})
