import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { sleep, systemClock } from './clock.js'
import { createEnvironment } from './environment.js'
import { systemRandom } from './random.js'

describe('systemClock', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('waits for delays that do not fit a platform timer', () => {
    let fired = 0
    systemClock.setTimer(() => fired++, 60 * 86_400_000)
    vi.advanceTimersByTime(59 * 86_400_000)
    expect(fired).toBe(0)
    vi.advanceTimersByTime(86_400_000)
    expect(fired).toBe(1)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('cancels, also between the steps of a long wait', () => {
    let fired = 0
    const timer = systemClock.setTimer(() => fired++, 60 * 86_400_000)
    vi.advanceTimersByTime(30 * 86_400_000)
    timer.cancel()
    timer.cancel()
    vi.advanceTimersByTime(90 * 86_400_000)
    expect(fired).toBe(0)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('treats a delay in the past as none', () => {
    let fired = 0
    systemClock.setTimer(() => fired++, -5)
    vi.advanceTimersByTime(1)
    expect(fired).toBe(1)
  })
})

describe('sleep', () => {
  it('ends after its time, or with the signal, and leaves no timer', async () => {
    vi.useFakeTimers()
    const controller = new AbortController()
    const slept = sleep(systemClock, 1_000)
    const cut = sleep(systemClock, 1_000, controller.signal)
    controller.abort()
    await cut
    await sleep(systemClock, 1_000, controller.signal)
    expect(vi.getTimerCount()).toBe(1)
    vi.advanceTimersByTime(1_000)
    await slept
    expect(vi.getTimerCount()).toBe(0)
    vi.useRealTimers()
  })
})

describe('createEnvironment', () => {
  it('uses the storage’s time unless the host gives a clock', () => {
    expect(createEnvironment().storageNow()).toBeNull()
    expect(createEnvironment({ clock: { ...systemClock, now: () => 42 } }).storageNow()).toBe(42)
  })

  it('takes randomness from the system', () => {
    const draws = Array.from({ length: 100 }, () => systemRandom.fraction())
    expect(draws.every((draw) => draw >= 0 && draw < 1)).toBe(true)
    expect(new Set(draws).size).toBeGreaterThan(90)
    expect(systemRandom.bytes(16)).toHaveLength(16)
  })
})
