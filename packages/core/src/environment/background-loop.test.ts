import { describe, expect, it } from 'vitest'
import { virtualClock } from '@taskboard/testing'
import { createBackgroundLoop, type NextPass } from './background-loop.js'
import { createEnvironment } from './environment.js'
import { silentLogger } from './logger.js'

function setUp(next: () => NextPass, pollIntervalMs: number | null = null) {
  const clock = virtualClock(0)
  const passes: number[] = []
  const errors: object[] = []
  const loop = createBackgroundLoop({
    name: 'test',
    environment: createEnvironment({
      clock,
      logger: { ...silentLogger, error: (fields) => void errors.push(fields) },
    }),
    pollIntervalMs,
    pass: async () => {
      passes.push(clock.now())
      return next()
    },
  })
  return { clock, passes, errors, loop }
}

describe('createBackgroundLoop', () => {
  it('does nothing before start and after stop', async () => {
    const { clock, passes, loop } = setUp(() => null, 1_000)
    loop.wake()
    await clock.advance({ seconds: 5 })
    expect(passes).toEqual([])
    loop.start()
    loop.start()
    await clock.advance({ ms: 2_500 })
    await loop.stop()
    loop.wake()
    await clock.advance({ seconds: 5 })
    expect(passes).toEqual([5_000, 6_000, 7_000])
  })

  it('runs again at once, after a wait, or when woken', async () => {
    const plan: NextPass[] = ['now', 500, null, null]
    const { clock, passes, loop } = setUp(() => plan.shift() ?? null)
    loop.start()
    await clock.advance({ seconds: 10 })
    expect(passes).toEqual([0, 0, 500])
    loop.wake()
    await clock.settle()
    expect(passes).toEqual([0, 0, 500, 10_000])
    await loop.stop()
  })

  it('remembers a wake-up during a pass, and never overlaps', async () => {
    const clock = virtualClock(0)
    let running = 0
    let most = 0
    let passes = 0
    const loop = createBackgroundLoop({
      name: 'test',
      environment: createEnvironment({ clock, logger: silentLogger }),
      pollIntervalMs: null,
      pass: async () => {
        passes++
        most = Math.max(most, ++running)
        if (passes === 1) loop.wake()
        await clock.sleep(10)
        running--
        return null
      },
    })
    loop.start()
    await clock.advance({ seconds: 1 })
    expect({ passes, most }).toEqual({ passes: 2, most: 1 })
    await loop.stop()
  })

  it('logs a pass that throws and retries later', async () => {
    let fail = true
    const { clock, passes, errors, loop } = setUp(() => {
      if (fail) throw new Error('storage down')
      return null
    })
    loop.start()
    await clock.settle()
    fail = false
    await clock.advance({ seconds: 3 })
    expect(passes).toEqual([0, 1_000])
    expect(errors).toEqual([{ loop: 'test', err: new Error('storage down') }])
    await loop.stop()
  })
})
