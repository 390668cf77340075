import { defaultScoring, silentLogger } from '@taskboard/core'
import { createStorageSettings, createNewId } from '@taskboard/core/storage'
import { virtualClock } from '@taskboard/testing'
import { describe, expect, it } from 'vitest'
import { createThrottle } from './throttle.js'

function setUp(work: (clock: ReturnType<typeof virtualClock>) => Promise<void> = () => Promise.resolve()) {
  const clock = virtualClock(0)
  const settings = createStorageSettings()
  settings.bind({
    clock,
    newId: createNewId(),
    scoring: defaultScoring,
    logLimit: 1,
    outputLimit: 1,
    logger: silentLogger,
  })
  const runs: number[] = []
  const pace = createThrottle(settings, 20, () => {
    runs.push(clock.now())
    return work(clock)
  })
  return { clock, runs, pace }
}

describe('createThrottle', () => {
  it('runs at once after a quiet time, and then once for all requests within the gap', async () => {
    const { clock, runs, pace } = setUp()
    await clock.advance({ ms: 5 })
    for (let n = 0; n < 100; n++) pace.request()
    expect(runs).toEqual([5])
    for (let n = 0; n < 30; n++) {
      await clock.advance({ ms: 1 })
      pace.request()
    }
    await clock.advance({ seconds: 1 })
    expect(runs).toEqual([5, 25, 45])
    pace.request()
    expect(runs).toEqual([5, 25, 45, 1_035])
  })

  it('does not overlap, and starts a new run for requests during a run', async () => {
    const { clock, runs, pace } = setUp((time) => time.sleep(50))
    pace.request()
    await clock.advance({ ms: 30 })
    pace.request()
    await clock.advance({ seconds: 1 })
    expect(runs).toEqual([0, 50])
  })

  it('runs again after a failure', async () => {
    const { clock, runs, pace } = setUp(() => Promise.reject(new Error('no')))
    pace.request()
    await clock.advance({ ms: 20 })
    pace.request()
    await clock.settle()
    expect(runs).toEqual([0, 20])
  })

  it('flushes requests without waiting, and leaves no timer', async () => {
    const { clock, runs, pace } = setUp()
    pace.request()
    pace.request()
    await pace.flush()
    expect(runs).toEqual([0, 0])
    expect(clock.pending().timers).toEqual([])
    await pace.flush()
    pace.request()
    expect(runs).toEqual([0, 0, 0])
  })
})
