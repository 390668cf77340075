import { memoryStorage } from '@taskboard/memory'
import { virtualClock } from '@taskboard/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { defineAgent } from '../agents/index.js'
import { systemClock, type Clock } from '../environment/index.js'
import { TaskboardError } from '../errors/index.js'
import type { Storage } from '../storage/index.js'
import { createTaskboard } from '../wiring/taskboard.js'
import { toFetchHandler } from './fetch-handler.js'
import { healthRoutes, type HealthRouteOptions } from './health-routes.js'

const ends: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

interface Health {
  readonly status: number
  readonly body: { readonly status: string; readonly reasons: readonly { code: string; message: string }[] }
}

function setUp(
  change: (storage: Storage) => Partial<Storage> = () => ({}),
  options?: HealthRouteOptions,
  given?: Clock,
) {
  const clock = virtualClock()
  const storage = memoryStorage() as Storage
  const taskboard = createTaskboard({
    storage: { ...storage, ...change(storage) },
    clock: given ?? clock,
    logger: false,
    agents: [defineAgent({ type: 'secretive', run: () => 'done' })],
  })
  ends.push(() => taskboard.close())
  const handle = toFetchHandler(taskboard, { routes: [healthRoutes(taskboard, options)] })
  async function ask(path: string, method = 'GET'): Promise<Health> {
    const response = await handle(new Request(`https://board.example${path}`, { method }))
    const text = await response.text()
    return { status: response.status, body: (text === '' ? {} : JSON.parse(text)) as Health['body'] }
  }
  const codes = async (path: string) => {
    const { status, body } = await ask(path)
    return [status, ...body.reasons.map(({ code }) => code)]
  }
  return { clock, taskboard, ask, codes }
}

describe('healthRoutes', () => {
  it('follow the task board from its start to its end', async () => {
    const { taskboard, clock, ask, codes } = setUp()
    expect(await codes('/readyz')).toEqual([503, 'not_started'])
    expect(await codes('/healthz')).toEqual([200])
    await taskboard.start()
    expect(await ask('/readyz')).toEqual({ status: 200, body: { status: 'ok', reasons: [] } })
    expect(await ask('/healthz')).toEqual({ status: 200, body: { status: 'ok', reasons: [] } })
    const closing = taskboard.close()
    expect(await codes('/readyz')).toEqual([503, 'draining'])
    expect(await codes('/healthz')).toEqual([200])
    await clock.settle()
    await closing
    expect(await codes('/readyz')).toEqual([503, 'closed'])
  })

  it('say that the task board is starting, and that a start failed', async () => {
    let fail: (error: Error) => void = () => undefined
    const { taskboard, codes } = setUp(() => ({
      open: () => new Promise<void>((_resolve, reject) => (fail = reject)),
    }))
    const starting = taskboard.start()
    expect(await codes('/readyz')).toEqual([503, 'starting'])
    fail(new Error('the database lacks a migration'))
    await expect(starting).rejects.toThrow('lacks')
    expect(await codes('/readyz')).toEqual([503, 'not_started'])
  })

  it('are not ready while the storage is down, hangs, or lacks migrations, and recover', async () => {
    let check: Storage['check'] | null = null
    const { taskboard, clock, codes } = setUp((storage) => ({
      check: (asked, call) => (check ?? storage.check)(asked, call),
    }))
    await taskboard.start()
    expect(await codes('/readyz')).toEqual([200])
    check = () => Promise.reject(new TaskboardError('SERVICE_UNAVAILABLE', 'connect ECONNREFUSED 10.0.0.7'))
    await clock.advance(500)
    expect(await codes('/readyz')).toEqual([503, 'storage_unavailable'])
    expect(await codes('/healthz')).toEqual([200])
    check = () => new Promise(() => undefined)
    await clock.advance(500)
    const late = codes('/readyz')
    await clock.advance(2_000)
    expect(await late).toEqual([503, 'storage_late'])
    check = () => Promise.resolve({ isCurrent: false, counts: null })
    await clock.advance(500)
    expect(await codes('/readyz')).toEqual([503, 'migrations_pending'])
    check = null
    await clock.advance(500)
    expect(await codes('/readyz')).toEqual([200])
  })

  it('ask the storage once for probes that come together or soon after', async () => {
    let asked = 0
    const { taskboard, clock, codes } = setUp((storage) => ({
      check(...given) {
        asked += 1
        return storage.check(...given)
      },
    }))
    await taskboard.start()
    await Promise.all([codes('/readyz'), codes('/readyz')])
    await clock.advance(499)
    await codes('/readyz')
    expect(asked).toBe(1)
    await clock.advance(1)
    await codes('/readyz')
    expect(asked).toBe(2)
  })

  it('report a pass that does not end, by the kind of the loop alone, until it ends', async () => {
    // A virtual clock would wait for the pass.
    let aheadMs = 0
    const clock: Clock = { ...systemClock, now: () => systemClock.now() + aheadMs }
    let finish: () => void = () => undefined
    const finished = new Promise<void>((resolve) => (finish = resolve))
    const { taskboard, ask, codes } = setUp(
      (storage) => ({
        tasks: {
          ...storage.tasks,
          claimTasks: (...given) => finished.then(() => storage.tasks.claimTasks(...given)),
        },
      }),
      { livePath: '/live', stuckAfterMs: 60_000 },
      clock,
    )
    await taskboard.start()
    expect(await codes('/live')).toEqual([200])
    aheadMs = 90_000
    const { status, body } = await ask('/live')
    expect([status, body.status]).toEqual([503, 'failing'])
    expect(body.reasons.map(({ message }) => message.replace(/\d+ s$/, ''))).toContain(
      'the background loop agent-runner has been in one pass for ',
    )
    expect(await codes('/readyz')).toEqual([200])
    finish()
    aheadMs = 0
    await vi.waitFor(async () => expect(await codes('/live')).toEqual([200]))
  })

  it('report a loop whose timer does not fire', async () => {
    const { taskboard, clock, codes } = setUp()
    await taskboard.start()
    await clock.settle()
    // The clock jumps, as after a suspension of the machine, and fires nothing.
    const { now } = clock
    Object.assign(clock, { now: () => now() + 24 * 3_600_000 })
    expect((await codes('/healthz')).slice(0, 2)).toEqual([503, 'loop_stuck'])
    Object.assign(clock, { now })
    expect(await codes('/healthz')).toEqual([200])
  })

  it('answer HEAD as GET without a body, and refuse other methods', async () => {
    const { ask } = setUp()
    expect(await ask('/readyz', 'HEAD')).toEqual({ status: 503, body: {} })
    expect((await ask('/healthz', 'POST')).status).toBe(405)
  })

  it('refuse options that are not valid', () => {
    expect(() => setUp(undefined, { stuckAfterMs: 10 })).toThrow('stuckAfterMs')
    expect(() => setUp(undefined, { storageTimeoutMs: 1.5 })).toThrow('storageTimeoutMs')
  })
})
