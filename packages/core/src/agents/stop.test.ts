import { countTasks } from '@taskboard/testing'
import { describe, expect, it } from 'vitest'
import { agentsWorld, newGate } from '../../test/agents-world.js'

describe('stop', () => {
  it('lets runs end within the drain time', async () => {
    const world = await agentsWorld({ agents: [{ type: 'bot', run: (_, { sleep }) => sleep(5_000) }] })
    const [task, other] = [await world.add(), await world.add()]
    const runner = world.newRunner()
    runner.start()
    await world.clock.settle()
    const stopped = runner.stop({ drainTimeoutMs: 10_000 })
    await world.clock.advance(6_000)
    await stopped
    expect((await world.get(task)).column).toBe('DONE')
    expect((await world.get(other)).column).toBe('TODO')
    expect(world.clock.pending()).toEqual({ timers: [], works: [] })
  })

  it('then aborts them: a result still counts, an error hands the task back', async () => {
    const world = await agentsWorld({
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
    const good = await world.add({ title: 'ends well' })
    const bad = await world.add({ title: 'ends badly' })
    const runner = world.newRunner()
    runner.start()
    await world.clock.settle()
    await runner.stop({ drainTimeoutMs: 0 })
    expect(await world.get(good)).toMatchObject({ column: 'DONE', result: 'half of it' })
    expect(await world.get(bad)).toMatchObject({ column: 'TODO', hold: null, attempts: 0, notBefore: null })
    expect(await world.eventsOf('task.failed')).toEqual([])
  })

  it('hands back tasks of runs that do not end, and refuses their later writes', async () => {
    const gate = newGate()
    const late: unknown[] = []
    const world = await agentsWorld({
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
    const task = await world.add()
    const runner = world.newRunner()
    runner.start()
    await world.clock.settle()
    await runner.stop({ drainTimeoutMs: 0, graceMs: 10 })
    expect(runner.inFlight).toBe(0)
    const handedBack = await world.get(task)
    expect(handedBack).toMatchObject({ column: 'TODO', lease: null, attempts: 0 })
    gate.open()
    await world.clock.settle()
    expect(late).toEqual([expect.objectContaining({ code: 'CONFLICT' })])
    expect(await world.get(task)).toEqual(handedBack)
  })

  it('ends although the storage is down', async () => {
    const world = await agentsWorld({
      agents: [
        { type: 'bot', run: (task) => (task.title === 'done' ? 'x' : newGate().promise), concurrency: 2 },
      ],
    })
    await world.add({ title: 'done' })
    await world.add({ title: 'stuck' })
    for (const verb of ['completeTask', 'hand_back', 'renew'] as const) world.faults.breakVerb(verb)
    const runner = world.newRunner()
    runner.start()
    await world.clock.settle()
    await runner.stop({ drainTimeoutMs: 0, graceMs: 10 })
    expect(world.messages).toContain('a task could not be handed back; it returns when its lease ends')
    expect(world.clock.pending().timers).toEqual([])
  })

  it('with ten thousand runs in progress hands all tasks back and leaves no timer', async () => {
    const runs = 10_000
    let begun = 0
    const world = await agentsWorld({
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
    for (let i = 0; i < runs; i++) await world.add()
    const runner = world.newRunner()
    runner.start()
    await world.clock.settle()
    expect(begun).toBe(runs)
    expect(world.clock.pending().timers.length).toBeLessThan(5)
    await world.clock.advance({ minutes: 1 })
    expect(world.faults.countCalls('renew')).toBe(3 * runs)
    await runner.stop({ drainTimeoutMs: 0, graceMs: 1 })
    expect(runner.inFlight).toBe(0)
    expect(world.clock.pending().timers).toEqual([])
    expect(await countTasks(world.storage, world.workspaceId, { now: null })).toMatchObject({
      TODO: runs,
      DOING: 0,
    })
  })

  it('hands back the tasks of a claim in progress, and starts none of them', async () => {
    let runs = 0
    const world = await agentsWorld({ agents: [{ type: 'bot', run: () => `${++runs}` }] })
    const task = await world.add()
    const runner = world.newRunner()
    runner.start()
    await runner.stop()
    expect(runs).toBe(0)
    expect(world.faults.countCalls('claimTasks')).toBe(1)
    expect(await world.get(task)).toMatchObject({ column: 'TODO', attempts: 0 })
    expect((await world.background(task)).attempts).toEqual([
      expect.objectContaining({ outcome: 'handed_back' }),
    ])
  })

  it('ends on a clock that stands still', async () => {
    const world = await agentsWorld({ agents: [{ type: 'bot', run: (_, { sleep }) => sleep(1e9) }] })
    const task = await world.add()
    const runner = world.newRunner()
    runner.start()
    await world.clock.settle()
    await runner.stop({ drainTimeoutMs: 20 })
    expect(await world.get(task)).toMatchObject({ column: 'TODO', attempts: 0 })
    expect(world.clock.pending()).toEqual({ timers: [], works: [] })
  })

  it('does nothing on a runner that never started', async () => {
    const world = await agentsWorld({ agents: [{ type: 'bot', run: () => 'ok' }] })
    await world.add()
    await world.newRunner().stop()
    await world.newSweep().stop()
    expect(await world.eventTypes()).toEqual(['task.created'])
  })

  it('reports that agents are available again, and survives a storage error', async () => {
    const world = await agentsWorld({ agents: [{ type: 'bot', run: (_, { sleep }) => sleep(1e9) }] })
    await world.add()
    const runner = world.newRunner()
    runner.start()
    await world.clock.settle()
    world.statusFaults.add('available')
    await runner.stop({ drainTimeoutMs: 0 })
    expect(world.messages).toContain('the status of an agent could not be reported')
    expect((await world.eventsOf('agent.status')).map(({ data }) => data)).toEqual([
      expect.objectContaining({ status: 'busy' }),
    ])
  })
})
