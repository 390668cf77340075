import { memoryStorage } from '@taskboard/memory'
import { virtualClock } from '@taskboard/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { fakeSocket, type FakeSocket } from '../../test/fake-socket.js'
import { createTaskboard, type Principal, type Taskboard } from '../index.js'
import { realtimeEndpoint } from '../entries/transport.js'
import type { RealtimeOptions } from './index.js'

const boards: Taskboard[] = []
const sockets: FakeSocket[] = []
afterEach(async () => {
  for (const { listener } of sockets.splice(0)) listener.gone()
  await Promise.all(boards.splice(0).map((board) => board.close({ drainTimeoutMs: 0 })))
})

/** A connection on a board with the host's login, and when that was called, in seconds from the start. */
async function connect(realtime: RealtimeOptions, show: 'key' | 'session', token = 'Bearer session') {
  const clock = virtualClock()
  const began = clock.now()
  const asked: number[] = []
  let principal: Principal | null = null
  const taskboard = createTaskboard({
    storage: memoryStorage(),
    clock,
    realtime: { heartbeatIntervalMs: 3_600_000, ...realtime },
    authenticate() {
      asked.push((clock.now() - began) / 1_000)
      return principal
    },
  })
  boards.push(taskboard)
  const { account, workspace } = await taskboard.accounts.create({ name: 'a', tier: 'professional' })
  const reach = { accountId: account.id, workspaceIds: 'all', defaultWorkspaceId: workspace.id } as const
  principal = { id: 'user_1', kind: 'user', tier: 'professional', scopes: ['tasks:read'], ...reach }
  const { id, key } = await taskboard.accounts.createKey({
    accountId: account.id,
    name: 'k',
    scopes: ['tasks:read'],
  })
  await taskboard.start()
  const endpoint = realtimeEndpoint(taskboard)
  const origin = { clientAddress: '203.0.113.1', header: () => undefined }
  const open = async (authorization = show === 'key' ? `Bearer ${key}` : token) => {
    const socket = fakeSocket((port) => endpoint.connect(port, origin, endpoint.channel))
    sockets.push(socket)
    socket.say({ type: 'auth', token: authorization })
    await clock.advance({ ms: 0 })
    expect(socket.heard).toMatchObject([{ type: 'auth.ok' }])
    return socket
  }
  const socket = await open()
  return {
    clock,
    asked,
    socket,
    open,
    createKey: () =>
      taskboard.accounts.createKey({ accountId: account.id, name: 'l', scopes: ['tasks:read'] }),
    logOut: () => void (principal = null),
    revoke: () => taskboard.accounts.revokeKey(account.id, id),
  }
}

describe('the host’s login', () => {
  it('is called for an open connection once a second', async () => {
    const { clock, asked } = await connect({}, 'session')
    await clock.advance({ seconds: 3 })
    expect(asked).toEqual([0, 1, 2, 3])
  })

  it('is called at the configured interval, and ends the connection of a session that has ended', async () => {
    const { clock, asked, socket, logOut } = await connect({ authenticateIntervalMs: 30_000 }, 'session')
    await clock.advance({ seconds: 65 })
    expect(asked).toEqual([0, 30, 60])
    logOut()
    await clock.advance({ seconds: 24 })
    expect(socket.closes).toEqual([])
    await clock.advance({ seconds: 1 })
    expect([asked, socket.closes]).toEqual([[0, 30, 60, 90], [4401]])
  })

  it('is called more often than keys are checked if configured so, and as often by default', async () => {
    const often = await connect({ recheckIntervalMs: 60_000, authenticateIntervalMs: 10_000 }, 'session')
    await often.clock.advance({ seconds: 30 })
    expect(often.asked).toEqual([0, 10, 20, 30])
    const alike = await connect({ recheckIntervalMs: 20_000 }, 'session')
    await alike.clock.advance({ seconds: 50 })
    expect(alike.asked).toEqual([0, 20, 40])
  })

  it('is called when the host’s own token expires', async () => {
    const at = virtualClock().now()
    const payload = Buffer.from(JSON.stringify({ exp: at / 1_000 + 5 })).toString('base64url')
    const token = `Bearer e30.${payload}.c2ln`
    const { clock, asked } = await connect({ authenticateIntervalMs: 30_000 }, 'session', token)
    await clock.advance({ seconds: 6 })
    expect(asked).toEqual([0, 5])
  })

  it('does not delay the end of a connection whose API key is revoked', async () => {
    const { clock, asked, socket, revoke } = await connect({ authenticateIntervalMs: 3_600_000 }, 'key')
    await revoke()
    await clock.advance({ seconds: 1 })
    expect([asked, socket.closes]).toEqual([[], [4401]])
  })

  it('ends all connections with a revoked API key, and no others', async () => {
    const { clock, socket, open, createKey, revoke } = await connect({}, 'key')
    const second = await open()
    await clock.advance({ ms: 370 })
    const { key } = await createKey()
    const other = await open(`Bearer ${key}`)
    await clock.advance({ ms: 510 })
    const third = await open()
    await clock.advance({ seconds: 5 })
    await revoke()
    await clock.advance({ seconds: 1 })
    expect([socket, second, third, other].map(({ closes }) => closes)).toEqual([[4401], [4401], [4401], []])
  })

  it('is called for each connection, with its own headers', async () => {
    const { clock, asked, open } = await connect({}, 'session')
    await open()
    await clock.advance({ seconds: 2 })
    expect(asked).toEqual([0, 0, 1, 1, 2, 2])
  })

  it('cannot have an interval of zero', () => {
    const refusal = expect.objectContaining({
      code: 'INVALID_CONFIG',
      field: 'realtime.authenticateIntervalMs',
    })
    const options = { storage: memoryStorage(), realtime: { authenticateIntervalMs: 0 } }
    expect(() => createTaskboard(options)).toThrow(refusal)
  })
})
