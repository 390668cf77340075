import { afterEach, describe, expect, it, vi } from 'vitest'
import { TaskboardApiError } from '../api-error.js'
import { createClient, type WorkerOptions } from '../index.js'
import type { ClaimedTask } from '../wire.js'
import { startWorker, type TaskContext } from './index.js'
import type { WorkerApi } from './worker-api.js'

afterEach(() => {
  vi.useRealTimers()
})

const away = new TaskboardApiError('away', { status: 0, code: 'NETWORK_ERROR' })
const refusal = new TaskboardApiError('no', { status: 401, code: 'AUTHENTICATION_FAILED' })

/** A board with one task, which notes the writes of workers; `faults` reject calls by their names. */
function boardOf({ faults = {} }: { readonly faults?: Partial<Record<string, () => Error | null>> } = {}) {
  const writes: string[] = []
  const waiting = [
    { id: 'task_1', title: 'One', fencing_token: 1, attempts: 1, depends_on: [], answer: null },
  ]
  const called =
    (name: string, answer: unknown = {}) =>
    (): Promise<unknown> => {
      writes.push(name)
      const fault = faults[name]?.() ?? null
      return fault === null ? Promise.resolve(answer) : Promise.reject(fault)
    }
  const tasks = {
    claim: () => called('claim', { task: waiting.shift() ?? null })(),
    allComments: async function* () {},
    heartbeat: called('heartbeat'),
    log: called('log'),
    complete: called('complete'),
    fail: called('fail'),
    release: called('release'),
  }
  const realtime = { subscribe: () => ({ [Symbol.asyncIterator]: async function* () {} }) }
  const api = {
    tasks,
    realtime,
    agents: { get: called('agent', { id: 'agent_1', workspace_id: 'ws_1' }) },
  } as unknown as WorkerApi
  return { api, writes }
}

type Run = (task: ClaimedTask, context: TaskContext<WorkerApi>) => unknown

function start(api: WorkerApi, run: Run, options: Partial<WorkerOptions<WorkerApi>> = {}) {
  return startWorker(api, { agentId: 'agent_1', run, leaseMs: 60_000, ...options })
}

const fault = (): never => {
  throw new Error('no')
}

const times = (writes: readonly string[], name: string): number =>
  writes.filter((each) => each === name).length

describe('a worker', () => {
  it('renews its lease again after heartbeats that failed, also when its onError throws', async () => {
    vi.useFakeTimers()
    let beats = 0
    const { api, writes } = boardOf({ faults: { heartbeat: () => ((beats += 1) <= 3 ? away : null) } })
    let end: (value: string) => void = () => undefined
    let reports = 0
    const worker = start(api, () => new Promise((resolve) => (end = resolve)), {
      onError: () => {
        reports += 1
        fault()
      },
    })
    await vi.advanceTimersByTimeAsync(20_000 + 3 * 2_500 + 60_000)
    expect([beats > 5, reports]).toEqual([true, 3])
    end('done')
    await vi.advanceTimersByTimeAsync(1)
    expect(times(writes, 'complete')).toBe(1)
    const stopped = worker.stop()
    await vi.advanceTimersByTimeAsync(60_000)
    await stopped
    await worker.done
  })

  it('goes on when its onError throws synchronously', async () => {
    vi.useFakeTimers()
    let claims = 0
    const { api, writes } = boardOf({ faults: { claim: () => ((claims += 1) === 1 ? away : null) } })
    const worker = start(api, () => 'done', { onError: fault })
    await vi.advanceTimersByTimeAsync(60_000)
    expect(times(writes, 'claim')).toBeGreaterThan(1)
    const stopped = worker.stop()
    await vi.advanceTimersByTimeAsync(1)
    await stopped
  })

  it.each<[string, string, Run]>([
    ['throws at once', 'fail', fault],
    ['rejects without a message', 'fail', () => Promise.reject(new Error())],
    ['returns undefined', 'complete', () => undefined],
  ])('writes the end of a run that %s', async (_how, outcome, run) => {
    const { api, writes } = boardOf()
    const worker = start(api, run, { pollMs: 5 })
    await expect.poll(() => times(writes, outcome)).toBe(1)
    await worker.stop()
  })

  it('does not hurry a server that asks for a wait longer than a timer can be', async () => {
    vi.useFakeTimers()
    const busy = new TaskboardApiError('busy', {
      status: 429,
      code: 'RATE_LIMIT_EXCEEDED',
      retryAfter: 9_999_999,
    })
    const { api, writes } = boardOf({ faults: { claim: () => busy } })
    const worker = start(api, () => 'done')
    await vi.advanceTimersByTimeAsync(120_000)
    expect(times(writes, 'claim')).toBe(1)
    await worker.stop()
  })

  it('waits for its runs as long as it takes when its drain time has no end', async () => {
    vi.useFakeTimers()
    const { api, writes } = boardOf()
    const worker = start(api, (_task, { sleep }) => sleep(600_000).then(() => 'done'))
    await vi.advanceTimersByTimeAsync(1)
    const stopped = worker.stop({ drainTimeoutMs: Infinity })
    await vi.advanceTimersByTimeAsync(600_000)
    await stopped
    expect([times(writes, 'complete'), times(writes, 'release')]).toEqual([1, 0])
  })

  it('leaves no rejection behind of what its run did not await', async () => {
    const { api, writes } = boardOf()
    const worker = start(api, async (_task, { sleep, signal, log }) => {
      void sleep(60_000)
      void log('late')
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      throw new Error('interrupted')
    })
    await expect.poll(() => times(writes, 'log')).toBe(1)
    // A rejection that nobody handles fails the run of the tests.
    await worker.stop({ drainTimeoutMs: 0 })
    expect(times(writes, 'release')).toBe(1)
  })
})

describe('client.worker', () => {
  const client = createClient({
    baseUrl: 'http://board.example',
    key: 'tb_wrong',
    fetch: () => Promise.resolve(new Response(null, { status: 401 })),
  })

  it.each([
    { agentId: '' },
    { agentId: undefined },
    { run: undefined },
    { concurrency: 0 },
    { concurrency: Number.NaN },
  ])('refuses options with which it would never work: %j', (wrong) => {
    const options = { agentId: 'agent_1', run: () => '', ...wrong } as WorkerOptions
    expect(() => client.worker(options)).toThrow(TypeError)
  })

  it('reports the refusal that ends it, so that nobody has to await its end', async () => {
    const reported: unknown[] = []
    const worker = client.worker({
      agentId: 'agent_1',
      run: () => '',
      onError: (error, taskId) => {
        reported.push([(error as TaskboardApiError).status, taskId])
        throw refusal
      },
    })
    await expect.poll(() => reported).toEqual([[401, null]])
    await worker.stop()
    await expect(worker.done).rejects.toMatchObject({ status: 401 })
  })
})
