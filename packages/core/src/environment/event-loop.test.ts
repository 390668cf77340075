import { describe, expect, it, vi } from 'vitest'
import { yieldToEventLoop } from './event-loop.js'

const atImmediate = () => new Promise<void>((resolve) => setImmediate(resolve))

describe('yieldToEventLoop', () => {
  it('resumes all callers of one turn together, in their order, before later ones', async () => {
    const steps: string[] = []
    const step = async (name: string): Promise<void> => {
      await yieldToEventLoop()
      steps.push(name)
    }
    const first = step('first')
    await Promise.resolve()
    const second = step('second')
    const later = atImmediate().then(() => step('later'))
    expect(steps).toEqual([])
    await Promise.all([first, second])
    expect(steps).toEqual(['first', 'second'])
    await later
    expect(steps).toEqual(['first', 'second', 'later'])
  })

  it('starts again after a turn', async () => {
    const one = yieldToEventLoop()
    expect(yieldToEventLoop()).toBe(one)
    await one
    const other = yieldToEventLoop()
    expect(other).not.toBe(one)
    await other
  })

  it('does not wait for a fake clock that a test installs', async () => {
    vi.useFakeTimers({ toFake: ['setImmediate'] })
    try {
      await expect(yieldToEventLoop()).resolves.toBeUndefined()
    } finally {
      vi.useRealTimers()
    }
  })
})
