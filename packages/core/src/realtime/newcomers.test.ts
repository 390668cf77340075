import { memoryStorage } from '@taskboard/memory'
import { virtualClock } from '@taskboard/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { fakeSocket, type FakeSocket } from '../../test/fake-socket.js'
import { createTaskboard, type Taskboard, type TaskboardOptions } from '../index.js'
import { realtimeEndpoint, type RealtimeProtocol } from '../entries/transport.js'

const boards: Taskboard[] = []
const sockets: FakeSocket[] = []
afterEach(async () => {
  for (const { listener } of sockets.splice(0)) listener.gone()
  await Promise.all(boards.splice(0).map((board) => board.close({ drainTimeoutMs: 0 })))
})

const OURS = '203.0.113.1'
const THEIRS = '198.51.100.7'

async function setUp(options: Pick<TaskboardOptions, 'bounds' | 'telemetry'> = {}) {
  const clock = virtualClock()
  const taskboard = createTaskboard({ storage: memoryStorage(), clock, logger: false, ...options })
  boards.push(taskboard)
  const { account, workspace } = await taskboard.accounts.create({ name: 'a', tier: 'custom' })
  const { key } = await taskboard.accounts.createKey({
    accountId: account.id,
    name: 'ours',
    scopes: ['tasks:read'],
  })
  await taskboard.start()
  const endpoint = realtimeEndpoint(taskboard)
  const originOf = (clientAddress: string) => ({ clientAddress, header: () => undefined })
  /** What an upgrade is answered with: 101 when it is accepted. */
  function connect(address: string, protocol: RealtimeProtocol = endpoint.channel) {
    const refusal = endpoint.refuse(originOf(address))
    if (refusal !== null) return { status: refusal.status, headers: refusal.headers, socket: null }
    const socket = fakeSocket((port) => endpoint.connect(port, originOf(address), protocol))
    sockets.push(socket)
    return { status: 101, headers: {}, socket }
  }
  async function authenticate({ socket }: ReturnType<typeof connect>): Promise<FakeSocket> {
    socket?.say({ type: 'auth', token: `Bearer ${key}` })
    await clock.settle()
    expect(socket?.heard[0]).toMatchObject({ type: 'auth.ok' })
    return socket as FakeSocket
  }
  return { clock, taskboard, workspace, connect, authenticate, endpoint, originOf }
}

const countOf = (statuses: readonly { readonly status: number }[], wanted: number): number =>
  statuses.filter(({ status }) => status === wanted).length

describe('connections without a credential', () => {
  it('are twenty of an address: of 1,000, the others get 429 with the wait, and connections of that address go on', async () => {
    const { clock, taskboard, workspace, connect, authenticate } = await setUp()
    const ours = await authenticate(connect(THEIRS))
    ours.say({ type: 'subscribe', channels: ['tasks'] })
    await clock.settle()
    const theirs = Array.from({ length: 1_000 }, () => connect(THEIRS))
    expect([countOf(theirs, 101), countOf(theirs, 429)]).toEqual([20, 980])
    expect(theirs.at(-1)?.headers).toMatchObject({ 'retry-after': '10' })
    await taskboard.board(workspace.id).add({ title: 'go on' })
    await clock.settle()
    expect(ours.heard.at(-1)).toMatchObject({ type: 'task.created' })
    await authenticate(connect(OURS))
    // After ten seconds they are closed, and five seconds later their places are free.
    await clock.advance({ ms: 10_000 })
    expect(connect(THEIRS).status).toBe(429)
    await clock.advance({ ms: 5_000 })
    expect(connect(THEIRS).status).toBe(101)
    expect(ours.closes).toEqual([])
  })

  it('are 1,000 in all, of which the last hundred are of addresses that have authenticated before', async () => {
    const { clock, taskboard, workspace, connect, authenticate } = await setUp()
    const ours = await authenticate(connect(OURS))
    ours.say({ type: 'subscribe', channels: ['tasks'] })
    await clock.settle()
    const theirs = Array.from({ length: 2_000 }, (_, i) => connect(`10.0.${i >> 8}.${i & 255}`))
    expect([countOf(theirs, 101), countOf(theirs, 503)]).toEqual([900, 1_100])
    expect(theirs.at(-1)?.headers).toMatchObject({ 'retry-after': '10' })
    await taskboard.board(workspace.id).add({ title: 'go on' })
    await clock.settle()
    expect(ours.heard.at(-1)).toMatchObject({ type: 'task.created' })
    await authenticate(connect(OURS))
    expect(connect(THEIRS).status).toBe(503)
    await clock.advance({ ms: 15_000 })
    expect(connect(THEIRS).status).toBe(101)
  })

  it('count by network where addresses are IPv6', async () => {
    const { connect } = await setUp()
    const theirs = Array.from({ length: 21 }, (_, i) => connect(`2001:db8::${i}`))
    expect([countOf(theirs, 101), countOf(theirs, 429)]).toEqual([20, 1])
    expect(connect('2001:db8:0:1::1').status).toBe(101)
  })

  it('leave room for others, however many IPv6 networks of an attacker they come from', async () => {
    const { clock, connect, authenticate } = await setUp()
    const known = await authenticate(connect('2001:db8:5:1::1'))
    const statusOf = (address: string) => connect(address).status
    const ofOneSite = Array.from({ length: 2_000 }, (_, i) => connect(`2001:db8:5:${i.toString(16)}::1`))
    expect([countOf(ofOneSite, 101), countOf(ofOneSite, 429)]).toEqual([90, 1_910])
    expect(['2001:db8:6::1', '2001:db9::1', OURS].map(statusOf)).toEqual([101, 101, 101])
    const ofOneProvider = Array.from({ length: 9_000 }, (_, i) =>
      connect(`2001:db8:${(i >> 3).toString(16)}::1`),
    )
    expect(countOf(ofOneProvider, 101)).toBe(450 - 90 - 1)
    expect(['2001:db8:7::1', '2001:db9::1', OURS].map(statusOf)).toEqual([429, 101, 101])
    // Whoever has authenticated from there before comes back.
    known.terminate()
    known.listener.gone()
    await authenticate(connect('2001:db8:5:1::2'))
    await clock.advance({ ms: 15_000 })
    expect(['2001:db8:5::1', '2001:db8:7::1'].map(statusOf)).toEqual([101, 101])
  })

  it('leave room for others also when an attacker has authenticated from many IPv6 networks', async () => {
    const { connect, authenticate } = await setUp()
    const addresses = Array.from({ length: 50 }, (_, i) => `2001:db8:5:${i.toString(16)}::1`)
    for (const address of [OURS, ...addresses]) (await authenticate(connect(address))).terminate()
    const flood = Array.from({ length: 1_000 }, (_, i) => connect(addresses[i % 50] ?? ''))
    expect([countOf(flood, 101), countOf(flood, 429)]).toEqual([180, 820])
    expect([OURS, THEIRS, '2001:db8:6::1'].map((address) => connect(address).status)).toEqual([101, 101, 101])
  })

  it('give their place back once, when they leave or have a credential', async () => {
    const bounds = { unauthenticatedPerAddress: 1, unauthenticated: 2 }
    const { clock, connect, authenticate } = await setUp({ bounds })
    const [first, second] = [connect(THEIRS), connect(OURS)]
    expect(connect('192.0.2.9').status).toBe(503)
    first.socket?.terminate()
    first.socket?.listener.gone()
    await authenticate(second)
    second.socket?.terminate()
    expect([connect('192.0.2.9').status, connect(OURS).status, connect('192.0.2.8').status]).toEqual([
      101, 101, 503,
    ])
    await clock.settle()
  })

  it('do not count where the request of the connection had a credential already', async () => {
    const { connect, endpoint, originOf } = await setUp({ bounds: { unauthenticatedPerAddress: 1 } })
    const protocol = { ...endpoint.channel, path: '/for-callers', isForCallers: true }
    const open = (): void =>
      void sockets.push(fakeSocket((port) => endpoint.connect(port, originOf(THEIRS), protocol)))
    open()
    open()
    expect(connect(THEIRS).status).toBe(101)
    open()
    expect(() => endpoint.connect(fakePort(), originOf(THEIRS), endpoint.channel)).toThrow(
      expect.objectContaining({ code: 'RATE_LIMITED', retryAfterMs: 10_000 }),
    )
  })

  it('are reported to telemetry when they are refused', async () => {
    const measured: unknown[] = []
    const { connect } = await setUp({
      bounds: { unauthenticatedPerAddress: 1 },
      telemetry: {
        span: (_, work) => work({ traceparent: null, set: () => undefined }),
        detached: (work) => work(),
        measure: (measurement) => void measured.push(measurement),
        observe: () => () => undefined,
      },
    })
    connect(THEIRS)
    connect(THEIRS)
    expect(measured).toContainEqual({ kind: 'refusal', limit: 'unauthenticated' })
  })
})

function fakePort() {
  const nothing = (): void => undefined
  return { bufferedBytes: 0, send: nothing, ping: nothing, close: nothing, terminate: nothing }
}
