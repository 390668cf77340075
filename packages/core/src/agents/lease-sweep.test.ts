import { countTasks } from '@taskboard/testing'
import { describe, expect, it } from 'vitest'
import { agentsFixture } from '../../test/agents-fixture.js'

const LEASES = 450

describe('the lease sweep', () => {
  it.each([
    ['a storage that reports every change', null],
    ['a storage that is polled', 1_000],
  ])('ends all leases that have run out, batch by batch, on %s', async (_, pollIntervalMs) => {
    const fixture = await agentsFixture({ agents: [{ type: 'bot', run: () => '' }] })
    const sweep = fixture.newSweep(pollIntervalMs)
    sweep.start()
    await fixture.clock.settle()
    for (let i = 0; i < LEASES; i++) await fixture.add()
    const claim = { agentType: 'bot', leaseMs: 60_000 }
    const { tasks } = await fixture.storage.tasks.claimTasks(
      { target: claim, limit: LEASES },
      { now: fixture.clock.now() },
    )
    expect(tasks).toHaveLength(LEASES)
    await fixture.clock.advance(59_999)
    const counts = () => countTasks(fixture.storage, fixture.workspaceId, { now: fixture.clock.now() })
    expect(await counts()).toMatchObject({ TODO: 0, DOING: LEASES })
    await fixture.clock.advance(1)
    expect(await counts()).toMatchObject({ TODO: LEASES, DOING: 0 })
    expect(fixture.messages.filter((message) => message === 'leases expired')).toHaveLength(3)
    await sweep.stop()
    expect(fixture.clock.pending()).toEqual({ timers: [], works: [] })
  })

  it('asks a polled storage once a second, not after each commit', async () => {
    const fixture = await agentsFixture({ agents: [{ type: 'bot', run: () => '' }] })
    const sweep = fixture.newSweep(1_000)
    sweep.start()
    await fixture.clock.settle()
    for (let i = 0; i < 20; i++) await fixture.add()
    await fixture.clock.advance(10_000)
    expect(fixture.faults.countCalls('expireLeases')).toBe(11)
    await sweep.stop()
  })
})
