import { once } from 'node:events'
import { memoryStorage } from '@taskboard/memory'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import type { Taskboard } from '@taskboard/core'
import { logIn, type Page } from '../test/browser.js'
import { createBoard } from './board.js'
import { listenOnExpress } from './express-host.js'
import { listenOnFastify } from './fastify-host.js'
import { expressSessionHost } from './express-session-host.js'
import { fastifySessionHost } from './fastify-session-host.js'
import type { Host, Listen, SessionHost } from './host.js'
import { createSessions, type Member } from './sessions.js'

const SUBSCRIBE = 'subscription { taskEvents { __typename ... on TaskEvent { type title } } }'
const json = { 'content-type': 'application/json' }

/** A host with sessions of its own. */
const ownSessions =
  (listen: Listen) =>
  (members: readonly Member[]): SessionHost => {
    const sessions = createSessions(members)
    return {
      authenticate: (request) => sessions.find(request.header('cookie')),
      listen: (taskboard, port) => listen(taskboard, sessions, port),
    }
  }

describe.each([
  ['Express', ownSessions(listenOnExpress)],
  ['Fastify', ownSessions(listenOnFastify)],
  ['Express with express-session and passport', expressSessionHost],
  ['Fastify with @fastify/session', fastifySessionHost],
])('a host with a cookie login on %s, the board below /kanban', (_, openHost) => {
  let taskboard: Taskboard
  let host: Host
  let member: Member
  let ada: Awaited<ReturnType<typeof logIn>>
  beforeEach(async () => {
    const members: Member[] = []
    const { authenticate, listen } = openHost(members)
    taskboard = createBoard(memoryStorage(), authenticate, 100)
    const { account, workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'professional' })
    member = { name: 'ada', password: 'engine', accountId: account.id, workspaceId: workspace.id }
    members.push(member)
    host = await listen(taskboard, 0)
    await taskboard.start()
    ada = await logIn(host.url, 'ada', 'engine')
  })
  afterEach(() => host.close())

  const at = (path: string): string => `${host.url}/kanban${path}`
  const socketAt = (path: string): string => at(path).replace('http:', 'ws:')
  const titles = async (): Promise<readonly string[]> => {
    const { tasks } = await taskboard.board(member.workspaceId).list('TODO')
    return tasks.map(({ title }) => title).toSorted()
  }

  it('serves its own pages by REST, GraphQL, subscriptions and the realtime channel', async () => {
    const page = ada.openPage(host.url)
    const realtime = await follow(page, socketAt('/v2/realtime'))
    const graphql = await subscribe(page, socketAt('/v2/graphql'))
    const body = (value: object) => ({ method: 'POST', headers: json, body: JSON.stringify(value) })
    expect((await page.send(at('/api/board?action=add'), body({ title: 'by v1' }))).status).toBe(200)
    expect((await page.send(at('/v2/tasks'), body({ title: 'by v2' }))).status).toBe(201)
    const query = 'mutation { createTask(input: { title: "by GraphQL" }) { id } }'
    expect((await page.send(at('/v2/graphql'), body({ query }))).text).toContain('"id"')
    expect(await titles()).toEqual(['by GraphQL', 'by v1', 'by v2'])
    expect(await realtime.heard('by GraphQL')).toContain('task.created')
    expect(await graphql.heard('by GraphQL')).toContain('TASK_CREATED')
    const { text } = await page.send(at('/v2/tasks'))
    expect(text).toContain('by v2')
  })

  it('describes itself below its path', async () => {
    const page = ada.openPage(host.url)
    const { text } = await page.send(at('/v2/openapi.json'))
    const { servers, paths } = JSON.parse(text) as {
      readonly servers: readonly { readonly url: string }[]
      readonly paths: Readonly<Record<string, object>>
    }
    expect(Object.keys(paths)).toEqual(expect.arrayContaining(['/api/board', '/v2/tasks', '/v2/graphql']))
    const base = new URL(servers[0]?.url ?? '', at('/v2/openapi.json')).href.replace(/\/$/, '')
    expect(base).toBe(at(''))
    expect((await page.send(`${base}/v2/account`)).status).toBe(200)
  })

  it('refuses a request without the cookie, and a wrong password', async () => {
    expect((await logIn(host.url, 'ada', 'wrong')).status).toBe(401)
    expect((await fetch(at('/v2/tasks'))).status).toBe(401)
    const page = ada.openPage(host.url)
    expect((await page.send(`${host.url}/logout`, { method: 'POST' })).status).toBe(204)
    expect((await page.send(at('/v2/tasks'))).status).toBe(401)
  })

  it('gives each login a session of its own, so that nobody knows its cookie before', async () => {
    const again = await fetch(`${host.url}/login`, {
      method: 'POST',
      headers: { ...json, cookie: ada.cookie },
      body: JSON.stringify({ name: 'ada', password: 'engine' }),
    })
    const [cookie] = (again.headers.get('set-cookie') ?? '').split(';')
    expect([again.status, cookie]).toEqual([204, expect.stringMatching(/\w+=\S/)])
    expect(cookie).not.toBe(ada.cookie)
  })

  it.each([
    ['https://evil.example', true],
    ['https://evil.example', false],
    ['http://127.0.0.1:1', true],
    ['null', false],
  ])('lets a page of %s change and receive nothing (named by the browser: %s)', async (origin, saysSite) => {
    const { id } = await taskboard.board(member.workspaceId).add({ title: 'ours' })
    const evil = ada.openPage(origin, { saysSite })
    const form = { 'content-type': 'text/plain' }
    const query = 'mutation { createTask(input: { title: "theirs" }) { id } }'
    const attacks: readonly [path: string, init: RequestInit][] = [
      [`/v2/tasks/${id}/cancel`, {}],
      ['/v2/tasks', { headers: form, body: '{"title":"theirs"}' }],
      ['/v2/tasks', { headers: json, body: '{"title":"theirs"}' }],
      ['/api/board?action=add', { headers: form, body: '{"title":"theirs"}' }],
      [
        '/api/webhooks/create',
        { headers: json, body: '{"url":"https://evil.example/","events":["task.created"]}' },
      ],
      ['/v2/graphql', { headers: json, body: JSON.stringify({ query }) }],
      ['/v2/graphql', { headers: form, body: JSON.stringify({ query }) }],
    ]
    for (const [path, init] of attacks) {
      const { status, text } = await evil.send(at(path), { method: 'POST', ...init })
      expect([path, status, text]).toEqual([
        path,
        403,
        expect.stringMatching(/FORBIDDEN|AUTHORIZATION_FAILED/),
      ])
    }
    // It may send a GET, but cannot read the response, and nothing changes.
    const asked = await evil.send(at(`/v2/graphql?query=${encodeURIComponent(query)}`))
    expect(asked.status).toBe(405)
    expect(await evil.connect(socketAt('/v2/realtime'))).toBe(403)
    expect(await evil.connect(socketAt('/v2/graphql'), 'graphql-transport-ws')).toBe(403)

    const { hold } = await taskboard.board(member.workspaceId).get(id)
    expect([await titles(), hold]).toEqual([['ours'], null])
    expect(await taskboard.webhooks.list(member.workspaceId)).toEqual([])
  })

  it('ends the WebSockets of a session that ends, and keeps those of others', async () => {
    const page = ada.openPage(host.url)
    const other = (await logIn(host.url, 'ada', 'engine')).openPage(host.url)
    const sockets = [
      await open(page, socketAt('/v2/realtime')),
      await open(page, socketAt('/v2/graphql'), 'graphql-transport-ws'),
    ]
    const theirs = await follow(other, socketAt('/v2/realtime'))
    for (const socket of sockets) {
      const opened = keep(socket)
      const isGraphql = socket.protocol !== ''
      socket.send(
        JSON.stringify(
          isGraphql
            ? { type: 'connection_init', payload: { authorization: 'cookie' } }
            : { type: 'auth', token: 'cookie' },
        ),
      )
      await opened.heard(isGraphql ? 'connection_ack' : 'auth.ok')
    }
    const closed = Promise.all(sockets.map((socket) => once(socket, 'close')))
    expect((await page.send(`${host.url}/logout`, { method: 'POST' })).status).toBe(204)
    expect((await closed).map(([code]) => code as unknown)).toEqual([4401, 4403])
    await taskboard.board(member.workspaceId).add({ title: 'still here' })
    expect(await theirs.heard('still here')).toContain('task.created')
  })

  it('keeps the name of its user with what the user writes and takes', async () => {
    const page = ada.openPage(host.url)
    const { id } = await taskboard.board(member.workspaceId).add({ title: 'ours' })
    const body = (value: object) => ({ method: 'POST', headers: json, body: JSON.stringify(value) })
    await page.send(at(`/v2/tasks/${id}/comments`), body({ body: 'Mine.' }))
    await page.send(at(`/v2/tasks/${id}/move`), body({ to: 'doing' }))
    const ours = { kind: 'user', id: 'member:ada', name: 'ada' }
    const { comments } = await taskboard.board(member.workspaceId).comments(id)
    const { takenBy } = await taskboard.board(member.workspaceId).get(id)
    expect([comments[0]?.author, takenBy]).toEqual([ours, ours])
  })

  it('trusts the origin that it lists as its own', async () => {
    const panel = ada.openPage('https://panel.example')
    const init = { method: 'POST', headers: json, body: '{"title":"from the panel"}' }
    expect((await panel.send(at('/v2/tasks'), init)).status).toBe(201)
    const realtime = await follow(panel, socketAt('/v2/realtime'))
    await taskboard.board(member.workspaceId).add({ title: 'heard' })
    expect(await realtime.heard('heard')).toContain('task.created')
  })
})

interface Followed {
  /** The first message with a text in it. */
  heard(text: string): Promise<string>
}

/** Follows all tasks on the realtime channel. The cookie of the upgrade identifies the caller, so any token will do. */
async function follow(page: Page, url: string): Promise<Followed> {
  const socket = await open(page, url)
  const followed = keep(socket)
  socket.send(JSON.stringify({ type: 'auth', token: 'cookie' }))
  await followed.heard('auth.ok')
  socket.send(JSON.stringify({ type: 'subscribe', channels: ['tasks'] }))
  await followed.heard('"subscribed"')
  return followed
}

/** The same with GraphQL, by graphql-transport-ws. */
async function subscribe(page: Page, url: string): Promise<Followed> {
  const socket = await open(page, url, 'graphql-transport-ws')
  const followed = keep(socket)
  socket.send(JSON.stringify({ type: 'connection_init', payload: { authorization: 'cookie' } }))
  await followed.heard('connection_ack')
  socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query: SUBSCRIBE } }))
  await followed.heard('EventsBegin')
  return followed
}

async function open(page: Page, url: string, protocol?: string): Promise<WebSocket> {
  const socket = await page.connect(url, protocol)
  if (socket instanceof WebSocket) return socket
  throw new Error(`the upgrade was answered with ${socket}`)
}

function keep(socket: WebSocket): Followed {
  const messages: string[] = []
  socket.on('message', (data: Buffer) => void messages.push(data.toString()))
  return {
    async heard(text) {
      for (;;) {
        const found = messages.find((message) => message.includes(text))
        if (found !== undefined) return found
        await once(socket, 'message')
      }
    },
  }
}
