import { describe, expect, it, vi } from 'vitest'
import { nextTurn } from './turns.js'

const atImmediate = () => new Promise<void>((resolve) => setImmediate(resolve))

describe('nextTurn', () => {
  it('lets all that ask in one turn go on together, in their order, before what is asked for later', async () => {
    const steps: string[] = []
    const step = async (name: string): Promise<void> => {
      await nextTurn()
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

  it('begins anew once a turn has come', async () => {
    const one = nextTurn()
    expect(nextTurn()).toBe(one)
    await one
    const other = nextTurn()
    expect(other).not.toBe(one)
    await other
  })

  it('does not wait for a clock that a test has put in the place of the real one', async () => {
    vi.useFakeTimers({ toFake: ['setImmediate'] })
    try {
      await expect(nextTurn()).resolves.toBeUndefined()
    } finally {
      vi.useRealTimers()
    }
  })
})
