import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { plainPasswordHasher, virtualClock } from '@taskboard/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import {
  bearer,
  connectClient,
  listen,
  TASK_EVENTS,
  WORKSPACE_EVENTS,
  type SocketClient,
} from '@taskboard/kit/graphql/socket-client'
import { openSocketHost, type SocketHost, type SocketHostOptions } from '../../test/socket-host.js'

const hosts: SocketHost[] = []
const clients: SocketClient[] = []
const sockets: WebSocket[] = []
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.terminate()
  for (const client of clients.splice(0)) await client.dispose()
  await Promise.all(hosts.splice(0).map((host) => host.close()))
})

async function serve(options?: SocketHostOptions): Promise<SocketHost> {
  const host = await openSocketHost(options)
  hosts.push(host)
  return host
}

function connect(url: string, parameters: Record<string, unknown>): SocketClient {
  const client = connectClient(url, parameters)
  clients.push(client)
  return client
}

/** A connection without the library, and how it ends. */
function open(url: string, protocols: string[] = ['graphql-transport-ws']) {
  const socket = new WebSocket(url, protocols)
  sockets.push(socket)
  const closed = new Promise<number>((resolve) => socket.on('close', resolve))
  return { socket, closed }
}

/** A subscription that has begun. */
async function follow(host: SocketHost, key = host.key) {
  const client = connect(host.url, bearer(key))
  const received = listen(client, WORKSPACE_EVENTS, { workspaceId: host.workspaceId })
  await received.until(({ __typename }) => __typename === 'EventsBegin')
  return { client, received }
}

/** The HTTP status that an upgrade is answered with. */
async function upgradeStatus(url: string, origin: string): Promise<number | undefined> {
  const socket = new WebSocket(url, 'graphql-transport-ws', { origin, headers: { cookie: 'session=1' } })
  sockets.push(socket)
  const refused = once(socket, 'unexpected-response') as Promise<[unknown, IncomingMessage]>
  return Promise.race([
    once(socket, 'open').then(() => 101),
    refused.then(([, { statusCode }]) => statusCode),
  ])
}

describe('a connection', () => {
  it('is not opened for a page of another origin that borrows a cookie of the host’s own login', async () => {
    const { url } = await serve({ authenticate: () => null })
    expect(await upgradeStatus(url, 'https://evil.example')).toBe(403)
    expect(await upgradeStatus(url, new URL(url).origin.replace('ws:', 'http:'))).toBe(101)
  })

  it.each([
    ['authorization', 'Bearer '],
    ['Authorization', 'bearer '],
  ])('is admitted by the %s of its connection_init', async (name, scheme) => {
    const { url, key, workspaceId } = await serve()
    const received = listen(connect(url, { [name]: scheme + key }), WORKSPACE_EVENTS, { workspaceId })
    expect(await received.until(() => true)).toMatchObject({ __typename: 'EventsBegin' })
  })

  it.each([
    ['no credential', {}],
    ['one of another type', { authorization: 7 }],
    ['one that does not hold', { authorization: 'Bearer tb_wrong' }],
  ])('is refused with %s', async (_, parameters) => {
    const { url, workspaceId } = await serve()
    const client = connect(url, parameters)
    const received = listen(client, WORKSPACE_EVENTS, { workspaceId })
    expect(await received.ended).toMatchObject({ code: 4403 })
    expect((await client.closed).reason).toMatch(/credential|authorization/)
    expect(received.results).toEqual([])
  })

  it('has ten seconds to say who it is', async () => {
    const clock = virtualClock()
    const { url } = await serve({ clock })
    const { socket, closed } = open(url)
    await once(socket, 'open')
    await clock.advance({ ms: 9_999 })
    expect(socket.readyState).toBe(WebSocket.OPEN)
    await clock.advance({ ms: 1 })
    expect(await closed).toBe(4408)
  })

  it('must speak graphql-transport-ws as specified', async () => {
    const { url, key } = await serve()
    expect(await open(url, []).closed).toBe(4406)
    const early = open(url)
    await once(early.socket, 'open')
    early.socket.send(JSON.stringify({ type: 'subscribe', id: '1', payload: { query: '{ __typename }' } }))
    expect(await early.closed).toBe(4401)
    const unclear = open(url)
    await once(unclear.socket, 'open')
    unclear.socket.send('{"type":"auth"}')
    expect(await unclear.closed).toBe(4400)
    const binary = open(url)
    await once(binary.socket, 'open')
    binary.socket.send(Buffer.from('{}'))
    expect(await binary.closed).toBe(4400)
    const twice = open(url)
    await once(twice.socket, 'open')
    for (let n = 0; n < 2; n++)
      twice.socket.send(JSON.stringify({ type: 'connection_init', payload: bearer(key) }))
    expect(await twice.closed).toBe(4429)
  })

  it('ends soon after its key was revoked', async () => {
    const host = await serve({ realtime: { recheckIntervalMs: 50 } })
    const { id, key } = await host.makeKey(['tasks:read'])
    const { received } = await follow(host, key)
    await host.taskboard.accounts.revokeKey(host.accountId, id)
    expect(await received.ended).toMatchObject({
      code: 4403,
      reason: 'the credential expired or was revoked',
    })
  })

  it('ends with its access token', async () => {
    const clock = virtualClock()
    const host = await serve({
      clock,
      tokens: { secret: 'a secret of thirty-two characters or more' },
      passwordHasher: plainPasswordHasher,
      realtime: { heartbeatIntervalMs: 2 ** 30 },
    })
    const owner = { email: 'ada@example.com', password: 'a long enough password' }
    const { workspace } = await host.taskboard.accounts.create({ name: 'b', tier: 'custom', owner })
    const response = await fetch(host.url.replace('ws:', 'http:').replace('graphql', 'auth/login'), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(owner),
    })
    const { access_token: token } = (await response.json()) as { access_token: string }
    const received = listen(connect(host.url, bearer(token)), WORKSPACE_EVENTS, { workspaceId: workspace.id })
    await received.until(({ __typename }) => __typename === 'EventsBegin')
    await clock.advance({ ms: 15 * 60_000 - 1 })
    await host.taskboard.board(workspace.id).add({ title: 'just in time' })
    await received.until(({ seq }) => seq === 1)
    await clock.advance({ ms: 1_000 })
    expect(await received.ended).toMatchObject({
      code: 4403,
      reason: 'the credential expired or was revoked',
    })
  })

  it('checks its credential with every operation', async () => {
    const host = await serve({ realtime: { recheckIntervalMs: 2 ** 30 } })
    const { id, key } = await host.makeKey(['tasks:read'])
    const { client } = await follow(host, key)
    await host.taskboard.accounts.revokeKey(host.accountId, id)
    const asked = listen(client, '{ __typename }')
    expect(await asked.ended).toMatchObject({ code: 4403 })
    expect(asked.results).toEqual([])
  })

  it('counts with those of the realtime channel, until it ends', async () => {
    const host = await serve({ tiers: { professional: { webSocketConnections: 2 } } })
    const channel = open(host.url.replace('graphql', 'realtime'), [])
    await once(channel.socket, 'open')
    channel.socket.send(JSON.stringify({ type: 'auth', token: `Bearer ${host.key}` }))
    await once(channel.socket, 'message')
    const first = await follow(host)
    const refused = listen(connect(host.url, bearer(host.key)), TASK_EVENTS)
    expect(await refused.ended).toMatchObject({ code: 4431 })
    channel.socket.terminate()
    await expect
      .poll(async () => {
        const received = listen(connect(host.url, bearer(host.key)), TASK_EVENTS)
        return Promise.race([received.ended, received.until(() => true).then(() => 'event')]).catch(
          () => 'ended',
        )
      })
      .toBe('event')
    first.received.stop()
  })

  it('ends with the task board, so that the client reconnects', async () => {
    const host = await serve()
    const { received } = await follow(host)
    await host.taskboard.close()
    expect(await received.ended).toMatchObject({ code: 1001 })
  })

  it('is closed for more messages than are accepted in a minute', async () => {
    const { url, key } = await serve({ bounds: { messagesPerMinute: 5 } })
    const { socket, closed } = open(url)
    await once(socket, 'open')
    socket.send(JSON.stringify({ type: 'connection_init', payload: bearer(key) }))
    for (let n = 0; n < 5; n++) socket.send('{"type":"ping"}')
    expect(await closed).toBe(4430)
  })

  it('leaves another WebSocket server of the host, and plain requests, as they were', async () => {
    const host = await serve()
    const echo = new WebSocketServer({ noServer: true })
    host.server.on('upgrade', (request, socket, head) => {
      if (request.url !== '/echo') return
      echo.handleUpgrade(request, socket, head, (opened) =>
        opened.on('message', (data: Buffer) => opened.send(`echo ${data.toString()}`)),
      )
    })
    const other = open(host.url.replace('/v2/graphql', '/echo'), [])
    await once(other.socket, 'open')
    await follow(host)
    other.socket.send('hello')
    const [answer] = (await once(other.socket, 'message')) as [Buffer]
    expect(answer.toString()).toBe('echo hello')
    const plain = await fetch(host.url.replace('ws:', 'http:'), { headers: bearer(host.key) as never })
    expect(plain.status).toBe(400)
  })
})
