import { context, SpanKind, trace } from '@opentelemetry/api'
import { defineAgent, TaskFailure, type Storage } from '@taskboard/core'
import { toFetchHandler } from '@taskboard/core/transport'
import { memoryStorage } from '@taskboard/memory'
import { virtualClock, webhookReceiver } from '@taskboard/testing'
import { afterEach, describe, expect, it } from 'vitest'
import type { OtlpReceiver, ReceivedPoint } from '../test/otlp-receiver.js'
import { tracedBoard } from '../test/traced-board.js'
import { otelTelemetry } from './index.js'

const SECRET = 'hunter2'

const cleanUps: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

async function setUp(options: Parameters<typeof tracedBoard>[0] = {}) {
  const board = await tracedBoard(options)
  cleanUps.push(board.close)
  return board
}

function pointsOf(collector: OtlpReceiver, name: string): readonly ReceivedPoint[] {
  return collector.points().filter((point) => point.name === name)
}

describe('the metrics', () => {
  it('are all that the page lists, and have no id among their attributes', async () => {
    const clock = virtualClock()
    const receiver = await webhookReceiver({ clock })
    cleanUps.push(() => receiver.close())
    const { taskboard, sdk, collector, account, workspaceId } = await setUp({
      clock,
      attempts: { max: 1 },
      limits: { boardPerMinute: 1 },
      prices: { small: { inputUsd: 1, outputUsd: 2 } },
      agents: [
        defineAgent({
          type: 'translation',
          async run(task, { usage, sleep }) {
            await sleep(2_000)
            await usage({ model: 'small', inputTokens: 1_000, outputTokens: 100, cachedInputTokens: 400 })
            if (task.title === 'fails') throw new TaskFailure(`with ${SECRET}`)
            return 'done'
          },
        }),
      ],
    })
    await taskboard.webhooks.register(workspaceId, {
      url: receiver.url,
      events: ['task.completed', 'task.failed'],
    })
    receiver.respond(({ body }) => (JSON.parse(String(body)).event === 'task.failed' ? 500 : 200))
    const board = taskboard.board(workspaceId)
    const { id } = await board.add({ title: 'works' })
    await clock.advance({ seconds: 10 })
    await board.add({ title: 'fails' })
    await clock.advance({ seconds: 10 })
    await board.add({ title: 'waits', notBefore: clock.now() + 3_600_000 })
    const { key } = await taskboard.accounts.createKey({
      accountId: account.id,
      workspaceId,
      name: 'script',
      scopes: ['tasks:read'],
    })
    const handle = toFetchHandler(taskboard)
    const list = () =>
      handle(
        new Request('https://board.example/api/board?action=todo', {
          headers: { authorization: `Bearer ${key}` },
        }),
      )
    expect([(await list()).status, (await list()).status]).toEqual([200, 429])
    await sdk.flush()

    expect(pointsOf(collector, 'taskboard.tasks.waiting')).toMatchObject([{ value: 1, unit: '{task}' }])
    expect(pointsOf(collector, 'taskboard.tasks.running')).toMatchObject([{ value: 0 }])
    expect(pointsOf(collector, 'taskboard.realtime.connections')).toMatchObject([{ value: 0 }])
    expect(pointsOf(collector, 'taskboard.claim.latency')).toMatchObject([{ count: 2, unit: 's' }])
    const runs = pointsOf(collector, 'messaging.process.duration')
    expect(
      runs.map(({ attributes, value, count }) => [attributes['taskboard.outcome'], value, count]),
    ).toEqual([
      ['completed', 2, 1],
      ['failed', 2, 1],
    ])
    const deliveries = pointsOf(collector, 'taskboard.deliveries')
    expect(deliveries.map(({ attributes }) => attributes)).toEqual([
      { 'taskboard.event.type': 'task.completed', 'taskboard.outcome': 'succeeded' },
      { 'taskboard.event.type': 'task.failed', 'taskboard.outcome': 'retry' },
    ])
    expect(pointsOf(collector, 'taskboard.delivery.duration')).toHaveLength(2)
    expect(pointsOf(collector, 'taskboard.limiter.refusals')).toMatchObject([
      { value: 1, attributes: { 'taskboard.limit': 'board' } },
    ])
    const tokens = pointsOf(collector, 'gen_ai.client.token.usage')
    expect(tokens.map(({ attributes, value }) => [attributes['gen_ai.token.type'], value])).toEqual([
      ['input', 2_000],
      ['output', 200],
    ])
    expect(tokens[0]?.attributes['gen_ai.request.model']).toBe('small')
    expect(pointsOf(collector, 'taskboard.usage.cached_tokens')).toMatchObject([{ value: 800 }])
    expect(pointsOf(collector, 'taskboard.usage.cost')[0]?.value).toBeCloseTo(0.0024)
    for (const { attributes } of collector.points()) {
      expect(JSON.stringify(attributes)).not.toContain(workspaceId)
      expect(JSON.stringify(attributes)).not.toContain(id)
    }
    expect(collector.text()).not.toContain(SECRET)
  })

  it('report the age of events while somebody listens', async () => {
    const clock = virtualClock()
    const { taskboard, sdk, collector, workspaceId } = await setUp({ clock })
    taskboard.events.on('task.created', () => undefined)
    await taskboard.board(workspaceId).add({ title: 'a task' })
    await clock.advance(1)
    await sdk.flush()
    expect(pointsOf(collector, 'taskboard.events.lag')).toMatchObject([{ count: 1, value: 0 }])
  })

  it('count tasks at most every 30 seconds, and leave them out while the storage fails', async () => {
    const clock = virtualClock()
    const storage = memoryStorage() as Storage
    let counted = 0
    const check: Storage['check'] = (asked, call) => {
      counted += 1
      return counted === 1 ? storage.check(asked, call) : Promise.reject(new Error('down'))
    }
    const { sdk, collector } = await setUp({ clock, storage: { ...storage, check } })
    await sdk.flush()
    await sdk.flush()
    expect([counted, pointsOf(collector, 'taskboard.tasks.waiting').length]).toEqual([1, 1])
    await clock.advance({ seconds: 30 })
    await sdk.flush()
    expect([counted, pointsOf(collector, 'taskboard.realtime.connections').length]).toEqual([2, 1])
  })

  it('have a bounded number of models, which callers choose', async () => {
    const { taskboard, sdk, collector, workspaceId } = await setUp()
    const board = taskboard.board(workspaceId)
    const { id } = await board.add({ title: 'a task' })
    for (let count = 0; count < 120; count++) {
      await board.usage(id, { model: `model-${count}`, inputTokens: 1, outputTokens: 1 })
    }
    await sdk.flush()
    const models = pointsOf(collector, 'taskboard.usage.cost').map(
      ({ attributes }) => attributes['gen_ai.request.model'],
    )
    expect(models).toHaveLength(101)
    expect(models).toContain('_OTHER')
  })
})

describe('the spans', () => {
  it('record the class and the stack of an agent’s error, and not its message', async () => {
    const { taskboard, sdk, collector, workspaceId } = await setUp({
      attempts: { max: 1 },
      agents: [
        defineAgent({ type: 'failing', run: () => Promise.reject(new RangeError(`with\n    at ${SECRET}`)) }),
      ],
    })
    const failed = new Promise((resolve) => taskboard.events.on('task.failed', resolve))
    await taskboard.board(workspaceId).add({ title: 'a task' })
    await failed
    await taskboard.close()
    await sdk.flush()
    const run = collector.spans.find(({ name }) => name === 'run failing')
    expect(run?.attributes).toMatchObject({ 'taskboard.outcome': 'failed', 'error.type': 'RangeError' })
    expect(run?.status.code).toBe(2)
    expect(run?.events[0]?.attributes['exception.stacktrace']).toMatch(/^RangeError\n\s+at /)
    expect(collector.text()).not.toContain(SECRET)
  })

  it('continue the host’s span of a request, and keep a subtask in the trace of its task', async () => {
    const { taskboard, sdk, collector, workspaceId } = await setUp({
      agents: [
        defineAgent({
          type: 'splitting',
          async run(task, { delegate }) {
            if (task.parentId === null) await delegate([{ title: 'a part' }])
            return ''
          },
        }),
      ],
    })
    const handle = toFetchHandler(taskboard)
    const tracer = sdk.tracerProvider.getTracer('host')
    const host = tracer.startSpan('the host', { kind: SpanKind.SERVER })
    await context.with(trace.setSpan(context.active(), host), () =>
      handle(new Request('https://board.example/v2/tasks', { headers: { traceparent: 'nonsense' } })),
    )
    const ended = new Promise<void>((resolve) => {
      let completed = 0
      taskboard.events.on('task.completed', () => (++completed === 2 ? resolve() : undefined))
    })
    await context.with(trace.setSpan(context.active(), host), () =>
      taskboard.board(workspaceId).add({ title: 'the whole' }),
    )
    host.end()
    await ended
    await taskboard.close()
    await sdk.flush()
    const { traceId, spanId } = host.spanContext()
    const request = collector.spans.find(({ name }) => name === 'GET /v2/tasks')
    expect(request).toMatchObject({ traceId, parentSpanId: spanId, kind: 1 })
    const ofTrace = collector.spans.filter((span) => span.traceId === traceId).map(({ name }) => name)
    expect(ofTrace.filter((name) => name === 'run splitting')).toHaveLength(2)
    expect(ofTrace.filter((name) => name === 'add tasks')).toHaveLength(2)
    // Claims are of many tasks, so that they have traces of their own.
    expect(ofTrace).not.toContain('claim tasks')
  })

  it('of a claim of many tasks are one, with a link to each', async () => {
    const clock = virtualClock()
    const { taskboard, sdk, collector, workspaceId } = await setUp({
      clock,
      agents: [defineAgent({ type: 'many', concurrency: 3, run: ({ title }) => title })],
    })
    await taskboard.board(workspaceId).addAll([{ title: 'one' }, { title: 'two' }, { title: 'three' }])
    await clock.settle()
    await sdk.flush()
    const claims = collector.spans.filter(({ name }) => name === 'claim tasks')
    expect(claims.map(({ links }) => links.length)).toEqual([3])
    const added = collector.spans.find(({ name }) => name === 'add tasks')
    expect(claims[0]?.links[0]).toEqual({ traceId: added?.traceId, spanId: added?.spanId })
  })

  const STRANGER = '0af7651916cd43dd8448eb211c80319c'
  const ask = (taskboard: Parameters<typeof toFetchHandler>[0], flags: string, more: object = {}) =>
    toFetchHandler(taskboard)(
      new Request('https://board.example/v2/tasks', {
        headers: { traceparent: `00-${STRANGER}-b7ad6b7169203331-${flags}`, ...more },
      }),
    )

  it('of a stranger’s request are in a trace of their own, with a link to the stranger’s', async () => {
    const { taskboard, sdk, collector } = await setUp()
    expect([(await ask(taskboard, '01')).status, (await ask(taskboard, '00')).status]).toEqual([401, 401])
    await sdk.flush()
    // Both are recorded: the flag of the stranger decides nothing.
    const requests = collector.spans.filter(({ name }) => name === 'GET /v2/tasks')
    expect(requests).toHaveLength(2)
    for (const { traceId, parentSpanId, links } of requests) {
      expect(traceId).not.toBe(STRANGER)
      expect(parentSpanId).toBeUndefined()
      expect(links).toEqual([{ traceId: STRANGER, spanId: 'b7ad6b7169203331' }])
    }
  })

  it('continue the traces of those whom the host trusts', async () => {
    const { taskboard, sdk, collector } = await setUp({
      otel: { trustTraceparent: (header) => header('x-gateway') === SECRET },
    })
    await ask(taskboard, '01', { 'x-gateway': SECRET })
    await ask(taskboard, '01', { 'x-gateway': 'a guess' })
    await sdk.flush()
    const requests = collector.spans.filter(({ name }) => name === 'GET /v2/tasks')
    expect(requests.map(({ traceId, links }) => [traceId === STRANGER, links.length])).toEqual([
      [true, 0],
      [false, 1],
    ])
  })

  it('are passed on to webhooks only when the host wants that', async () => {
    const clock = virtualClock()
    const receiver = await webhookReceiver({ clock })
    cleanUps.push(() => receiver.close())
    const { taskboard, workspaceId } = await setUp({ clock })
    await taskboard.webhooks.register(workspaceId, { url: receiver.url, events: ['task.created'] })
    await taskboard.board(workspaceId).add({ title: 'a task' })
    await clock.settle()
    const [delivery] = await receiver.waitFor(1)
    expect(delivery?.headers['traceparent']).toBeUndefined()
  })
})

describe('otelTelemetry without an SDK', () => {
  it('changes nothing', async () => {
    const { taskboard, workspaceId } = await setUp({
      agents: [defineAgent({ type: 'plain', run: () => 'done' })],
      otel: otelOfNothing,
    })
    const completed = new Promise((resolve) => taskboard.events.on('task.completed', resolve))
    const { traceparent } = await taskboard.board(workspaceId).add({ title: 'a task' })
    expect(traceparent).toBeNull()
    await completed
    expect(otelTelemetry().span({ kind: 'add', workspaceId, count: 1 }, () => 5)).toBe(5)
  })
})

const otelOfNothing = { tracerProvider: trace.getTracerProvider() }
