import { afterEach, expect, it, vi } from 'vitest'
import { Lease } from './lease.js'

afterEach(() => {
  vi.useRealTimers()
})

it('a lease is counted from when its renewal was sent, not from when it was answered', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  const heartbeat = vi.fn<() => Promise<unknown>>(() => Promise.reject(new Error('down')))
  const lease = new Lease({
    fencingToken: 1,
    leaseMs: 1_000,
    claimedAt: performance.now(),
    heartbeat,
    onError: () => undefined,
  })
  await lease.write(async () => vi.advanceTimersByTime(300))
  expect(lease.leftMs).toBe(700)
  await vi.advanceTimersByTimeAsync(699)
  expect([lease.isHeld, lease.signal.aborted]).toEqual([true, false])
  await vi.advanceTimersByTimeAsync(1)
  expect([lease.isHeld, lease.signal.aborted]).toEqual([false, true])
  expect(vi.getTimerCount()).toBe(0)
})
