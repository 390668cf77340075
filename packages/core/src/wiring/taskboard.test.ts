import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { virtualClock, webhookReceiver } from '@taskboard/testing'
import { memoryStorage } from '@taskboard/memory'
import { afterEach, describe, expect, it } from 'vitest'
import { defineAgent, type AgentDefinition } from '../agents/index.js'
import type { NotificationChannel } from '../events/index.js'
import type { Storage } from '../storage/index.js'
import { createTaskboard, type Taskboard } from './taskboard.js'
import type { TaskboardOptions } from './taskboard-options.js'
import type { Sender } from '../webhooks/index.js'

const open: Taskboard[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((taskboard) => taskboard.close({ drainTimeoutMs: 0 })))
})

const echo = defineAgent({ type: 'echo', concurrency: 4, run: (task) => `did ${task.title}` })

async function setUp(options: Partial<TaskboardOptions> & { agents?: readonly AgentDefinition[] } = {}) {
  const clock = virtualClock(Date.UTC(2026, 0, 1))
  const taskboard = createTaskboard({
    storage: memoryStorage(),
    clock,
    agents: [echo],
    logger: false,
    ...options,
  })
  open.push(taskboard)
  const { account, workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'professional' })
  return { clock, taskboard, account, workspace, board: taskboard.board(workspace.id) }
}

describe('a task board', () => {
  it('gives the channels of the host the page of the task, while there is one', async () => {
    const urls: (string | null)[] = []
    const mail: NotificationChannel = { name: 'mail', send: async ({ url }) => void urls.push(url) }
    const { clock, taskboard, workspace, board } = await setUp({
      agents: [],
      notifications: [mail],
      publicUrl: 'https://app.example/kanban/',
    })
    await taskboard.notifications.configure(workspace.id, 'mail', {})
    await taskboard.start()
    const { id } = await board.add({ title: 'Refund' })
    await board.delete(id)
    await clock.settle()
    expect(urls).toEqual([`https://app.example/kanban/dashboard/#/tasks/${id}`, null])
  })

  it('works a task from TODO to DONE and emits its events', async () => {
    const { clock, taskboard, board } = await setUp()
    const seen: string[] = []
    taskboard.events.on('*', (event) => seen.push(event.type))
    await taskboard.start()
    const { id } = await board.add({ title: 'Write' })
    await clock.settle()
    expect(await board.get(id)).toMatchObject({ column: 'DONE', result: 'did Write' })
    expect(seen.filter((type) => type.startsWith('task.'))).toEqual([
      'task.created',
      'task.started',
      'task.completed',
    ])
  })

  it('runs nothing before start, and nothing after close', async () => {
    const { clock, taskboard, board } = await setUp()
    const { id } = await board.add({ title: 'Write' })
    await clock.advance({ hours: 1 })
    expect((await board.get(id)).column).toBe('TODO')
    await taskboard.start()
    await clock.settle()
    expect((await board.get(id)).column).toBe('DONE')
    await taskboard.close()
    const late = await board.add({ title: 'Late' })
    await clock.advance({ hours: 1 })
    expect((await board.get(late.id)).column).toBe('TODO')
  })

  it('emits events that happen while it starts', async () => {
    const storage = memoryStorage()
    let isAdded = false
    const { clock, taskboard, board } = await setUp({
      agents: [],
      storage: {
        ...storage,
        events: {
          ...storage.events,
          onCommit(listener) {
            if (!isAdded) void board.add({ title: 'Just before anybody listens' })
            isAdded = true
            return storage.events.onCommit(listener)
          },
        },
      },
    })
    const seen: string[] = []
    taskboard.events.on('*', (event) => seen.push(event.type))
    await taskboard.start()
    await clock.settle()
    expect(seen).toContain('task.created')
  })

  it('reads the log only while it has listeners, and emits later events to a new listener', async () => {
    const storage = memoryStorage()
    let pages = 0
    const { events } = storage
    const counting: typeof storage = {
      ...storage,
      events: { ...events, readFeed: (...page) => ((pages += 1), events.readFeed(...page)) },
    }
    const { clock, taskboard, board } = await setUp({ storage: counting })
    await taskboard.start()
    await board.add({ title: 'Unheard' })
    await clock.settle()
    expect(pages).toBe(0)
    const titles: string[] = []
    const stop = taskboard.events.on('task.created', ({ data }) => titles.push(data.title))
    await board.add({ title: 'Heard' })
    await clock.settle()
    expect(titles).toEqual(['Heard'])
    stop()
    const read = pages
    await board.add({ title: 'Unheard again' })
    await clock.settle()
    expect(pages).toBe(read)
  })

  it('continues when its logger throws', async () => {
    const fail = (): never => {
      throw new Error('the log is full')
    }
    const agent = defineAgent({
      type: 'unlucky',
      run: () => {
        throw new Error('no luck')
      },
    })
    const logger = { debug: fail, info: fail, warn: fail, error: fail, fatal: fail }
    const { clock, taskboard, board } = await setUp({ agents: [agent], logger, attempts: { max: 2 } })
    taskboard.events.on('*', fail)
    await taskboard.start()
    const { id } = await board.add({ title: 'Write' })
    await clock.advance({ minutes: 1 })
    expect(await board.get(id)).toMatchObject({ attempts: 2, hold: { reason: 'failed' } })
  })

  it('starts and closes once, however often it is called', async () => {
    const { taskboard } = await setUp()
    await Promise.all([taskboard.start(), taskboard.start()])
    await Promise.all([taskboard.close(), taskboard.close()])
    await expect(taskboard.start()).rejects.toMatchObject({ code: 'CONFLICT' })
  })

  it('ends the chats in progress when it closes, and leaves none of their timers', async () => {
    const agent = defineAgent({
      type: 'mute',
      run: () => '',
      chat: () => new Promise<string>(() => undefined),
    })
    const { clock, taskboard, board } = await setUp({ agents: [agent] })
    await taskboard.start()
    const asked = board.chat({ message: 'anybody there?' }).catch((error: unknown) => error)
    await clock.settle()
    await taskboard.close()
    expect(await asked).toMatchObject({ code: 'AGENT_UNAVAILABLE' })
    await expect(board.chat({ message: 'and now?' })).rejects.toMatchObject({ code: 'AGENT_UNAVAILABLE' })
    expect(clock.pending().timers).toEqual([])
  })

  it('can be closed without having been started', async () => {
    const { taskboard } = await setUp()
    await expect(taskboard.close()).resolves.toBeUndefined()
  })

  it('can be started again when the storage could not be opened', async () => {
    const storage = memoryStorage()
    let broken = true
    const flaky: Storage = Object.assign(Object.create(storage) as Storage, {
      async open() {
        if (broken) throw new Error('no connection')
      },
    })
    const { clock, taskboard, board } = await setUp({ storage: flaky })
    await expect(taskboard.start()).rejects.toThrow('no connection')
    broken = false
    await taskboard.start()
    const { id } = await board.add({ title: 'Write' })
    await clock.settle()
    expect((await board.get(id)).column).toBe('DONE')
  })

  it('leaves the storage closed when it could not start, and can be started again', async () => {
    const storage = memoryStorage()
    const said: string[] = []
    let broken = true
    const flaky: Storage = {
      ...storage,
      open: async () => void said.push('open'),
      close: async () => void said.push('close'),
      events: {
        ...storage.events,
        async feedEnd() {
          if (broken) throw new Error('connection lost')
          return storage.events.feedEnd({ after: null }, { now: null })
        },
      },
    }
    const { taskboard } = await setUp({ storage: flaky })
    await expect(taskboard.start()).rejects.toThrow('connection lost')
    expect(said).toEqual(['open', 'close'])
    broken = false
    await taskboard.start()
    expect(said).toEqual(['open', 'close', 'open'])
  })

  it('closes everything else when a part fails to close, and rejects', async () => {
    const storage = memoryStorage()
    let closed = 0
    const counting: Storage = { ...storage, close: async () => void (closed += 1) }
    const sender: Sender = {
      send: () => Promise.reject(new Error('not asked for')),
      close: () => Promise.reject(new Error('the sender is stuck')),
    }
    const { clock, taskboard } = await setUp({ storage: counting, webhooks: { sender } })
    open.pop()
    await taskboard.start()
    await expect(taskboard.close()).rejects.toThrow('the sender is stuck')
    expect(closed).toBe(1)
    expect(clock.pending()).toEqual({ timers: [], works: [] })
  })

  it('shares the drain timeout between runs and sends', async () => {
    const slow = defineAgent({ type: 'slow', run: (_, { sleep }) => sleep(3_600_000) })
    const { clock, taskboard, board, workspace } = await setUp({
      agents: [slow],
      webhooks: { allow: ['127.0.0.0/8'] },
    })
    const receiver = await webhookReceiver({ clock })
    try {
      receiver.hang()
      await taskboard.webhooks.register(workspace.id, { url: receiver.url, events: ['task.created'] })
      await taskboard.start()
      const { id } = await board.add({ title: 'Done another time' })
      await clock.settle()
      expect(receiver.deliveries).toHaveLength(1)
      const askedAt = clock.now()
      const closing = taskboard.close({ drainTimeoutMs: 1_500 }).then(() => clock.now())
      await clock.advance(5_000)
      expect((await closing) - askedAt).toBe(1_500)
      expect((await board.get(id)).column).toBe('TODO')
    } finally {
      await receiver.close()
    }
  })

  it('delivers webhooks, and keeps their secrets sealed in the storage', async () => {
    const storage = memoryStorage()
    const { clock, taskboard, board, workspace } = await setUp({
      storage,
      webhooks: { allow: ['127.0.0.0/8'] },
    })
    const receiver = await webhookReceiver({ clock })
    try {
      const secret = 'correct horse battery staple'
      await taskboard.webhooks.register(workspace.id, {
        url: receiver.url,
        events: ['task.completed'],
        secret,
      })
      await taskboard.start()
      await board.add({ title: 'Größe 📦' })
      await clock.settle()
      expect(receiver.deliveries).toHaveLength(1)
      const stored = await storage.webhooks.listWebhooks({ within: workspace.id }, { now: clock.now() })
      expect(JSON.stringify(stored)).not.toContain(secret)
    } finally {
      await receiver.close()
    }
  })

  it('commits and rolls back with a transaction', async () => {
    const { clock, taskboard, board } = await setUp({ agents: [] })
    const failure = new Error('the host changed its mind')
    await expect(
      taskboard.transaction(async (tx) => {
        await board.add({ title: 'Never' }, { tx })
        throw failure
      }),
    ).rejects.toBe(failure)
    const kept = await taskboard.transaction((tx) => board.add({ title: 'Kept' }, { tx }))
    await clock.settle()
    expect((await board.list('TODO')).tasks.map((task) => task.id)).toEqual([kept.id])
  })

  it('creates an agent of the first type in new workspaces, unless configured not to', async () => {
    const { taskboard, workspace } = await setUp()
    expect(await taskboard.agents.list(workspace.id)).toMatchObject([{ type: 'echo', name: 'echo' }])
    const bare = await setUp({ createDefaultAgent: false })
    expect(await bare.taskboard.agents.list(bare.workspace.id)).toEqual([])
    const agent = await bare.taskboard.agents.create(bare.workspace.id, { name: 'Eve', type: 'echo' })
    expect(await bare.taskboard.agents.get(bare.workspace.id, agent.id)).toEqual(agent)
    await expect(
      bare.taskboard.agents.create(bare.workspace.id, { name: ' ', type: 'echo' }),
    ).rejects.toMatchObject({
      code: 'INVALID_FIELD',
      field: 'name',
    })
  })
})

describe('createTaskboard', () => {
  const durable = (): Storage => Object.assign(Object.create(memoryStorage()) as Storage, { durable: true })

  it('requires an encryption key for a durable storage', () => {
    expect(() => createTaskboard({ storage: durable() })).toThrow(
      expect.objectContaining({ code: 'INVALID_CONFIG', field: 'secrets.encryptionKey' }),
    )
    const secrets = { encryptionKey: 'ab'.repeat(32) }
    expect(() => createTaskboard({ storage: durable(), secrets })).not.toThrow()
  })

  it.each([
    [{ priority: { weights: { flag: -1 } } }, 'weights.flag'],
    [{ agents: [echo, echo] }, 'agents'],
    [{ limits: { boardPerMinute: 0 } }, 'limits.boardPerMinute'],
    [{ attempts: { max: 0 } }, 'attempts.max'],
    [{ tiers: { custom: { quota: { agents: -1 } } } }, 'tiers.custom.quota.agents'],
    [{ attempts: { backoff: { baseMs: -1, factor: 2, maxMs: 5 } } }, 'attempts.backoff'],
    [{ bounds: { bodyLimitBytes: 0 } }, 'bounds.bodyLimitBytes'],
    [{ pollIntervalMs: 0 }, 'pollIntervalMs'],
    [{ retention: { eventsMs: 0 } }, 'retention.eventsMs'],
    [{ paths: { board: 'api' } }, 'paths.board'],
    [{ paths: { webhooks: '/api/board' } }, 'paths'],
    [{ paths: { dashboard: '/api/board' } }, 'paths'],
    [{ paths: { dashboard: 'dashboard' } }, 'paths.dashboard'],
    [{ paths: { dashboard: '/' } }, 'paths.dashboard'],
    [{ paths: { dashboard: '/dash//' } }, 'paths.dashboard'],
    [{ paths: { dashboard: '/:tenant' } }, 'paths.dashboard'],
    [{ paths: { dashboard: 7 as never } }, 'paths.dashboard'],
    [{ paths: { dashboard: '/board/..' } }, 'paths.dashboard'],
    [{ paths: { dashboard: '/./board' } }, 'paths.dashboard'],
    [{ publicUrl: '' }, 'publicUrl'],
    [{ publicUrl: '/kanban' }, 'publicUrl'],
    [{ publicUrl: 'ftp://app.example' }, 'publicUrl'],
    [{ publicUrl: 'https://app.example/?a=1' }, 'publicUrl'],
    [{ publicUrl: 'https://ada:pw@app.example' }, 'publicUrl'],
    [{ publicUrl: 'https://:pw@app.example' }, 'publicUrl'],
    [{ publicUrl: 'https://app.example//' }, 'publicUrl'],
    [{ publicUrl: 'https://app.example/kanban//' }, 'publicUrl'],
    [{ publicUrl: 'https://app.example/a;b' }, 'publicUrl'],
    [{ publicUrl: 7 as never }, 'publicUrl'],
  ] as const)('refuses %j and names %s', (options, field) => {
    expect(() => createTaskboard({ storage: memoryStorage(), ...options })).toThrow(
      expect.objectContaining({ code: 'INVALID_CONFIG', field }),
    )
  })
})

describe('a process', () => {
  const run = promisify(execFile)
  const script = (body: string) => `
    import { createTaskboard, defineAgent } from '@taskboard/core'
    import { memoryStorage } from '@taskboard/memory'
    let running = 0
    const agents = [defineAgent({ type: 'stuck', concurrency: 10_000, run: () => new Promise(() => void running++) })]
    const taskboard = createTaskboard({ storage: memoryStorage(), agents })
    const { workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'custom' })
    const board = taskboard.board(workspace.id)
    ${body}`

  async function inProcess(body: string): Promise<string> {
    const args = [
      '--import',
      'tsx',
      '--conditions',
      '@taskboard/source',
      '--input-type=module',
      '-e',
      script(body),
    ]
    const { stdout } = await run(process.execPath, args, { cwd: import.meta.dirname, timeout: 20_000 })
    return stdout.trim()
  }

  it('that only creates and uses a task board ends on its own', async () => {
    expect(await inProcess(`await board.add({ title: 'x' }); console.log('done')`)).toBe('done')
  })

  it('ends on its own after close, with ten thousand tasks in flight', async () => {
    const output = await inProcess(`
      for (let i = 0; i < 10_000; i++) await board.add({ title: 'task ' + i })
      await taskboard.start()
      while (running < 10_000) await new Promise((resolve) => setTimeout(resolve, 5))
      await taskboard.close({ drainTimeoutMs: 100 })
      const left = await board.list('DOING', { limit: 1 })
      console.log(running, left.tasks.length)`)
    expect(output).toBe('10000 0')
  })
})
