import { memoryStorage } from '@taskboard/memory'
import { virtualClock } from '@taskboard/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { createTaskboard } from '../wiring/taskboard.js'
import type { TaskboardOptions } from '../wiring/taskboard-options.js'
import { channelError } from './channel-delivery.js'
import type { ChannelNotification, DeliveryTools, NotificationType } from './notification-type.js'

const events = ['task.created' as const]
const hang = (): Promise<void> => new Promise(() => undefined)

/** A type that calls `deliver`. */
function typeOf(
  deliver: (
    notification: ChannelNotification,
    tools: DeliveryTools,
    config: Readonly<Record<string, unknown>>,
  ) => Promise<void>,
): NotificationType {
  return {
    name: 'chat',
    secrets: ['token'],
    parseConfig: (config) => config,
    deliver: (notification, config, tools) => deliver(notification, tools, { ...config }),
  }
}

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

async function open(type: NotificationType, options: Partial<TaskboardOptions> = {}) {
  const clock = virtualClock(undefined, { ioPatienceMs: 20 })
  const storage = memoryStorage()
  const taskboard = createTaskboard({ storage, clock, logger: false, notifications: [type], ...options })
  closing.push(() => taskboard.close())
  const { workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'professional' })
  await taskboard.start()
  const setUp = (name: string, config: object = {}) =>
    taskboard.channels.create(workspace.id, { type: 'chat', name, config: { ...config }, events })
  const add = async (title: string) => {
    await taskboard.board(workspace.id).add({ title })
    await clock.advance({ seconds: 1 })
  }
  return { taskboard, storage, clock, workspaceId: workspace.id, setUp, add }
}

describe('delivery to users’ channels', () => {
  it('gives an event up after 24 failures, so that the next one gets through', async () => {
    const sent: string[] = []
    const { clock, setUp, add } = await open(
      typeOf(({ text }) => {
        if (text.includes('poison')) return Promise.reject(new Error('refused'))
        sent.push(text)
        return Promise.resolve()
      }),
    )
    await setUp('one')
    await add('poison')
    await add('good')
    await clock.advance({ hours: 3 })
    expect(sent).toEqual([])
    await clock.advance({ hours: 1 })
    expect(sent).toEqual(['New task: good'])
  })

  it('gives up each later event that fails as often', async () => {
    const sent: string[] = []
    const { clock, setUp, add } = await open(
      typeOf(({ text }) => {
        if (text.includes('poison')) return Promise.reject(new Error('refused'))
        sent.push(text)
        return Promise.resolve()
      }),
    )
    await setUp('one')
    for (const title of ['poison', 'more poison', 'good']) await add(title)
    await clock.advance({ hours: 8 })
    expect(sent).toEqual([])
    await clock.advance({ hours: 2 })
    expect(sent).toEqual(['New task: good'])
  })

  it('counts failures from zero after a success', async () => {
    const tries = new Map<string, number>()
    const sent: string[] = []
    const { clock, setUp, add } = await open(
      typeOf(({ text }) => {
        const count = (tries.get(text) ?? 0) + 1
        tries.set(text, count)
        if (count <= 15) return Promise.reject(new Error('busy'))
        sent.push(text)
        return Promise.resolve()
      }),
    )
    await setUp('one')
    for (const title of ['first', 'second']) await add(title)
    await clock.advance({ hours: 12 })
    expect(sent).toEqual(['New task: first', 'New task: second'])
  })

  it('sends only the types of events that the channel names', async () => {
    const sent: string[] = []
    const { taskboard, clock, workspaceId, setUp, add } = await open(
      typeOf(({ event }) => {
        sent.push(event.type)
        return Promise.resolve()
      }),
    )
    await setUp('one')
    await add('first')
    const { tasks } = await taskboard.board(workspaceId).list('TODO')
    await taskboard.board(workspaceId).move(tasks[0]?.id ?? '', 'DONE')
    await clock.advance({ minutes: 1 })
    expect(sent).toEqual(['task.created'])
  })

  it('sends what waits to the new address when a channel is changed during a send', async () => {
    const sent: string[] = []
    const { taskboard, clock, workspaceId, setUp } = await open(
      typeOf(async ({ channel, text }, _, { to }) => {
        sent.push(`${String(to)}: ${text}`)
        await taskboard.channels.update(workspaceId, channel.id, { config: { to: 'new' } })
      }),
    )
    await setUp('one', { to: 'old' })
    const board = taskboard.board(workspaceId)
    await taskboard.transaction(async (tx) => {
      for (const title of ['first', 'second', 'third']) await board.add({ title }, { tx })
    })
    await clock.advance({ minutes: 1 })
    expect(sent).toEqual(['old: New task: first', 'new: New task: second', 'new: New task: third'])
  })

  it('reaches a channel at once while more than all slots of its type are taken by channels that hang', async () => {
    const sent: string[] = []
    const { clock, setUp, add } = await open(
      typeOf(({ channel, text }) => {
        if (channel.name !== 'well') return hang()
        sent.push(text)
        return Promise.resolve()
      }),
    )
    for (let count = 0; count < 25; count++) await setUp(`hangs ${count}`)
    await setUp('well')
    await add('first')
    await clock.advance({ minutes: 2 })
    sent.length = 0
    await add('second')
    expect(sent).toEqual(['New task: second'])
  })

  it('ends with the deletion of the channel', async () => {
    const sent: string[] = []
    const { taskboard, clock, workspaceId, setUp, add } = await open(
      typeOf(({ text }) => {
        sent.push(text)
        return Promise.reject(new Error('down'))
      }),
    )
    const { id } = await setUp('one')
    await add('first')
    await taskboard.channels.delete(workspaceId, id)
    const before = sent.length
    await clock.advance({ hours: 1 })
    expect(sent.length).toBe(before)
  })

  it('retries what waits after a test that succeeds', async () => {
    const sent: string[] = []
    let isDown = true
    const { taskboard, clock, workspaceId, setUp, add } = await open(
      typeOf(({ text, isTest }) => {
        if (isDown) return Promise.reject(new Error('down'))
        sent.push(`${isTest ? 'test' : 'event'} ${text}`)
        return Promise.resolve()
      }),
    )
    const { id } = await setUp('one')
    await add('waits')
    await clock.advance({ hours: 1 })
    expect(await taskboard.channels.test(workspaceId, id)).toMatchObject({ delivered: false, error: 'down' })
    isDown = false
    expect(await taskboard.channels.test(workspaceId, id)).toMatchObject({ delivered: true, error: null })
    await clock.advance({ seconds: 1 })
    expect(sent).toEqual(['test New task: A sample task', 'event New task: waits'])
    expect(await taskboard.channels.get(workspaceId, id)).toMatchObject({
      failingSince: null,
      lastError: null,
    })
  })

  it('ends a test that hangs by its timeout, and aborts its signal', async () => {
    let aborted = false
    const { taskboard, clock, workspaceId, setUp } = await open(
      typeOf((_, { signal }) => {
        signal.addEventListener('abort', () => (aborted = true))
        return hang()
      }),
    )
    const { id } = await setUp('one')
    const test = taskboard.channels.test(workspaceId, id)
    await clock.advance({ seconds: 31 })
    expect(await test).toMatchObject({ delivered: false, error: 'no answer within 30000 ms' })
    expect(aborted).toBe(true)
  })

  it('keeps what waits for a type that the host no longer registers, and says so in a test', async () => {
    const { storage, workspaceId, setUp } = await open(typeOf(() => Promise.resolve()))
    const { id } = await setUp('one')
    const without = createTaskboard({ storage, logger: false })
    expect(await without.channels.test(workspaceId, id)).toMatchObject({
      delivered: false,
      error: 'the host has no type chat',
    })
    const change = without.channels.update(workspaceId, id, { config: {} })
    await expect(change).rejects.toThrow('type cannot be used: the host has registered none')
    await expect(without.channels.update(workspaceId, id, { name: 'two' })).resolves.toMatchObject({
      name: 'two',
    })
  })

  it('opens a secret in its workspace only', async () => {
    const { taskboard, storage, workspaceId, setUp } = await open(typeOf(() => Promise.resolve()))
    const { id } = await setUp('one', { token: 'hunter2' })
    const other = await taskboard.accounts.create({ name: 'Other', tier: 'professional' })
    const [stored] = await storage.channels.listChannels(
      { within: workspaceId, channelId: id },
      { now: null },
    )
    if (stored === undefined) throw new Error('it is stored')
    const channel = { ...stored, workspaceId: other.workspace.id }
    const { value } = await storage.channels.insertChannel({ channel, idempotency: null }, { now: null })
    const outcome = await taskboard.channels.test(other.workspace.id, value.id)
    expect(outcome).toMatchObject({ delivered: false, error: 'a stored secret could not be read' })
  })
})

describe('types of channels', () => {
  it.each([['Chat'], [''], ['a b'], ['x'.repeat(65)]])('cannot be called %j', (name) => {
    const type = { ...typeOf(() => Promise.resolve()), name }
    expect(() => createTaskboard({ storage: memoryStorage(), notifications: [type] })).toThrow(
      'each notification type requires a distinct name',
    )
  })

  it('have distinct names', () => {
    const type = typeOf(() => Promise.resolve())
    expect(() => createTaskboard({ storage: memoryStorage(), notifications: [type, type] })).toThrow(
      'each notification type requires a distinct name',
    )
  })

  it('are described by their label and the fields of their form', () => {
    const plain = typeOf(() => Promise.resolve())
    const typesOf = (type: NotificationType) =>
      createTaskboard({ storage: memoryStorage(), notifications: [type] }).channels.types
    expect(typesOf(plain)).toEqual([{ name: 'chat', label: 'chat', secrets: ['token'], fields: null }])
    const fields = {
      room: { label: 'Room', hint: 'Where it is said', optional: true },
      token: { label: 'Token' },
      people: { label: 'People', kind: 'list' },
    } as const
    expect(typesOf({ ...plain, label: 'Our chat', fields })).toEqual([
      {
        name: 'chat',
        label: 'Our chat',
        secrets: ['token'],
        fields: [
          { name: 'room', label: 'Room', hint: 'Where it is said', kind: 'text', optional: true },
          { name: 'token', label: 'Token', hint: null, kind: 'text', optional: false },
          { name: 'people', label: 'People', hint: null, kind: 'list', optional: false },
        ],
      },
    ])
    expect(() => typesOf({ ...plain, fields: { tokn: { label: 'Token' } } })).toThrow(
      'the notification type chat has no field for its secret token',
    )
  })
})

describe('channelError', () => {
  const url = 'https://hooks.example/services/T0HUNTER/B0/hunter2hunter2?key=a%20b'

  it.each([
    [new Error(`could not reach ${url}`), 'could not reach ********'],
    [new Error('GET /services/T0HUNTER/B0/hunter2hunter2 failed'), 'GET ******** failed'],
    [new Error('no token hunter2hunter2'), 'no token ********'],
    [`said ${JSON.stringify({ url })}`, 'said {"url":"********"}'],
    [new Error(encodeURIComponent(url)), '********'],
    [new Error('line one\r\n\tline two\u0000'), 'line one line two'],
    [new Error(''), 'the delivery failed'],
    [new Error('x'.repeat(500)), `${'x'.repeat(299)}…`],
  ])('shows %j without the secret', (thrown, shown) => {
    expect(channelError(thrown, [url])).toBe(shown)
  })

  it('finds secrets inside of objects', () => {
    expect(channelError(new Error('user hunter2'), [{ login: ['hunter2'] }])).toBe('user ********')
  })
})
