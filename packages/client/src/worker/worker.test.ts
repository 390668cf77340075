import type { TaskClaim as ClaimInProcess, TaskContext as ContextInProcess } from '@taskboard/core'
import { afterEach, describe, expect, expectTypeOf, it } from 'vitest'
import { WebSocket } from 'ws'
import { serveBoard } from '@taskboard/kit/hosts/board-host'
import {
  createClient,
  TaskFailure,
  type ClientOptions,
  type TaskboardClient,
  type TaskClaim,
  type TaskContext,
  type WorkerOptions,
} from '../index.js'

const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

async function setUp(extra: Partial<ClientOptions> = {}) {
  const host = await serveBoard({ attempts: { max: 2, backoff: { baseMs: 1, factor: 1, maxMs: 1 } } })
  cleanUps.push(host.close)
  const { url, createKey, taskboard, workspaceId, board } = host
  const { id: agentId } = await taskboard.agents.create(workspaceId, { name: 'Remote', type: 'remote' })
  const { key } = await createKey(['tasks:read', 'tasks:write', 'agents:read'])
  const person = createClient({
    baseUrl: url,
    key: (await createKey(['tasks:read', 'tasks:write', 'approvals:write'])).key,
  })
  const client = createClient({ baseUrl: url, key, WebSocket, ...extra } as ClientOptions)
  const errors: unknown[] = []
  const work = (run: WorkerOptions<TaskboardClient>['run'], options: Partial<WorkerOptions> = {}) => {
    const worker = client.worker({
      agentId,
      run,
      pollMs: 100,
      leaseMs: 3_000,
      onError: (error) => errors.push(error),
      ...options,
    })
    cleanUps.push(() => worker.stop({ drainTimeoutMs: 0 }))
    return worker
  }
  const next = (type: 'task.completed' | 'task.failed' | 'task.moved' | 'approval.requested') =>
    new Promise<{ readonly taskId: string; readonly result?: string }>((resolve) =>
      taskboard.events.once(type, ({ data }) => resolve(data as never)),
    )
  return {
    ...host,
    person,
    client,
    work,
    next,
    errors,
    agentId,
    add: (title: string) => board.add({ title }),
  }
}

/** Rejects when nothing happens, instead of hanging. */
const never = (): Promise<never> => new Promise(() => undefined)

describe('the context of a worker', () => {
  it('has the names of the context in process, but for what cannot be remote', () => {
    // `alert`: no operation raises `agent.alert`. `board`: a board is an object of the host; `client` stands in its place.
    // `accountId`: that of the key.
    type Missing = 'alert' | 'board' | 'accountId'
    expectTypeOf<keyof TaskContext>().toEqualTypeOf<Exclude<keyof ContextInProcess, Missing> | 'client'>()
    expectTypeOf<keyof TaskClaim>().toEqualTypeOf<keyof ClaimInProcess>()
  })
})

describe('client.worker', () => {
  it('works a task with progress, log, outputs and usage, and returns its result', async () => {
    const { add, work, next, client, board, agentId } = await setUp()
    const { id } = await add('Translate the manual')
    await board.comment(id, { body: 'into French' })
    work(async (task, { progress, log, output, usage, claim, agent, sleep }) => {
      expect(claim).toMatchObject({
        agentId,
        attempt: 1,
        earlierAttempts: [],
        dependencies: [],
        answer: null,
      })
      expect(claim.comments.map(({ body }) => body)).toEqual(['into French'])
      expect(agent.name).toBe('Remote')
      void progress(39.6)
      void log('half way', 'warn')
      void output({ type: 'link', name: 'draft', url: 'https://files.example/draft' })
      await usage({ model: 'm', input_tokens: 10, output_tokens: 2 })
      await sleep(1)
      return { said: task.title }
    })
    expect(await next('task.completed')).toMatchObject({ result: '{"said":"Translate the manual"}' })
    expect(await client.tasks.get(id)).toMatchObject({
      status: 'completed',
      logs: [{ message: 'half way', level: 'warn' }],
      outputs: [{ name: 'draft' }],
      usage: { input_tokens: 10, output_tokens: 2 },
      attempts: 1,
    })
  })

  it('asks, and goes on with the answer in an attempt that counts as the first', async () => {
    const { add, work, next, person } = await setUp()
    const { id } = await add('Paint the door')
    const asked = next('task.failed')
    let afterwards = 0
    work(async (_task, { ask, claim }) => {
      expect(claim.attempt).toBe(1)
      if (claim.answer !== null) return claim.answer.body
      await ask('Which colour?')
      return (afterwards += 1)
    })
    expect(await asked).toMatchObject({ taskId: id, message: 'Which colour?' })
    const completed = next('task.completed')
    await person.tasks.answer(id, { body: 'green' })
    expect(await completed).toMatchObject({ result: 'green' })
    expect(afterwards).toBe(0)
  })

  it('does what a person approves, once', async () => {
    const { add, work, next, person } = await setUp()
    await add('Answer the complaint about order 7')
    const requested = next('approval.requested')
    const refunds: unknown[] = []
    work(async (_task, { approval }) => {
      const input = { order: 7 }
      const { decision, comment } = await approval({ action: 'refund', summary: 'Refund order 7', input })
      refunds.push([decision, comment])
      return decision
    })
    await requested
    const { approvals } = await person.approvals.list({ status: 'pending' })
    const completed = next('task.completed')
    await person.approvals.decide(approvals[0]?.id ?? '', { decision: 'approved', comment: 'once' })
    expect(await completed).toMatchObject({ result: 'approved' })
    expect(refunds).toEqual([['approved', 'once']])
  })

  it('splits its task, and goes on with the results of the parts', async () => {
    const { add, work, taskboard } = await setUp()
    const results: string[] = []
    const all = new Promise<void>((resolve) =>
      taskboard.events.on('task.completed', ({ data }) => {
        if (results.push(data.result) === 3) resolve()
      }),
    )
    await add('Write the newsletter')
    work(
      async (task, { delegate, claim }) => {
        if (task.parent_id !== null) return `the ${task.title}`
        if (claim.dependencies.length > 0) return claim.dependencies.map(({ result }) => result).join(' and ')
        return delegate([{ title: 'text' }, { title: 'layout', depends_on: [0] }], { wait: true })
      },
      { concurrency: 2 },
    )
    await all
    expect(results).toEqual(['the text', 'the layout', 'the text and the layout'])
  })

  it('fails attempts, and gives up when a retry would fail as well', async () => {
    const { add, work, next, board } = await setUp()
    const { id } = await add('Retry')
    const failed = next('task.failed')
    const attempts: unknown[] = []
    work((task, { claim }) => {
      attempts.push(
        `${task.title} ${claim.attempt} ${claim.earlierAttempts.map(({ reason }) => reason).join()}`,
      )
      throw task.title === 'Retry' ? new Error('the model answered 500') : new TaskFailure('it refuses')
    })
    await failed
    expect(await board.get(id)).toMatchObject({
      hold: { reason: 'failed', message: 'the model answered 500' },
    })
    const givenUp = next('task.failed')
    await add('Final')
    expect(await givenUp).toMatchObject({ message: 'it refuses' })
    expect(attempts).toEqual(['Retry 1 ', 'Retry 2 the model answered 500', 'Final 1 '])
  })

  it('postpones the task when it cannot work now', async () => {
    const { add, work, next, board, client } = await setUp()
    const moved = next('task.moved')
    work(() => {
      throw Object.assign(new Error('the model is down'), { retry: 'later', retryAfterMs: 7_200_000 })
    })
    const { id } = await add('Translate')
    await moved
    const { notBefore, attempts, updatedAt } = await board.get(id)
    expect([(notBefore ?? 0) - updatedAt, attempts]).toEqual([3_600_000, 0])
    const { attempts: ended } = await client.tasks.attempts(id)
    expect(ended.map(({ outcome, reason }) => [outcome, reason])).toEqual([
      ['postponed', 'the model is down'],
    ])
  })

  it('ends a run that spends the last of a budget', async () => {
    const { board, work, next } = await setUp()
    const { id } = await board.add({ title: 'Think', budget: { tokens: 10 } })
    const failed = next('task.failed')
    const reasons: string[] = []
    work(async (_task, { usage, signal, sleep }) => {
      signal.addEventListener('abort', () => reasons.push((signal.reason as Error).message))
      await usage({ model: 'm', input_tokens: 8, output_tokens: 8 })
      await sleep(60_000)
    })
    expect(await failed).toMatchObject({ taskId: id, reason: 'budget' })
    await expect.poll(() => reasons).toEqual(['the budget of the task is spent'])
  })

  it.each([
    ['by a message', { WebSocket }, 60_000],
    ['within a heartbeat, without a WebSocket', { WebSocket: Object as never }, 2_000],
  ])('aborts when its task is cancelled: %s', async (_how, extra, leaseMs) => {
    const { add, work, person, board } = await setUp(extra)
    const { id } = await add('Cancelled')
    let began: () => void
    const begun = new Promise<void>((resolve) => (began = resolve))
    const aborted = new Promise<string>((resolve) => {
      work(
        async (_task, { signal, log }) => {
          signal.addEventListener('abort', () => resolve((signal.reason as Error).message))
          await log('began')
          began()
          await never()
        },
        { leaseMs },
      )
    })
    await begun
    await person.tasks.cancel(id)
    expect(await aborted).toContain("the task is no longer the run's")
    expect(await board.get(id)).toMatchObject({ hold: { reason: 'cancelled' } })
  })

  it('gives tasks back when it stops, without a failed attempt', async () => {
    const { add, work, board } = await setUp()
    const [{ id: obedient }, { id: deaf }, { id: quick }] = [
      await add('obedient'),
      await add('deaf'),
      await add('quick'),
    ]
    let running = 0
    let began: () => void
    const begun = new Promise<void>((resolve) => (began = resolve))
    const late: unknown[] = []
    const worker = work(
      async (task, { sleep, log }) => {
        if ((running += 1) === 3) began()
        if (task.title === 'obedient') await sleep(60_000)
        await new Promise((resolve) => setTimeout(resolve, task.title === 'deaf' ? 700 : 50))
        if (task.title === 'deaf') late.push(await log('late').catch((error: Error) => error.message))
        return 'done'
      },
      { concurrency: 3 },
    )
    await begun
    await worker.stop({ drainTimeoutMs: 100 })
    await worker.done
    expect(await board.get(quick)).toMatchObject({ column: 'DONE', result: 'done' })
    for (const id of [obedient, deaf]) {
      expect(await board.get(id)).toMatchObject({ column: 'TODO', hold: null, attempts: 0, lease: null })
    }
    await expect.poll(() => late).toEqual(['the worker stops'])
  })

  it('goes on when the server was away, and ends when it is refused', async () => {
    const { add, work, next, server, url, errors, agentId, createKey } = await setUp()
    const completed = next('task.completed')
    const { port } = new URL(url)
    server.close()
    server.closeAllConnections()
    work(() => 'done')
    await expect.poll(() => errors.length).toBeGreaterThan(0)
    server.listen(Number(port), '127.0.0.1')
    await add('waits')
    await completed

    const { key } = await createKey(['tasks:read'])
    const refused = createClient({ baseUrl: url, key }).worker({ agentId, run: () => '' })
    await expect(refused.done).rejects.toMatchObject({ status: 403 })
    const stopped = AbortSignal.abort()
    await expect(
      createClient({ baseUrl: url, key }).worker({ agentId, run: () => '', signal: stopped }).done,
    ).resolves.toBe(undefined)
  })

  it('never runs two copies of a task, even when the code of a lost run goes on', async () => {
    const { add, work, next, client } = await setUp()
    const { id } = await add('Slow')
    let copies = 0
    let most = 0
    let runs = 0
    const completed = next('task.completed')
    let release: () => void = () => undefined
    const released = new Promise<void>((resolve) => (release = resolve))
    work(
      async (_task, { signal }) => {
        most = Math.max(most, (copies += 1))
        if ((runs += 1) === 1) {
          const lost = new Promise((resolve) => signal.addEventListener('abort', resolve))
          await client.tasks.move(id, { to: 'todo' })
          await lost
          setTimeout(release, 200)
          await released
        }
        copies -= 1
        return `run ${runs}`
      },
      { concurrency: 2 },
    )
    expect(await completed).toMatchObject({ result: 'run 2' })
    expect([runs, most]).toEqual([2, 1])
  })
})
