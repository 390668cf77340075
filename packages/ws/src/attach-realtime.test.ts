import { once } from 'node:events'
import { createServer, IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createTaskboard, type Principal } from '@taskboard/core'
import { realtimeEndpoint } from '@taskboard/core/transport'
import { memoryStorage } from '@taskboard/memory'
import express from 'express'
import { fastify } from 'fastify'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { openAuthenticated, openClient, openSubscribed, type Message } from '@taskboard/kit/realtime/client'
import { serveRealtime, type RealtimeHost, type RealtimeHostOptions } from '../test/realtime-host.js'
import { upgradeStatus } from '../test/upgrade-status.js'
import { attachRealtime } from './index.js'

const hosts: { close(): Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.close()))
})

async function serve(options?: RealtimeHostOptions): Promise<RealtimeHost> {
  const host = await serveRealtime(options)
  hosts.push(host)
  return host
}

const isType = (wanted: string) => (message: { readonly type: string }) => message.type === wanted

describe('a base path', () => {
  it.each([
    ['/kanban', '/kanban/v2/realtime'],
    ['/kanban/', '/kanban/v2/realtime'],
    ['/', '/v2/realtime'],
  ])('%j is where the channel is', async (basePath, path) => {
    const { url } = await serve({ attach: { basePath } })
    expect(await upgradeStatus(url.replace('/v2/realtime', path))).toBe(101)
  })

  it.each([
    [{ basePath: 'kanban' }, 'basePath'],
    [{ basePath: '/kanban//' }, 'basePath'],
    [{ basePath: '/käse' }, 'basePath'],
    [{ path: 'ws' }, 'path'],
    [{ path: '/' }, 'path'],
  ])('of %j is refused', (options, field) => {
    const taskboard = createTaskboard({ storage: memoryStorage() })
    expect(() => attachRealtime(createServer(), taskboard, options)).toThrow(
      expect.objectContaining({ code: 'INVALID_CONFIG', field }),
    )
  })

  it('comes before the paths of further protocols', async () => {
    const spoken = {
      ...realtimeEndpoint(createTaskboard({ storage: memoryStorage() })).channel,
      path: '/v2/more',
    }
    const { url } = await serve({ attach: { basePath: '/kanban/', protocols: [spoken] } })
    expect(await upgradeStatus(url.replace('/v2/realtime', '/kanban/v2/more'))).toBe(101)
  })
})

describe('a subscription receives', () => {
  it('the documented messages and the task events, with their seq', async () => {
    const { taskboard, url, key, workspaceId } = await serve()
    const channel = `workspace.${workspaceId}`
    const agent = await taskboard.agents.create(workspaceId, { name: 'one', type: 'worker' })
    const board = taskboard.board(workspaceId)
    const client = await openSubscribed(url, key, [channel, 'tasks'])
    const { id } = await board.add({ title: 'followed', type: 'label' })
    const claim = await board.claim({ agentId: agent.id })
    const fencingToken = claim?.fencingToken ?? 0
    await taskboard.publish(workspaceId, 'order.new', { order: 1 })
    await board.progress(id, { progress: 40, fencingToken })
    await board.complete(id, { result: 'done', fencingToken })
    await client.heard(({ type, channel: on }) => type === 'task.completed' && on === 'tasks')
    const messagesOn = (on: string) =>
      client.messages.filter(({ data, progress, channel: its }) => (data ?? progress) && its === on)
    const followed = messagesOn(channel).map(({ type, seq }) => [type, seq])
    const types = ['task.created', 'task.started', 'task.progress', 'task.completed']
    expect(followed.map(([type]) => type)).toEqual(types)
    // Between them in the log are the published event and the status of the agent.
    const seqs = followed.map(([, seq]) => Number(seq))
    expect(seqs.slice(0, 2)).toEqual([1, 2])
    expect(seqs).toEqual(seqs.toSorted((a, b) => a - b))
    expect(messagesOn('tasks').map(({ type, seq }) => [type, seq])).toEqual(followed)
    const place = {
      channel: 'tasks',
      workspace_id: workspaceId,
      timestamp: expect.stringMatching(/Z$/) as string,
    }
    const [created, , progress, completed] = messagesOn('tasks')
    expect(created).toMatchObject({ ...place, seq: 1, data: { type: 'label', task_id: id } })
    expect(progress).toEqual({ ...place, type: 'task.progress', seq: seqs[2], task_id: id, progress: 40 })
    expect(completed).toMatchObject({ ...place, data: { task_id: id, status: 'DONE', result: 'done' } })
  })

  it('agents’ statuses only with agents:read', async () => {
    const storage = memoryStorage()
    const { taskboard, url, key, workspaceId, createKey } = await serve({ storage })
    const channel = `workspace.${workspaceId}`
    const { key: tasksOnly } = await createKey(['tasks:read'])
    const full = await openSubscribed(url, key, [channel])
    const narrow = await openSubscribed(url, tasksOnly, [channel])
    const draft = { type: 'agent.status', data: { agentId: 'agent_1', status: 'busy' } } as const
    await storage.events.appendEvent({ workspaceId, event: draft }, { now: null })
    await taskboard.board(workspaceId).add({ title: 'next' })
    await full.heard(isType('task.created'))
    await narrow.heard(isType('task.created'))
    expect(full.messages.slice(2).map(({ type }) => type)).toEqual(['agent.status', 'task.created'])
    expect(full.messages[2]).toEqual({
      type: 'agent.status',
      agent_id: 'agent_1',
      status: 'busy',
      channel,
      workspace_id: workspaceId,
      seq: 1,
      timestamp: expect.any(String) as string,
    })
    expect(narrow.messages.slice(2).map(({ type, seq }) => [type, seq])).toEqual([['task.created', 2]])
  })

  it('events of workspaces that are created later too, from the first event', async () => {
    const { taskboard, url, key, accountId, workspaceId } = await serve()
    const clients = [await openSubscribed(url, key, ['tasks']), await openSubscribed(url, key, ['tasks'])]
    const { id } = await taskboard.accounts.createWorkspace(accountId, { name: 'later' })
    await taskboard.board(id).add({ title: 'first' })
    await taskboard.board(id).add({ title: 'second' })
    await taskboard.board(workspaceId).add({ title: 'elsewhere' })
    for (const client of clients) {
      await client.heard(({ workspace_id: of, seq }) => of === id && seq === 2)
      await client.heard(({ workspace_id: of }) => of === workspaceId)
      const seqs = client.messages.filter(({ workspace_id: of }) => of === id).map(({ seq }) => seq)
      expect(seqs).toEqual([1, 2])
    }
  })

  it('nothing after it was unsubscribed', async () => {
    const { taskboard, url, key, workspaceId } = await serve()
    const channel = `workspace.${workspaceId}`
    const client = await openSubscribed(url, key, [channel, 'tasks'])
    client.say({ type: 'unsubscribe', channels: [channel], request_id: 'r1' })
    expect(await client.heard(isType('unsubscribed'))).toEqual({
      type: 'unsubscribed',
      channel,
      request_id: 'r1',
    })
    await taskboard.board(workspaceId).add({ title: 'sent once' })
    await client.heard(isType('task.created'))
    client.say({ type: 'ping', request_id: 'r2' })
    expect(await client.heard(isType('pong'))).toEqual({ type: 'pong', request_id: 'r2' })
    expect(client.messages.filter(isType('task.created')).map(({ channel: on }) => on)).toEqual(['tasks'])
  })
})

describe('what is refused', () => {
  it('a workspace of another account exactly as a missing one', async () => {
    const { taskboard, url, key } = await serve()
    const other = await taskboard.accounts.create({ name: 'other', tier: 'custom' })
    const client = await openAuthenticated(url, key)
    const errors = []
    for (const id of [other.workspace.id, 'ws_00000000000000000000000000']) {
      const channel = `workspace.${id}`
      client.say({ type: 'subscribe', channels: [channel], request_id: 'same' })
      const { error } = await client.heard(({ channel: on }) => on === channel)
      errors.push({ ...(error as object), timestamp: '' })
    }
    expect(errors[0]).toMatchObject({ code: 'RESOURCE_NOT_FOUND', details: { field: 'channels' } })
    expect(errors[1]).toEqual(errors[0])
  })

  it.each([
    ['{', 'INVALID_REQUEST', ''],
    ['[]', 'INVALID_REQUEST', ''],
    ['{"type":"shout"}', 'INVALID_REQUEST', 'type'],
    ['{"type":"subscribe"}', 'INVALID_REQUEST', 'channels'],
    ['{"type":"subscribe","channels":[]}', 'INVALID_REQUEST', 'channels'],
    ['{"type":"subscribe","channels":["secrets"]}', 'INVALID_REQUEST', 'channels'],
    ['{"type":"subscribe","channels":["tasks"],"since":{"tasks":4}}', 'INVALID_REQUEST', 'since'],
    ['{"type":"subscribe","channels":["tasks"],"since":{"tasks":-1}}', 'INVALID_REQUEST', 'since'],
    ['{"type":"subscribe","channels":["tasks"],"since":7}', 'INVALID_REQUEST', 'since'],
  ])('%s by an error, and the connection stays open', async (text, code, field) => {
    const { url, key } = await serve()
    const client = await openAuthenticated(url, key)
    client.socket.send(text)
    expect((await client.heard(isType('error')))['error']).toMatchObject({ code, details: { field } })
    client.say({ type: 'ping' })
    await client.heard(isType('pong'))
  })

  it('a place ahead of the log, and a channel twice', async () => {
    const { url, key, workspaceId } = await serve()
    const client = await openAuthenticated(url, key)
    client.say({ type: 'subscribe', channels: ['tasks'], since: { tasks: { [workspaceId]: 1 } } })
    expect((await client.heard(isType('error')))['error']).toMatchObject({ details: { field: 'since' } })
    client.say({ type: 'subscribe', channels: ['tasks'] })
    await client.heard(isType('subscribed'))
    client.say({ type: 'subscribe', channels: ['tasks'] })
    const isConflict = ({ error }: Message) => (error as { code?: string } | undefined)?.code === 'CONFLICT'
    expect(await client.heard(isConflict)).toMatchObject({ channel: 'tasks' })
  })

  it.each([
    ['anything before auth', { type: 'ping' }, 4401, 'AUTHENTICATION_FAILED'],
    [
      'a credential that does not hold',
      { type: 'auth', token: 'Bearer tb_wrong' },
      4401,
      'AUTHENTICATION_FAILED',
    ],
    ['an auth without a token', { type: 'auth' }, 4401, 'INVALID_REQUEST'],
  ])('%s, and the connection ends', async (_title, message, code, errorCode) => {
    const { url } = await serve()
    const client = await openClient(url)
    client.say(message)
    expect((await client.closed).code).toBe(code)
    expect(client.messages).toMatchObject([{ type: 'error', error: { code: errorCode } }])
  })

  it('a key without tasks:read', async () => {
    const { url, createKey } = await serve()
    const client = await openAuthenticated(url, (await createKey(['agents:read'])).key)
    expect((await client.closed).code).toBe(4403)
    expect(client.messages).toMatchObject([{ error: { code: 'AUTHORIZATION_FAILED' } }])
  })

  it('a connection beyond what the tier allows, until one ends', async () => {
    const { url, key } = await serve({ tiers: { professional: { webSocketConnections: 2 } } })
    const [first] = [await openAuthenticated(url, key), await openAuthenticated(url, key)]
    const third = await openAuthenticated(url, key)
    expect((await third.closed).code).toBe(4429)
    expect(third.messages).toMatchObject([{ error: { code: 'QUOTA_EXCEEDED' } }])
    first.cut()
    await first.closed
    await expect.poll(async () => (await openAuthenticated(url, key)).messages[0]?.type).toBe('auth.ok')
  })

  it('messages that are too large, binary, or too many', async () => {
    const { url, key } = await serve({ bounds: { messageLimitBytes: 1_000, messagesPerMinute: 5 } })
    const large = await openAuthenticated(url, key)
    large.socket.send('x'.repeat(1_001))
    expect((await large.closed).code).toBe(1009)
    const binary = await openAuthenticated(url, key)
    binary.socket.send(Buffer.from('{}'))
    expect((await binary.closed).code).toBe(1003)
    const wild = await openAuthenticated(url, key)
    for (let n = 0; n < 5; n++) wild.say({ type: 'ping' })
    expect((await wild.closed).code).toBe(4430)
    expect(wild.messages.at(-1)).toMatchObject({ error: { code: 'RATE_LIMIT_EXCEEDED' } })
  })

  it('a revoked key, within the interval of the checks', async () => {
    const { taskboard, accountId, url, createKey } = await serve({ realtime: { recheckIntervalMs: 50 } })
    const { id, key } = await createKey(['tasks:read'])
    const client = await openSubscribed(url, key, ['tasks'])
    await taskboard.accounts.revokeKey(accountId, id)
    expect((await client.closed).code).toBe(4401)
    expect(client.messages.at(-1)).toMatchObject({ error: { code: 'AUTHENTICATION_FAILED' } })
  })
})

describe('attachRealtime', () => {
  it('shows a host’s own login the headers of the upgrade, with the credential of auth', async () => {
    const seen: (string | undefined)[] = []
    const { url } = await serve({
      authenticate: (asked) => {
        seen.push(asked.header('cookie'), asked.header('authorization'), asked.header('__proto__'))
        return null
      },
    })
    const socket = new WebSocket(url, { headers: { cookie: 'session=1', authorization: 'Basic upgrade' } })
    await once(socket, 'open')
    socket.send(JSON.stringify({ type: 'auth', token: 'Bearer shown' }))
    expect((await once(socket, 'close'))[0]).toBe(4401)
    expect(seen.slice(0, 3)).toEqual(['session=1', 'Bearer shown', undefined])
  })

  it('shows a host’s own login the request of the upgrade, at each check the same', async () => {
    const seen: unknown[][] = []
    const { url, accountId, workspaceId } = await serve({
      authenticate: ({ raw, isConnection }) => {
        seen.push([raw, isConnection])
        const rights = { tier: 'professional', scopes: ['tasks:read'], workspaceIds: 'all' } as const
        return { id: 'ada', kind: 'user', accountId, defaultWorkspaceId: workspaceId, ...rights }
      },
      realtime: { recheckIntervalMs: 50 },
    })
    await openSubscribed(url, 'of-the-host', ['tasks'])
    await vi.waitFor(() => expect(seen.length).toBeGreaterThan(2))
    const [[upgrade] = []] = seen
    expect(upgrade).toBeInstanceOf(IncomingMessage)
    expect((upgrade as IncomingMessage).url).toBe('/v2/realtime')
    for (const [raw, isConnection] of seen) expect([raw === upgrade, isConnection]).toEqual([true, true])
  })

  it('sends a principal nothing of a workspace of another account that it names', async () => {
    let principal: Principal | null = null
    const { taskboard, url, accountId } = await serve({ authenticate: () => principal })
    const { workspace } = await taskboard.accounts.create({ name: 'stranger', tier: 'professional' })
    const rights = { tier: 'professional', scopes: ['tasks:read'], defaultWorkspaceId: workspace.id } as const
    principal = { id: 'user_1', kind: 'user', accountId, workspaceIds: [workspace.id], ...rights }
    const channel = `workspace.${workspace.id}`
    const client = await openSubscribed(url, 'of-the-host', ['tasks', channel])
    await taskboard.board(workspace.id).add({ title: 'theirs' })
    client.say({ type: 'ping' })
    await client.heard(isType('pong'))
    expect(client.messages).toMatchObject([
      { type: 'auth.ok' },
      { type: 'subscribed', channel: 'tasks', seq: {} },
      { type: 'error', channel, error: { code: 'RESOURCE_NOT_FOUND' } },
      { type: 'pong' },
    ])
    expect(client.messages[1]?.seq).toEqual({})
  })

  it('answers 500 when the host’s clientAddress throws, logs that, and keeps serving', async () => {
    const logged: string[] = []
    const silent = { debug() {}, info() {}, warn() {}, fatal() {} }
    const { url, key, workspaceId } = await serve({
      logger: { ...silent, error: (_fields: object, message: string) => void logged.push(message) },
      attach: {
        clientAddress: ({ headers }) => {
          if (headers['x-forwarded-for'] === undefined) throw new Error('no proxy')
          return String(headers['x-forwarded-for'])
        },
      },
    })
    expect(await upgradeStatus(url)).toBe(500)
    expect(logged).toEqual(['clientAddress threw, so an upgrade was rejected'])
    const socket = new WebSocket(url, { headers: { 'x-forwarded-for': '203.0.113.9' } })
    await once(socket, 'open')
    socket.send(JSON.stringify({ type: 'auth', token: `Bearer ${key}` }))
    socket.send(JSON.stringify({ type: 'subscribe', channels: [`workspace.${workspaceId}`] }))
    const [first] = (await once(socket, 'message')) as [Buffer]
    expect(first.toString()).toContain('"auth.ok"')
    socket.terminate()
  })

  it('answers 503 before the start and after the end, and closes what is open then', async () => {
    const taskboard = createTaskboard({ storage: memoryStorage() })
    const app = express()
    const server = app.listen(0, '127.0.0.1')
    attachRealtime(server, taskboard)
    await once(server, 'listening')
    const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/v2/realtime`
    expect(await upgradeStatus(url)).toBe(503)
    await taskboard.start()
    const client = await openClient(`${url}?any=query`)
    await taskboard.close()
    expect((await client.closed).code).toBe(1001)
    expect(await upgradeStatus(url)).toBe(503)
    server.close()
    await once(server, 'close')
  })

  it('leaves another WebSocket server of the host as it was', async () => {
    const other = new WebSocketServer({ noServer: true })
    other.on('connection', (socket) =>
      socket.on('message', (data: Buffer) => socket.send(`echo ${data.toString()}`)),
    )
    const { url, key } = await serve({
      prepare: (server) =>
        server.on('upgrade', (asked, socket, head) => {
          if (asked.url !== '/echo') return
          other.handleUpgrade(asked, socket, head, (webSocket) => other.emit('connection', webSocket))
        }),
    })
    const echo = new WebSocket(url.replace('/v2/realtime', '/echo'))
    await once(echo, 'open')
    const ours = await openSubscribed(url, key, ['tasks'])
    echo.send('hello')
    const [answer] = (await once(echo, 'message')) as [Buffer]
    expect(answer.toString()).toBe('echo hello')
    expect(ours.messages.map(({ type }) => type)).toEqual(['auth.ok', 'subscribed'])
    echo.terminate()
  })

  it('leaves other upgrades to be answered as plain requests', async () => {
    const { url, server } = await serve()
    expect(await upgradeStatus(url.replace('/v2/realtime', '/other'))).toBe(200)
    expect(await upgradeStatus(url.replace('/v2/realtime', '/'), 'h2c')).toBe(200)
    expect(server.listenerCount('upgrade')).toBe(1)
  })

  it('serves on Fastify, at a path of the host’s choice, and can be detached', async () => {
    const app = fastify()
    const taskboard = createTaskboard({ storage: memoryStorage() })
    const attached = attachRealtime(app.server, taskboard, { path: '/live' })
    expect(() => attachRealtime(app.server, taskboard, { path: '/live' })).toThrow('already')
    await taskboard.start()
    const url = (await app.listen({ host: '127.0.0.1', port: 0 })).replace('http', 'ws')
    const client = await openClient(`${url}/live`)
    attached.close()
    attached.close()
    expect((await client.closed).code).toBe(1001)
    expect(await upgradeStatus(`${url}/live`)).toBe(404)
    expect(app.server.listenerCount('upgrade')).toBe(0)
    await taskboard.close()
    await app.close()
  })
})
