import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createTurns, type Turns } from './pglite-turns.js'

let turns: Turns
const order: string[] = []

/** Takes a turn without any work, and records it. */
async function use(name: string, work?: string): Promise<void> {
  const end = await turns.take(work)
  order.push(name)
  end()
}

beforeEach(() => {
  vi.useFakeTimers()
  turns = createTurns(() => Date.now())
  order.length = 0
})
afterEach(() => void vi.useRealTimers())

it('serves callers in the order of their requests, and before background work', async () => {
  const end = await turns.take()
  const all = [use('claim', 'claim'), use('first'), use('second')]
  end()
  await vi.advanceTimersByTimeAsync(0)
  expect(order).toEqual(['first', 'second', 'claim'])
  await Promise.all(all)
})

it('gives background work its turn at once when there are no callers', async () => {
  await use('claim', 'claim')
  await use('claim', 'claim')
  expect(order).toEqual(['claim', 'claim'])
  expect(vi.getTimerCount()).toBe(0)
})

it('gives each background work at most one turn in 50 ms while there are callers', async () => {
  await use('create')
  await use('claim', 'claim')
  void use('claim again', 'claim')
  void use('record', 'record')
  await vi.advanceTimersByTimeAsync(49)
  expect(order).toEqual(['create', 'claim', 'record'])
  await use('create')
  await vi.advanceTimersByTimeAsync(1)
  expect(order).toEqual(['create', 'claim', 'record', 'create', 'claim again'])
  expect(vi.getTimerCount()).toBe(0)
})

it('stops spacing background work 50 ms after the last caller', async () => {
  await use('create')
  await vi.advanceTimersByTimeAsync(40)
  await use('claim', 'claim')
  void use('claim again', 'claim')
  await vi.advanceTimersByTimeAsync(9)
  expect(order).toEqual(['create', 'claim'])
  await vi.advanceTimersByTimeAsync(1)
  expect(order).toEqual(['create', 'claim', 'claim again'])
})

it('keeps background work waiting for at most 200 ms, however many callers there are', async () => {
  let end = await turns.take()
  void use('claim', 'claim')
  for (let waited = 0; waited < 200; waited += 10) {
    const next = turns.take()
    await vi.advanceTimersByTimeAsync(10)
    expect(order).toEqual([])
    end()
    end = await next
  }
  const next = turns.take()
  end()
  await vi.advanceTimersByTimeAsync(0)
  expect(order).toEqual(['claim'])
  ;(await next)()
})
