import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { silentLogger } from '@taskboard/core'
import { sleep } from '@taskboard/core/storage'
import { describe, expect, it } from 'vitest'
import { createBackgroundLoop, createEnvironment } from '@taskboard/kit/inside/core'
import { countTurns } from './count-turns.js'
import { virtualClock } from './virtual-clock.js'

const HOUR = 3_600_000

describe('tracked work', () => {
  it('returns what the work returns and throws what it throws', async () => {
    const clock = virtualClock()
    await expect(clock.track('a', async () => 7)).resolves.toBe(7)
    await expect(clock.track('b', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    const throwing = (): Promise<void> => {
      throw new Error('at once')
    }
    await expect(clock.track('c', throwing)).rejects.toThrow('at once')
    expect(clock.pending().works).toEqual([])
    await clock.advance(1)
  })

  it('holds time until its real I/O is done, at each instant', async () => {
    const clock = virtualClock(0)
    const answered: number[] = []
    await withServer(async (port) => {
      const send = (): void => {
        void clock.track('evt_1', async () => {
          await get(port)
          await get(port)
          answered.push(clock.now())
          if (answered.length < 5) clock.setTimer(send, 60_000)
        })
      }
      clock.setTimer(send, 1_000)
      clock.setTimer(() => answered.push(-1), 241_001)
      await clock.advance({ hours: 1 })
    })
    expect(answered).toEqual([1_000, 61_000, 121_000, 181_000, 241_000, -1])
  })

  it('that waits on the clock does not hold it', async () => {
    const clock = virtualClock(0, { patienceMs: 1e9 })
    const steps: number[] = []
    const run = clock.track('task_1', async () => {
      for (let i = 0; i < 3; i++) {
        await clock.sleep(HOUR)
        await Promise.resolve().then(() => steps.push(clock.now()))
        await sleep(clock, 1_000)
      }
    })
    await clock.advance({ hours: 1, ms: -1 })
    expect(clock.pending().works).toEqual([{ label: 'task_1', parked: 'timer' }])
    expect(clock.pending().timers).toEqual([{ dueAt: HOUR, label: 'task_1' }])
    await clock.advance({ hours: 3 })
    await run
    expect(steps).toEqual([HOUR, 2 * HOUR + 1_000, 3 * HOUR + 2_000])
  })

  it('nested in other work is counted separately', async () => {
    const clock = virtualClock(0, { patienceMs: 1e9, ioPatienceMs: 20 })
    const outer = clock.track('pass', async () => {
      await clock.track('task_1', () => clock.sleep(50))
      return clock.now()
    })
    await clock.advance(40)
    expect(clock.pending().works).toEqual([
      { label: 'pass', parked: 'silence' },
      { label: 'task_1', parked: 'timer' },
    ])
    await clock.advance(40)
    await expect(outer).resolves.toBe(50)
  })

  it('nested in work of another clock belongs to both', async () => {
    const [one, other] = [virtualClock(0, { patienceMs: 1e9 }), virtualClock(0, { patienceMs: 1e9 })]
    const work = one.track('task_one', () =>
      other.track('task_other', () => Promise.all([one.sleep(10), other.sleep(20)])),
    )
    expect(one.pending().timers).toEqual([{ dueAt: 10, label: 'task_one' }])
    expect(other.pending().timers).toEqual([{ dueAt: 20, label: 'task_other' }])
    await Promise.all([one.advance(10), other.advance(20), work])
    expect([one.pending().works, other.pending().works]).toEqual([[], []])
  })

  it('that waits for the test parks after the patience, once', async () => {
    const silent: unknown[] = []
    const clock = virtualClock(0, { patienceMs: 20, onSilent: (...told) => silent.push(told) })
    const gate = newGate<void>()
    const run = clock.track('task_1', async () => {
      await gate.promise
      return clock.now()
    })
    let fired = 0
    for (let i = 1; i <= 200; i++) clock.setTimer(() => (fired += 1), i * 1_000)
    const first = await countTurns(() => clock.advance(1_000))
    const others = await countTurns(() => clock.advance({ seconds: 199 }))
    expect(fired).toBe(200)
    expect(clock.pending().works).toEqual([{ label: 'task_1', parked: 'silence' }])
    expect(silent).toEqual([['task_1', 20]])
    expect(first).toBeGreaterThan(20)
    expect(others).toBeLessThan(199 * 10)
    gate.resolve()
    await expect(run).resolves.toBe(200_000)
  })

  it('wakes from silence with the next sign of life, and is waited for again', async () => {
    const clock = virtualClock(0, { patienceMs: 20 })
    const gate = newGate<void>()
    await withServer(async (port) => {
      const run = clock.track('task_1', async () => {
        await gate.promise
        const resumedAt = clock.now()
        await get(port)
        return [resumedAt, clock.now()]
      })
      await clock.advance(10)
      clock.setTimer(() => undefined, 1)
      gate.resolve()
      await clock.advance(10)
      await expect(run).resolves.toEqual([10, 10])
    })
  })

  it('that reads the clock forever does not keep time from moving', async () => {
    const clock = virtualClock(0, { patienceMs: 5 })
    const stop = new AbortController()
    const run = clock.track('task_1', async () => {
      while (clock.now() >= 0 && !stop.signal.aborted) await new Promise((resolve) => setTimeout(resolve, 1))
    })
    await clock.advance(1_000)
    await clock.advance(1_000)
    expect(clock.now()).toBe(2_000)
    expect(clock.pending().works).toEqual([{ label: 'task_1', parked: 'silence' }])
    stop.abort()
    await run
  })

  it('of a webhook send is not parked by its timeout, but by the receiver that hangs it', async () => {
    const clock = virtualClock(0)
    const gate = newGate<string>()
    const send = clock.track('evt_1', () => {
      const timeout = clock.setTimer(() => gate.resolve(`timed out at ${clock.now()}`), 30_000)
      return gate.promise.finally(() => timeout.cancel())
    })
    expect(clock.pending().works).toEqual([{ label: 'evt_1', parked: null }])
    const release = clock.park('evt_1')
    expect(clock.pending().works).toEqual([{ label: 'evt_1', parked: 'parked' }])
    await clock.advance({ minutes: 1 })
    await expect(send).resolves.toBe('timed out at 30000')
    release()
    expect(clock.pending()).toEqual({ timers: [], works: [] })
  })

  it('is waited for again once its park is released', async () => {
    const clock = virtualClock(0)
    const gate = newGate<void>()
    const send = clock.track('evt_1', () => gate.promise)
    const release = clock.park('evt_1')
    await clock.advance(5)
    release()
    release()
    expect(clock.pending().works).toEqual([{ label: 'evt_1', parked: null }])
    const advancing = clock.advance(5)
    setTimeout(() => gate.resolve(), 20)
    await Promise.all([advancing, send])
    expect(clock.now()).toBe(10)
  })

  it('settles a loop that work woke, without taking its timer for the work’s own', async () => {
    const clock = virtualClock(0, { patienceMs: 1e9 })
    const passes: number[] = []
    const loop = createBackgroundLoop({
      name: 'sweep',
      environment: createEnvironment({ clock, logger: silentLogger }),
      pollIntervalMs: null,
      pass: async () => {
        passes.push(clock.now())
        return 500
      },
    })
    loop.start()
    await clock.settle()
    await withServer(async (port) => {
      const run = clock.track('task_1', async () => {
        loop.wake()
        await get(port)
        return clock.now()
      })
      await clock.advance(2_000)
      await expect(run).resolves.toBe(0)
    })
    await loop.stop()
    expect(passes).toEqual([0, 0, 500, 1_000, 1_500, 2_000])
    expect(clock.pending()).toEqual({ timers: [], works: [] })
  })
})

/** A server that takes real time for each answer. */
async function withServer(use: (port: number) => Promise<void>): Promise<void> {
  const server = createServer((_, response) => setTimeout(() => response.end('ok'), 10))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    await use((server.address() as AddressInfo).port)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

async function get(port: number): Promise<void> {
  const outgoing = request({ host: '127.0.0.1', port, agent: false }).end()
  const [response] = (await once(outgoing, 'response')) as [NodeJS.ReadableStream]
  response.resume()
  await once(response, 'end')
}

interface Gate<T> {
  readonly promise: Promise<T>
  readonly resolve: (value: T) => void
}

function newGate<T>(): Gate<T> {
  let resolve: (value: T) => void = () => undefined
  const promise = new Promise<T>((fulfil) => (resolve = fulfil))
  return { promise, resolve }
}
