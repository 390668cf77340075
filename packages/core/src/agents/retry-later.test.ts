import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { agentsFixture } from '../../test/agents-fixture.js'
import { defaultBackoff } from '../board/index.js'
import { RetryLater, TaskFailure } from './index.js'
import { createRests, longestRestMs, requestedWait } from './retry-later.js'

const DAY = 86_400_000

/** An agent whose provider is down until `upAt`, in milliseconds from the start. */
async function outage({
  upAt = Infinity,
  retryAfterMs = null,
  concurrency = 1,
}: {
  readonly upAt?: number
  readonly retryAfterMs?: number | null
  readonly concurrency?: number
}) {
  const calls: number[] = []
  const fixture = await agentsFixture({
    agents: [
      {
        type: 'bot',
        concurrency,
        run() {
          const at = fixture.clock.now() - start
          calls.push(at)
          if (at < upAt) throw new RetryLater('the provider is down', { retryAfterMs })
          return 'done'
        },
      },
    ],
  })
  const start = fixture.clock.now()
  return { ...fixture, calls, runner: fixture.newRunner() }
}

describe('an agent that cannot work', () => {
  it('gets its task back without a counted attempt, when it asked for it', async () => {
    const { add, get, background, clock, runner, calls, messages } = await outage({
      upAt: 45_000,
      retryAfterMs: 45_000,
    })
    const task = await add()
    runner.start()
    await clock.settle()
    expect(await get(task)).toMatchObject({
      column: 'TODO',
      attempts: 0,
      hold: null,
      notBefore: clock.now() + 45_000,
    })
    expect(messages).toContain('an agent cannot work now: its task waits, and it takes no other')
    await clock.advance(45_000)
    expect(await get(task)).toMatchObject({ column: 'DONE', attempts: 1 })
    expect(calls).toEqual([0, 45_000])
    expect((await background(task)).attempts.map(({ outcome, reason }) => [outcome, reason])).toEqual([
      ['postponed', 'the provider is down'],
      ['completed', null],
    ])
    await runner.stop()
  })

  it('is tried again after ever longer waits, and takes no other task in between', async () => {
    const { add, clock, runner, calls, eventTypes } = await outage({ upAt: 300_000 })
    for (let i = 0; i < 20; i++) await add()
    runner.start()
    await clock.advance(300_000)
    // One task each time, by the backoff.
    expect(calls).toEqual([0, 10_000, 30_000, 70_000, 150_000])
    expect((await eventTypes()).filter((type) => type === 'task.started')).toHaveLength(5)
    await clock.advance(10_000)
    expect(calls).toHaveLength(5 + 20)
    await runner.stop()
  })

  it('rests once for all runs that meet the same fault', async () => {
    const { add, clock, runner, calls } = await outage({ concurrency: 3 })
    for (let i = 0; i < 9; i++) await add()
    runner.start()
    await clock.advance(29_999)
    expect(calls).toEqual([0, 0, 0, 10_000, 10_000, 10_000])
    await runner.stop()
  })

  it('leaves the other agents of its runtime alone', async () => {
    const ran: string[] = []
    const fixture = await agentsFixture({
      workspaces: 2,
      agents: [
        {
          type: 'bot',
          run({ workspaceId, title }) {
            if (workspaceId === fixture.workspaceId) throw new RetryLater('its key has no credit')
            ran.push(title)
          },
        },
      ],
    })
    await fixture.add()
    for (let i = 0; i < 5; i++)
      await fixture.add({ workspaceId: fixture.workspaceIds[1] ?? '', title: `${i}` })
    const runner = fixture.newRunner()
    runner.start()
    await fixture.clock.settle()
    expect(ran).toHaveLength(5)
    await runner.stop()
  })

  it('fails attempts in the end, so that its task goes on hold', async () => {
    const { add, get, background, clock, runner, calls } = await outage({})
    const task = await add({ maxAttempts: 2 })
    runner.start()
    await clock.advance(DAY - 1)
    expect(await get(task)).toMatchObject({ attempts: 0, hold: null })
    await clock.advance(3 * DAY)
    const hold = { reason: 'failed', message: 'the provider is down' }
    expect(await get(task)).toMatchObject({ attempts: 2, hold })
    expect((await background(task)).attempts.at(-1)?.outcome).toBe('failed')
    // Ten minutes apart, most of the time.
    expect(calls.length).toBeLessThan(320)
    await runner.stop()
  })

  it('is asked by any error that says so', () => {
    expect(requestedWait(new RetryLater('x'))).toBe(null)
    expect(requestedWait({ retry: 'later', retryAfterMs: 5 })).toBe(5)
    for (const retryAfterMs of [NaN, -1, '5', undefined]) {
      expect(requestedWait({ retry: 'later', retryAfterMs })).toBe(null)
    }
    for (const thrown of [new TaskFailure('x'), new Error('x'), null, 'text', { retry: true }]) {
      expect(requestedWait(thrown)).toBe(undefined)
    }
  })
})

describe('a rest', () => {
  it('is from a second to an hour, and at least what was asked for within that', () => {
    const wait = fc.oneof(fc.constant(null), fc.double({ min: 0, noNaN: true }))
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(7_200_000), wait, fc.boolean()), { maxLength: 40 }), (runs) => {
        let now = 1_000
        const rests = createRests({ now: () => now }, defaultBackoff)
        for (const [tookMs, requestedMs, works] of runs) {
          const claimedAt = now
          now += tookMs
          if (works) rests.end('agent')
          const restMs = rests.begin('agent', claimedAt, requestedMs)
          expect(restMs).toBeGreaterThanOrEqual(Math.min(longestRestMs, Math.max(1_000, requestedMs ?? 0)))
          expect(restMs).toBeLessThanOrEqual(longestRestMs)
        }
      }),
    )
  })
})
