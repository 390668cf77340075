import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { coalesce } from '../app/state/coalesce.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('runs a moment after the first of several calls, and once for all of them', () => {
  const run = vi.fn<() => void>()
  const call = coalesce(run, 400)
  for (let count = 0; count < 100; count++) call()
  vi.advanceTimersByTime(399)
  expect(run).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(run).toHaveBeenCalledOnce()
  vi.advanceTimersByTime(60_000)
  expect(run).toHaveBeenCalledOnce()
})

it('runs less often while the calls do not end, and soon again after a pause', () => {
  const run = vi.fn<() => void>()
  const call = coalesce(run, 400)
  for (let ms = 0; ms < 60_000; ms += 10) {
    call()
    vi.advanceTimersByTime(10)
  }
  expect(run.mock.calls.length).toBeGreaterThanOrEqual(20)
  expect(run.mock.calls.length).toBeLessThanOrEqual(30)
  vi.advanceTimersByTime(60_000)
  run.mockClear()
  call()
  vi.advanceTimersByTime(400)
  expect(run).toHaveBeenCalledOnce()
})

it('runs no more once it was cancelled', () => {
  const run = vi.fn<() => void>()
  const call = coalesce(run)
  call()
  call.cancel()
  vi.advanceTimersByTime(60_000)
  expect(run).not.toHaveBeenCalled()
})
