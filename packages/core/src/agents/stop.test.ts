import { countTasks } from '@taskboard/testing'
import { describe, expect, it } from 'vitest'
import { agentsFixture, newGate } from '../../test/agents-fixture.js'

describe('stop', () => {
  it('lets runs end within the drain time', async () => {
    const fixture = await agentsFixture({ agents: [{ type: 'bot', run: (_, { sleep }) => sleep(5_000) }] })
    const [task, other] = [await fixture.add(), await fixture.add()]
    const runner = fixture.newRunner()
    runner.start()
    await fixture.clock.settle()
    const stopped = runner.stop({ drainTimeoutMs: 10_000 })
    await fixture.clock.advance(6_000)
    await stopped
    expect((await fixture.get(task)).column).toBe('DONE')
    expect((await fixture.get(other)).column).toBe('TODO')
    expect(fixture.clock.pending()).toEqual({ timers: [], works: [] })
  })

  it('then aborts them: a result still counts, an error returns the claim', async () => {
    const fixture = await agentsFixture({
      agents: [
        {
          type: 'bot',
          concurrency: 2,
          async run(task, { sleep }) {
            if (task.title === 'ends well') return sleep(1e9).catch(() => 'half of it')
            return sleep(1e9)
          },
        },
      ],
    })
    const good = await fixture.add({ title: 'ends well' })
    const bad = await fixture.add({ title: 'ends badly' })
    const runner = fixture.newRunner()
    runner.start()
    await fixture.clock.settle()
    await runner.stop({ drainTimeoutMs: 0 })
    expect(await fixture.get(good)).toMatchObject({ column: 'DONE', result: 'half of it' })
    expect(await fixture.get(bad)).toMatchObject({ column: 'TODO', hold: null, attempts: 0, notBefore: null })
    expect(await fixture.eventsOf('task.failed')).toEqual([])
  })

  it('returns the claims of runs that do not end, and refuses their later writes', async () => {
    const gate = newGate()
    const late: unknown[] = []
    const fixture = await agentsFixture({
      agents: [
        {
          type: 'bot',
          async run(_, { log }) {
            await gate.promise
            await log('still here').catch((error: unknown) => late.push(error))
            return 'too late'
          },
        },
      ],
    })
    const task = await fixture.add()
    const runner = fixture.newRunner()
    runner.start()
    await fixture.clock.settle()
    await runner.stop({ drainTimeoutMs: 0, graceMs: 10 })
    expect(runner.inFlight).toBe(0)
    const returned = await fixture.get(task)
    expect(returned).toMatchObject({ column: 'TODO', lease: null, attempts: 0 })
    gate.open()
    await fixture.clock.settle()
    expect(late).toEqual([expect.objectContaining({ code: 'CONFLICT' })])
    expect(await fixture.get(task)).toEqual(returned)
  })

  it('ends although the storage is down', async () => {
    const fixture = await agentsFixture({
      agents: [
        { type: 'bot', run: (task) => (task.title === 'done' ? 'x' : newGate().promise), concurrency: 2 },
      ],
    })
    await fixture.add({ title: 'done' })
    await fixture.add({ title: 'stuck' })
    for (const verb of ['completeTask', 'return_claim', 'renew'] as const) fixture.faults.breakVerb(verb)
    const runner = fixture.newRunner()
    runner.start()
    await fixture.clock.settle()
    await runner.stop({ drainTimeoutMs: 0, graceMs: 10 })
    expect(fixture.messages).toContain(
      'a claim could not be returned; its task is ready when the lease expires',
    )
    expect(fixture.clock.pending().timers).toEqual([])
  })

  it('with ten thousand runs in progress returns all claims and leaves no timer', async () => {
    const runs = 10_000
    let begun = 0
    const fixture = await agentsFixture({
      agents: [
        {
          type: 'bot',
          concurrency: runs,
          run() {
            begun += 1
            return new Promise(() => undefined)
          },
        },
      ],
    })
    for (let i = 0; i < runs; i++) await fixture.add()
    const runner = fixture.newRunner()
    runner.start()
    await fixture.clock.settle()
    expect(begun).toBe(runs)
    expect(fixture.clock.pending().timers.length).toBeLessThan(5)
    await fixture.clock.advance({ minutes: 1 })
    expect(fixture.faults.countCalls('renew')).toBe(3 * runs)
    await runner.stop({ drainTimeoutMs: 0, graceMs: 1 })
    expect(runner.inFlight).toBe(0)
    expect(fixture.clock.pending().timers).toEqual([])
    expect(await countTasks(fixture.storage, fixture.workspaceId, { now: null })).toMatchObject({
      TODO: runs,
      DOING: 0,
    })
  })

  it('returns the tasks of a claim in progress, and starts none of them', async () => {
    let runs = 0
    const fixture = await agentsFixture({ agents: [{ type: 'bot', run: () => `${++runs}` }] })
    const task = await fixture.add()
    const runner = fixture.newRunner()
    runner.start()
    await runner.stop()
    expect(runs).toBe(0)
    expect(fixture.faults.countCalls('claimTasks')).toBe(1)
    expect(await fixture.get(task)).toMatchObject({ column: 'TODO', attempts: 0 })
    expect((await fixture.background(task)).attempts).toEqual([
      expect.objectContaining({ outcome: 'returned' }),
    ])
  })

  it('ends on a clock that stands still', async () => {
    const fixture = await agentsFixture({ agents: [{ type: 'bot', run: (_, { sleep }) => sleep(1e9) }] })
    const task = await fixture.add()
    const runner = fixture.newRunner()
    runner.start()
    await fixture.clock.settle()
    await runner.stop({ drainTimeoutMs: 20 })
    expect(await fixture.get(task)).toMatchObject({ column: 'TODO', attempts: 0 })
    expect(fixture.clock.pending()).toEqual({ timers: [], works: [] })
  })

  it('does nothing on a runner that never started', async () => {
    const fixture = await agentsFixture({ agents: [{ type: 'bot', run: () => 'ok' }] })
    await fixture.add()
    await fixture.newRunner().stop()
    await fixture.newSweep().stop()
    expect(await fixture.eventTypes()).toEqual(['task.created'])
  })

  it('reports that agents are available again, and survives a storage error', async () => {
    const fixture = await agentsFixture({ agents: [{ type: 'bot', run: (_, { sleep }) => sleep(1e9) }] })
    await fixture.add()
    const runner = fixture.newRunner()
    runner.start()
    await fixture.clock.settle()
    fixture.statusFaults.add('available')
    await runner.stop({ drainTimeoutMs: 0 })
    expect(fixture.messages).toContain('the status of an agent could not be reported')
    expect((await fixture.eventsOf('agent.status')).map(({ data }) => data)).toEqual([
      expect.objectContaining({ status: 'busy' }),
    ])
  })
})
