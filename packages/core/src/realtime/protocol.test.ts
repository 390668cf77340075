import { memoryStorage } from '@taskboard/memory'
import { virtualClock } from '@taskboard/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { fakeSocket, type FakeSocket } from '../../test/fake-socket.js'
import { createTaskboard, type Principal, type Taskboard } from '../index.js'
import {
  closeCodes,
  encodeFrames,
  realtimeEndpoint,
  type ChannelMessage,
  type MessageStream,
  type RealtimeConnection,
  type RealtimeProtocol,
} from '../entries/transport.js'
import type { BoundOptions } from '../limits/index.js'

const boards: Taskboard[] = []
const sockets: FakeSocket[] = []
afterEach(async () => {
  for (const { listener } of sockets.splice(0)) listener.gone()
  await Promise.all(boards.splice(0).map((board) => board.close({ drainTimeoutMs: 0 })))
})

/** A protocol that leaves its connections to the test. */
function openProtocol(received: (text: string) => Promise<void> = async () => undefined) {
  const connections: RealtimeConnection[] = []
  const ended: string[] = []
  const protocol: RealtimeProtocol = {
    path: '/other',
    subprotocols: ['other'],
    closeCodes: {
      ...closeCodes,
      authTimeout: 4001,
      internalError: 4002,
      tooSlow: 4003,
      tooManyMessages: 4004,
    },
    open(connection) {
      connections.push(connection)
      return {
        received,
        async ended() {
          ended.push(connection.id)
        },
      }
    },
  }
  return { protocol, connections, ended }
}

async function setUp(bounds: BoundOptions = {}, received?: (text: string) => Promise<void>) {
  const clock = virtualClock()
  let principal: Principal | null = null
  const taskboard = createTaskboard({
    logger: false,
    storage: memoryStorage(),
    clock,
    bounds,
    authenticate: (request) => (request.header('authorization') === 'wrong' ? null : principal),
  })
  boards.push(taskboard)
  const { account, workspace } = await taskboard.accounts.create({ name: 'a', tier: 'professional' })
  principal = {
    id: 'user_1',
    kind: 'user',
    tier: 'professional',
    scopes: ['tasks:read'],
    accountId: account.id,
    workspaceIds: 'all',
    defaultWorkspaceId: workspace.id,
  }
  await taskboard.start()
  const endpoint = realtimeEndpoint(taskboard)
  const { protocol, connections, ended } = openProtocol(received)
  const origin = { clientAddress: '203.0.113.1', header: () => undefined }
  const socket = fakeSocket((port) => endpoint.connect(port, origin, protocol))
  sockets.push(socket)
  const [connection] = connections
  if (connection === undefined) throw new Error('not opened')
  return { clock, taskboard, workspaceId: workspace.id, socket, connection, ended }
}

async function take(stream: MessageStream, count: number): Promise<readonly unknown[]> {
  const taken: unknown[] = []
  for (let n = 0; n < count; n++) {
    const { value } = await stream.next()
    taken.push(
      value?.type === 'subscribed' ? 'subscribed' : value && 'seq' in value ? value.seq : value?.type,
    )
  }
  return taken
}

describe('a further protocol', () => {
  it('has its own close codes, and is notified of the end once', async () => {
    const { clock, socket, connection, ended } = await setUp()
    await clock.advance({ ms: 10_000 })
    expect(socket.closes).toEqual([4001])
    socket.listener.gone()
    expect(ended).toEqual([connection.id])
    expect(connection.isOpen).toBe(false)
  })

  it('is admitted by a credential, and closed with the code of what is wrong with it', async () => {
    const { socket, connection } = await setUp()
    const refusal = await connection.admit('wrong').catch((error: unknown) => error)
    expect(refusal).toMatchObject({ code: 'UNAUTHORIZED' })
    await expect(connection.admit('Bearer any', 'agents:read')).rejects.toMatchObject({ code: 'FORBIDDEN' })
    expect(connection.principal).toBe(null)
    expect(await connection.admit('Bearer any')).toMatchObject({ id: 'user_1' })
    expect(await connection.recheck()).toMatchObject({ id: 'user_1' })
    connection.refuse(refusal, 'why')
    expect(socket.closes).toEqual([4401])
    expect(await connection.recheck()).toBe(null)
    await expect(connection.admit('Bearer any')).rejects.toMatchObject({ code: 'CONFLICT' })
  })

  it('ends on its own error, and on too many messages', async () => {
    const faulty = await setUp({}, () => Promise.reject(new Error('a fault')))
    faulty.socket.say({})
    await faulty.clock.settle()
    expect(faulty.socket.closes).toEqual([4002])
    const wild = await setUp({ messagesPerMinute: 2 })
    for (let n = 0; n < 3; n++) wild.socket.say({})
    expect(wild.socket.closes).toEqual([4004])
    expect(wild.socket.heard).toEqual([])
  })

  it('sends nothing after its end, and waits for no write', async () => {
    const { socket, connection } = await setUp()
    await connection.send(encodeFrames(['{"said":true}']))
    connection.end(4000, 'x'.repeat(200))
    await connection.send(encodeFrames(['{"said":false}']))
    expect(socket.heard).toEqual([{ said: true }])
  })
})

describe('a stream', () => {
  it('yields the messages of its channel from the start, and none once it is returned', async () => {
    const { clock, taskboard, workspaceId, connection } = await setUp()
    await connection.admit('Bearer any')
    const board = taskboard.board(workspaceId)
    for (let n = 0; n < 3; n++) await board.add({ title: `${n}` })
    const looked: ChannelMessage[] = []
    const stream = await connection.openStream({
      channel: `workspace.${workspaceId}`,
      since: 1,
      isWanted: (message) => looked.push(message) > 0,
    })
    expect(await take(stream, 3)).toEqual(['subscribed', 2, 3])
    const waiting = stream.next()
    await board.add({ title: 'live' })
    await clock.settle()
    expect((await waiting).value).toMatchObject({ type: 'task.created', seq: 4 })
    const pending = stream.next()
    await stream.return()
    expect(await pending).toEqual({ value: undefined, done: true })
    const { length } = looked
    await board.add({ title: 'too late' })
    await clock.settle()
    expect(looked).toHaveLength(length)
    expect(await stream.next()).toEqual({ value: undefined, done: true })
  })

  it('leaves out unwanted messages', async () => {
    const { clock, taskboard, workspaceId, connection } = await setUp()
    await connection.admit('Bearer any')
    const stream = await connection.openStream({
      channel: 'tasks',
      isWanted: (message) => message.type !== 'task.created',
    })
    const { id } = await taskboard.board(workspaceId).add({ title: 'one' })
    await taskboard.board(workspaceId).move(id, 'DONE')
    await clock.settle()
    expect(await take(stream, 2)).toEqual(['subscribed', 2])
  })

  it('ends its connection when too much is unread in all of its streams together', async () => {
    const { clock, taskboard, workspaceId, socket, connection } = await setUp({ bufferLimitBytes: 15_000 })
    await connection.admit('Bearer any')
    const board = taskboard.board(workspaceId)
    const [one, other] = [
      await connection.openStream({ channel: 'tasks' }),
      await connection.openStream({ channel: `workspace.${workspaceId}` }),
    ]
    const description = 'x'.repeat(3_000)
    for (let n = 0; n < 2; n++) {
      await board.add({ title: 'waits', description })
      await board.add({ title: 'is read', description })
      await clock.settle()
      for (const stream of [one, other]) await take(stream, 3 - n)
    }
    expect(socket.closes).toEqual([])
    for (let n = 0; n < 3; n++) await board.add({ title: 'waits', description })
    await clock.settle()
    expect(socket.closes).toEqual([4003])
    expect(await one.next()).toEqual({ value: undefined, done: true })
  })

  it('holds nothing of its connection any more once it is returned', async () => {
    const { clock, taskboard, workspaceId, socket, connection } = await setUp({ bufferLimitBytes: 15_000 })
    await connection.admit('Bearer any')
    const board = taskboard.board(workspaceId)
    for (let streams = 0; streams < 5; streams++) {
      const stream = await connection.openStream({ channel: 'tasks' })
      for (let n = 0; n < 2; n++) await board.add({ title: 'waits', description: 'x'.repeat(3_000) })
      await clock.settle()
      await stream.return()
    }
    expect(socket.closes).toEqual([])
  })

  it('replays only as fast as it is read', async () => {
    const { clock, taskboard, workspaceId, socket, connection } = await setUp({ bufferLimitBytes: 400_000 })
    await connection.admit('Bearer any')
    const board = taskboard.board(workspaceId)
    for (let n = 0; n < 100; n++) await board.add({ title: `${n}`, description: 'x'.repeat(9_000) })
    const streams = await Promise.all(
      Array.from({ length: 5 }, () =>
        connection.openStream({ channel: 'tasks', since: { [workspaceId]: 0 } }),
      ),
    )
    await clock.settle()
    const expected = ['subscribed', ...Array.from({ length: 100 }, (_, n) => n + 1)]
    const taken = await Promise.all(streams.map((stream) => take(stream, 101)))
    expect(taken).toEqual(streams.map(() => expected))
    expect(socket.closes).toEqual([])
  })
})
