import { countTasks } from '@taskboard/testing'
import { describe, expect, it } from 'vitest'
import { agentsWorld } from '../../test/agents-world.js'

const LEASES = 450

describe('the lease sweep', () => {
  it.each([
    ['a storage that reports every change', null],
    ['a storage that is polled', 1_000],
  ])('ends all leases that have run out, batch by batch, on %s', async (_, pollIntervalMs) => {
    const world = await agentsWorld({ agents: [{ type: 'bot', run: () => '' }] })
    const sweep = world.newSweep(pollIntervalMs)
    sweep.start()
    await world.clock.settle()
    for (let i = 0; i < LEASES; i++) await world.add()
    const claim = { agentType: 'bot', leaseMs: 60_000 }
    const { tasks } = await world.storage.tasks.claimTasks(
      { target: claim, limit: LEASES },
      { now: world.clock.now() },
    )
    expect(tasks).toHaveLength(LEASES)
    await world.clock.advance(59_999)
    const counts = () => countTasks(world.storage, world.workspaceId, { now: world.clock.now() })
    expect(await counts()).toMatchObject({ TODO: 0, DOING: LEASES })
    await world.clock.advance(1)
    expect(await counts()).toMatchObject({ TODO: LEASES, DOING: 0 })
    expect(world.messages.filter((message) => message === 'leases expired')).toHaveLength(3)
    await sweep.stop()
    expect(world.clock.pending()).toEqual({ timers: [], works: [] })
  })

  it('asks a polled storage once a second, not after each commit', async () => {
    const world = await agentsWorld({ agents: [{ type: 'bot', run: () => '' }] })
    const sweep = world.newSweep(1_000)
    sweep.start()
    await world.clock.settle()
    for (let i = 0; i < 20; i++) await world.add()
    await world.clock.advance(10_000)
    expect(world.faults.countCalls('expireLeases')).toBe(11)
    await sweep.stop()
  })
})
