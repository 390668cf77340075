import { memoryStorage } from '@taskboard/memory'
import { virtualClock } from '@taskboard/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { fakeSocket, type FakeSocket } from '../../test/fake-socket.js'
import { createTaskboard, type Principal, type Taskboard } from '../index.js'
import { realtimeEndpoint, type CredentialRequest } from '../entries/transport.js'

const boards: Taskboard[] = []
const sockets: FakeSocket[] = []
afterEach(async () => {
  for (const { listener } of sockets.splice(0)) listener.gone()
  await Promise.all(boards.splice(0).map((board) => board.close({ drainTimeoutMs: 0 })))
})

const SECOND = 1_000
const PRINCIPAL = { id: 'user_1', kind: 'user', tier: 'professional', scopes: ['tasks:read'] } as const

type Judge = (
  authorization: string | undefined,
  principal: Principal | null,
) => Principal | null | Promise<Principal | null>

async function setUp() {
  const moving = virtualClock()
  let backMs = 0
  const clock = { ...moving, now: () => moving.now() - backMs }
  const storage = memoryStorage()
  let principal: Principal | null = null
  let judge: Judge = (_, holder) => holder
  const authenticate = (request: CredentialRequest) => judge(request.header('authorization'), principal)
  const taskboard = createTaskboard({ storage, clock, authenticate, logger: false })
  boards.push(taskboard)
  const { account, workspace } = await taskboard.accounts.create({ name: 'a', tier: 'professional' })
  principal = { ...PRINCIPAL, accountId: account.id, workspaceIds: 'all', defaultWorkspaceId: workspace.id }
  const endpoint = realtimeEndpoint(taskboard)
  const origin = { clientAddress: '203.0.113.1', header: () => undefined }
  const connect = () => {
    const socket = fakeSocket((port) => endpoint.connect(port, origin, endpoint.channel))
    sockets.push(socket)
    return socket
  }
  await taskboard.start()
  return {
    clock,
    stepBack: (byMs: number) => void (backMs += byMs),
    storage,
    taskboard,
    workspaceId: workspace.id,
    connect,
    async admitted(token = 'Bearer any'): Promise<FakeSocket> {
      const socket = connect()
      socket.say({ type: 'auth', token })
      await clock.settle()
      expect(socket.heard[0]).toMatchObject({ type: 'auth.ok' })
      return socket
    },
    judge: (by: Judge) => void (judge = by),
    change: (to: Partial<Principal> | null) => (principal = to && principal && { ...principal, ...to }),
  }
}

describe('a connection', () => {
  it('has ten seconds to authenticate, and then five to close', async () => {
    const { clock, connect } = await setUp()
    const socket = connect()
    await clock.advance({ ms: 10 * SECOND - 1 })
    expect(socket.closes).toEqual([])
    await clock.advance({ ms: 1 })
    expect(socket.closes).toEqual([4408])
    await clock.advance({ ms: 5 * SECOND })
    expect(socket.isTerminated).toBe(true)
  })

  it('stays open once authenticated, as long as it answers pings', async () => {
    const { clock, admitted } = await setUp()
    const [answers, silent] = [await admitted(), await admitted()]
    for (let beat = 0; beat < 4; beat++) {
      await clock.advance({ ms: 30 * SECOND })
      answers.listener.ponged()
    }
    expect([answers.pings, answers.isTerminated, answers.closes]).toEqual([4, false, []])
    expect([silent.pings, silent.isTerminated]).toEqual([1, true])
  })

  it('ends with its credential: at the expiry of the token, and within a second of a revocation', async () => {
    const { clock, admitted, change } = await setUp()
    const exp = clock.now() / SECOND + 1_000.25
    const payload = Buffer.from(JSON.stringify({ exp })).toString('base64url')
    const [token, key] = [await admitted(`Bearer a.${payload}.b`), await admitted()]
    await clock.advance({ ms: 20 * SECOND })
    change(null)
    expect(token.closes.concat(key.closes)).toEqual([])
    await clock.advance({ ms: SECOND })
    expect([token.closes, key.closes]).toEqual([[4401], [4401]])
    expect(key.heard.at(-1)).toMatchObject({ type: 'error', error: { code: 'AUTHENTICATION_FAILED' } })
  })

  it('is pinged and rechecked as often when the clock steps back', async () => {
    const { clock, admitted, change, stepBack } = await setUp()
    const [socket, silent] = [await admitted(), await admitted()]
    await clock.advance({ ms: 20 * SECOND })
    stepBack(3_600 * SECOND)
    await clock.advance({ ms: 40 * SECOND })
    socket.listener.ponged()
    await clock.advance({ ms: 30 * SECOND })
    expect([socket.pings >= 2, socket.isTerminated, silent.isTerminated]).toEqual([true, false, true])
    change(null)
    await clock.advance({ ms: SECOND })
    expect(socket.closes).toEqual([4401])
  })

  it('outlives a credential whose check is in progress when a newer one replaces it', async () => {
    const { clock, admitted, judge } = await setUp()
    const socket = await admitted('Bearer older')
    let answer: (principal: null) => void = () => undefined
    const slow = new Promise<null>((resolve) => (answer = resolve))
    judge((authorization, principal) => (authorization === 'Bearer older' ? slow : principal))
    await clock.advance({ ms: SECOND })
    socket.say({ type: 'auth', token: 'Bearer newer', request_id: 'again' })
    await clock.settle()
    answer(null)
    await clock.settle()
    expect(socket.heard.at(-1)).toMatchObject({ type: 'auth.ok', request_id: 'again' })
    expect(socket.closes).toEqual([])
  })

  it('is rechecked exactly when its token expires', async () => {
    const { clock, admitted, change } = await setUp()
    const payload = Buffer.from(JSON.stringify({ exp: clock.now() / SECOND + 0.25 })).toString('base64url')
    const socket = await admitted(`Bearer a.${payload}.b`)
    change(null)
    await clock.advance({ ms: 249 })
    expect(socket.closes).toEqual([])
    await clock.advance({ ms: 1 })
    expect(socket.closes).toEqual([4401])
  })

  it('ends when its rights change, and takes a newer credential with the same ones', async () => {
    const { clock, admitted, change } = await setUp()
    const socket = await admitted()
    socket.say({ type: 'auth', token: 'Bearer newer', request_id: 'again' })
    await clock.settle()
    expect(socket.heard.at(-1)).toMatchObject({ type: 'auth.ok', request_id: 'again' })
    change({ tier: 'enterprise' })
    await clock.advance({ ms: SECOND })
    expect(socket.closes).toEqual([])
    change({ scopes: ['tasks:read', 'agents:read'] })
    socket.say({ type: 'auth', token: 'Bearer other' })
    await clock.settle()
    expect(socket.heard.at(-1)).toMatchObject({ type: 'error', error: { code: 'CONFLICT' } })
    await clock.advance({ ms: SECOND })
    expect(socket.closes).toEqual([4403])
  })

  it('is closed when too much waits for its peer, and receives nothing more', async () => {
    const { clock, taskboard, workspaceId, admitted } = await setUp()
    const socket = await admitted()
    socket.say({ type: 'subscribe', channels: ['tasks'] })
    await clock.settle()
    Object.assign(socket, { bufferedBytes: 1_048_577 })
    await taskboard.board(workspaceId).add({ title: 'one' })
    await clock.settle()
    expect(socket.closes).toEqual([4409])
    const { length } = socket.heard
    await taskboard.board(workspaceId).add({ title: 'two' })
    await clock.settle()
    expect(socket.heard).toHaveLength(length)
  })

  it('keeps its slot over a lost lease while one is free, and ends when others have taken it', async () => {
    const { clock, storage, workspaceId, admitted, taskboard } = await setUp()
    const { accountId } = await taskboard.accounts.getWorkspace(workspaceId)
    const [kept, evicted] = [await admitted(), await admitted()]
    const at = { now: clock.now() + 31 * SECOND }
    await storage.realtime.leaseHolder({ holderId: 'proc_other', leaseMs: 3_600 * SECOND, step: 'begin' }, at)
    for (let n = 0; n < 24; n++) {
      const request = { slotId: `other_${n}`, accountId, holderId: 'proc_other', limit: 25, leaseMs: 30_000 }
      expect(await storage.realtime.acquireSlot(request, at)).toBe('taken')
    }
    await clock.advance({ ms: 10 * SECOND })
    expect([kept.closes, evicted.closes]).toEqual([[], [4429]])
  })

  it('leaves no timer when the board closes', async () => {
    const { clock, taskboard, admitted } = await setUp()
    const socket = await admitted()
    const closing = taskboard.close({ drainTimeoutMs: 0 })
    await expect.poll(() => socket.closes).toEqual([1001])
    socket.listener.gone()
    await closing
    expect(clock.pending().timers).toEqual([])
  })
})

describe('the channel', () => {
  it('accepts no socket before the start', async () => {
    const taskboard = createTaskboard({ storage: memoryStorage(), clock: virtualClock() })
    boards.push(taskboard)
    const { channel, connect, isOpen } = realtimeEndpoint(taskboard)
    const origin = { clientAddress: '203.0.113.1', header: () => undefined }
    expect(isOpen).toBe(false)
    expect(() => fakeSocket((port) => connect(port, origin, channel))).toThrow('not open')
  })

  it('sends events of the workspaces within a credential’s reach, and of no others', async () => {
    const { clock, taskboard, workspaceId, admitted, change } = await setUp()
    const { accountId } = (await taskboard.accounts.getWorkspace(workspaceId)) ?? {}
    const other = await taskboard.accounts.createWorkspace(accountId ?? '', { name: 'other' })
    change({ workspaceIds: [workspaceId] })
    const socket = await admitted()
    socket.say({ type: 'subscribe', channels: ['tasks'] })
    await clock.settle()
    expect(socket.heard.at(-1)).toMatchObject({ type: 'subscribed', seq: { [workspaceId]: 0 } })
    await taskboard.board(other.id).add({ title: 'unseen' })
    await taskboard.board(workspaceId).add({ title: 'seen' })
    await clock.settle()
    const received = socket.heard.filter(({ type }) => type === 'task.created')
    expect(received.map(({ workspace_id: id }) => id)).toEqual([workspaceId])
  })

  it('ignores further messages of a connection that is closing', async () => {
    const { clock, admitted, change } = await setUp()
    const socket = await admitted()
    change(null)
    await clock.advance({ ms: SECOND })
    const { length } = socket.heard
    socket.say({ type: 'ping' })
    await clock.settle()
    expect([socket.closes, socket.heard.length]).toEqual([[4401], length])
  })

  it('ends the connections of one endpoint, and leaves those of others', async () => {
    const { taskboard, clock, admitted } = await setUp()
    const before = await admitted()
    const endpoint = realtimeEndpoint(taskboard)
    const origin = { clientAddress: '203.0.113.1', header: () => undefined }
    const own = fakeSocket((port) => endpoint.connect(port, origin, endpoint.channel))
    sockets.push(own)
    endpoint.leave('taken off')
    await clock.settle()
    expect([own.closes, before.closes]).toEqual([[1001], []])
  })
})
