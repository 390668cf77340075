import { describe, expect, it } from 'vitest'
import { agentsFixture, newGate } from '../../test/agents-fixture.js'
import type { TaskContext } from './index.js'

const PERSON = { kind: 'user', id: 'user_1' } as const

describe('a lease', () => {
  it('is renewed three times in its length during the whole run', async () => {
    const fixture = await agentsFixture({
      agents: [{ type: 'bot', run: (_, { sleep }) => sleep(6 * 3_600_000) }],
    })
    const task = await fixture.add()
    const runner = fixture.newRunner()
    const sweep = fixture.newSweep()
    runner.start()
    sweep.start()
    await fixture.clock.advance({ hours: 5 })
    expect(await fixture.get(task)).toMatchObject({ column: 'DOING', attempts: 1 })
    expect(fixture.faults.countCalls('renew')).toBe(5 * 60 * 3)
    await fixture.clock.advance({ hours: 1 })
    expect(await fixture.get(task)).toMatchObject({ column: 'DONE', attempts: 1 })
    await Promise.all([runner.stop(), sweep.stop()])
  })

  it('that ends because the process crashed returns the task, and another process works it', async () => {
    const fixture = await agentsFixture({ agents: [{ type: 'bot', run: () => 'the second did it' }] })
    const task = await fixture.add()
    await fixture.storage.tasks.claimTasks(
      { target: { agentType: 'bot', leaseMs: 60_000 }, limit: 1 },
      { now: fixture.clock.now() },
    )
    const runner = fixture.newRunner()
    const sweep = fixture.newSweep()
    runner.start()
    sweep.start()
    await fixture.clock.advance(69_999)
    expect(await fixture.get(task)).toMatchObject({ column: 'TODO', lease: null })
    await fixture.clock.advance(1)
    expect(await fixture.get(task)).toMatchObject({
      column: 'DONE',
      result: 'the second did it',
      attempts: 2,
    })
    expect(await fixture.eventsOf('task.failed')).toEqual([])
    await Promise.all([runner.stop(), sweep.stop()])
  })

  it('that ends in every attempt puts the task on hold once attempts run out, with one task.failed', async () => {
    const fixture = await agentsFixture({ agents: [{ type: 'bot', run: () => 'never' }] })
    const task = await fixture.add({ maxAttempts: 3 })
    const sweep = fixture.newSweep()
    sweep.start()
    for (let attempt = 1; attempt <= 3; attempt++) {
      const claim = await fixture.storage.tasks.claimTasks(
        { target: { agentType: 'bot', leaseMs: 60_000 }, limit: 1 },
        {
          now: fixture.clock.now(),
        },
      )
      expect(claim.tasks.map(({ attempts }) => attempts)).toEqual([attempt])
      await fixture.clock.advance({ minutes: 30 })
    }
    await sweep.stop()
    expect(await fixture.get(task)).toMatchObject({ column: 'TODO', hold: { reason: 'failed' } })
    expect(await fixture.eventsOf('task.failed')).toHaveLength(1)
    const { attempts } = await fixture.background(task)
    expect(attempts.map(({ outcome }) => outcome)).toEqual(['expired', 'expired', 'expired'])
  })

  it('lost while the process was paused: the late completion is refused and changes nothing', async () => {
    const gate = newGate<string>()
    let contexts: TaskContext[] = []
    const fixture = await agentsFixture({
      agents: [
        {
          type: 'bot',
          run(_, context) {
            contexts.push(context)
            return context.claim.attempt === 1 ? gate.promise : 'the second result'
          },
        },
      ],
    })
    const task = await fixture.add()
    const paused = fixture.newRunner()
    paused.start()
    await fixture.clock.settle()
    // A paused process sends no heartbeat; here the storage rejects them.
    fixture.faults.breakVerb('renew')
    const sweep = fixture.newSweep()
    sweep.start()
    await fixture.clock.advance({ minutes: 1 })
    fixture.faults.repair()
    const other = fixture.newRunner()
    other.start()
    await fixture.clock.advance({ minutes: 1 })
    const done = await fixture.get(task)
    expect(done).toMatchObject({ column: 'DONE', result: 'the second result' })

    gate.open('too late')
    await fixture.clock.settle()
    const proof = { workspaceId: task.workspaceId, taskId: task.id, fencingToken: 1 }
    const late = fixture.storage.tasks.completeTask(
      { proof, result: 'too late', next: null },
      { now: fixture.clock.now() },
    )
    await expect(late).rejects.toMatchObject({ code: 'CONFLICT' })
    await expect(contexts[0]?.progress(50)).rejects.toMatchObject({ code: 'CONFLICT' })
    expect(contexts[0]?.signal.aborted).toBe(true)
    expect(await fixture.get(task)).toEqual(done)
    expect(await fixture.eventsOf('task.completed')).toHaveLength(1)
    await Promise.all([paused.stop(), other.stop(), sweep.stop()])
    contexts = []
  })

  it('revoked by a person aborts the run at once, and discards the result', async () => {
    const reasons: unknown[] = []
    const fixture = await agentsFixture({
      agents: [
        {
          type: 'bot',
          async run(_, { sleep, signal }) {
            await sleep(3_600_000).catch(() => reasons.push([fixture.clock.now() - start, signal.reason]))
            return 'dropped'
          },
        },
      ],
    })
    const start = fixture.clock.now()
    const task = await fixture.add()
    const runner = fixture.newRunner()
    runner.start()
    await fixture.clock.advance(25_000)
    await fixture.storage.tasks.changeTask(
      {
        target: { workspaceId: task.workspaceId, taskId: task.id },
        command: { kind: 'move', to: 'DONE', actor: PERSON },
      },
      { now: fixture.clock.now() },
    )
    await fixture.clock.advance({ hours: 2 })
    expect(reasons).toEqual([[25_000, expect.objectContaining({ code: 'CONFLICT' })]])
    expect(await fixture.get(task)).toMatchObject({ column: 'DONE', result: null })
    await runner.stop()
  })

  it('is also renewed by writes, which delay the heartbeat', async () => {
    const fixture = await agentsFixture({
      agents: [
        {
          type: 'bot',
          async run(_, { sleep, progress }) {
            for (let percent = 10; percent <= 100; percent += 10) {
              await sleep(15_000)
              await progress(percent)
            }
          },
        },
      ],
    })
    const task = await fixture.add()
    const runner = fixture.newRunner()
    runner.start()
    await fixture.clock.advance({ minutes: 5 })
    await runner.stop()
    expect((await fixture.get(task)).column).toBe('DONE')
    expect(fixture.faults.countCalls('renew')).toBe(0)
    expect(await fixture.eventsOf('task.progress')).toHaveLength(10)
  })

  it('survives a storage that is down for less than its length', async () => {
    const fixture = await agentsFixture({ agents: [{ type: 'bot', run: (_, { sleep }) => sleep(300_000) }] })
    const task = await fixture.add()
    const runner = fixture.newRunner()
    const sweep = fixture.newSweep()
    runner.start()
    sweep.start()
    await fixture.clock.advance(15_000)
    fixture.faults.breakVerb('renew')
    await fixture.clock.advance(40_000)
    fixture.faults.repair()
    await fixture.clock.advance({ minutes: 10 })
    expect(await fixture.get(task)).toMatchObject({ column: 'DONE', attempts: 1 })
    await Promise.all([runner.stop(), sweep.stop()])
  })

  it('ends for the run too when the storage stays down, because nobody renewed it', async () => {
    const lostAfterMs: number[] = []
    const fixture = await agentsFixture({
      agents: [
        {
          type: 'bot',
          run: (_, { sleep }) => sleep(3_600_000).catch(() => lostAfterMs.push(fixture.clock.now() - start)),
        },
      ],
    })
    const start = fixture.clock.now()
    await fixture.add()
    const runner = fixture.newRunner()
    runner.start()
    fixture.faults.breakVerb('renew')
    await fixture.clock.advance({ minutes: 10 })
    await runner.stop()
    expect(lostAfterMs).toHaveLength(1)
    expect(lostAfterMs[0]).toBeGreaterThanOrEqual(60_000)
    expect(lostAfterMs[0]).toBeLessThan(65_000)
  })
})
