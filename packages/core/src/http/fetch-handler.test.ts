import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { memoryStorage } from '@taskboard/memory'
import { transportConformance, type MountedHost, type TransportHost } from '@taskboard/testing'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createTaskboard, type Taskboard } from '../wiring/taskboard.js'
import { protectedRoute } from './v2/protected-route.js'
import { toFetchHandler } from './fetch-handler.js'
import { healthRoutes } from './health-routes.js'

/** A host that uses `Request` and `Response`, on Node's server. */
async function mountFetchHandler(
  taskboard: Taskboard,
  { mountPath, notFound, routes }: TransportHost,
): Promise<MountedHost> {
  const handle = toFetchHandler(taskboard, {
    basePath: mountPath,
    routes,
    ...(notFound === 'host' && { notFound: answerHostRoutes }),
  })
  const server = createServer((message, response) => void relay(handle, message, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.close().closeAllConnections()
      await once(server, 'close')
    },
  }
}

async function answerHostRoutes(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url)
  if (pathname === '/host/hello') return new Response('hello')
  if (pathname === '/host/echo') return Response.json(await request.json())
  if (pathname === '/host/boom') return new Response('host error', { status: 500 })
  return new Response('host 404', { status: 404 })
}

async function relay(
  handle: (request: Request) => Promise<Response>,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = 'GET', headers } = message
  const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
  const request = new Request(`http://host${message.url}`, {
    method,
    headers: Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]),
    ...(hasBody && method !== 'GET' && method !== 'HEAD'
      ? { body: Readable.toWeb(message), duplex: 'half' }
      : {}),
  })
  const answer = await handle(request)
  const bytes = Buffer.from(await answer.arrayBuffer())
  response.writeHead(answer.status, {
    'content-length': bytes.length,
    ...Object.fromEntries(answer.headers),
    'x-host': 'hook',
  })
  response.end(bytes)
}

/** The server decides what happens to a connection with an unread body, and this one is a few lines. */
const ofTheHost = new Set(['endless-upload', 'keep-alive-unread', 'keep-alive-chunked'])

describe('toFetchHandler', () => {
  const cases = transportConformance({
    storage: memoryStorage,
    mount: mountFetchHandler,
    hostBodies: ['unread'],
  }).filter(({ id }) => !ofTheHost.has(id))
  it.each(cases)('$id: $name', (one) => assertMet(one))

  const handler = (options?: Parameters<typeof toFetchHandler>[1]) =>
    toFetchHandler(createTaskboard({ storage: memoryStorage() }), options)

  it('answers other paths with 404 unless the host answers them', async () => {
    const answer = await handler()(new Request('http://host/elsewhere'))
    expect(answer.status).toBe(404)
    expect(await answer.json()).toEqual({ success: false, error: 'there is no such path', code: 'NOT_FOUND' })
  })

  it('answers without a body if there is none', async () => {
    const taskboard = createTaskboard({ storage: memoryStorage() })
    const { account } = await taskboard.accounts.create({ name: 'Ada', tier: 'custom' })
    const { id, key } = await taskboard.accounts.createKey({
      accountId: account.id,
      name: 'k',
      scopes: ['account:write'],
    })
    const headers = { authorization: `Bearer ${key}` }
    const request = new Request(`http://host/v2/account/api-keys/${id}`, { method: 'DELETE', headers })
    const answer = await toFetchHandler(taskboard)(request)
    expect([answer.status, await answer.text()]).toEqual([204, ''])
  })

  it('limits wrong keys by the address from the host', async () => {
    const handle = handler()
    const waits: (string | null)[] = []
    for (let i = 0; i < 62; i++) {
      const headers = { authorization: 'Bearer tb_wrong' }
      const clientAddress = i === 61 ? '203.0.113.2' : '203.0.113.1'
      const answer = await handle(new Request('http://host/api/board?action=todo', { headers }), {
        clientAddress,
      })
      expect(answer.status).toBe(401)
      waits.push(answer.headers.get('retry-after'))
    }
    expect(waits.slice(58)).toEqual([null, null, '60', null])
  })

  it('answers with the request id of the host', async () => {
    const headers = { 'x-request-id': 'of-the-client' }
    const idOf = async (requestId?: string) =>
      (await handler()(new Request('http://host/v2/tasks', { headers }), { requestId })).headers.get(
        'x-request-id',
      )
    expect(await Promise.all([idOf('of-the-host'), idOf()])).toEqual(['of-the-host', 'of-the-client'])
  })

  it('logs an error when the host has read the body before', async () => {
    const logged: unknown[] = []
    const note = (fields: object): void => void logged.push(fields)
    const logger = { debug: note, info: note, warn: note, error: note, fatal: note }
    const taskboard = createTaskboard({ storage: memoryStorage(), logger })
    const { workspace } = await taskboard.accounts.create({ name: 'a', tier: 'professional' })
    const { key } = await taskboard.accounts.createKey({
      workspaceId: workspace.id,
      name: 'k',
      scopes: ['tasks:write'],
    })
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const request = new Request('http://host/api/board?action=add', { method: 'POST', headers, body: '{}' })
    await request.text()
    expect((await toFetchHandler(taskboard)(request)).status).toBe(500)
    expect(String((logged.at(-1) as { err: Error }).err)).toContain('has read the request body')
  })
})

function assertMet({ run }: { readonly run: () => Promise<void> }): Promise<void> {
  return run()
}

describe('routes beside its own', () => {
  it('are served below the same base path', async () => {
    const taskboard = createTaskboard({ storage: memoryStorage() })
    const route = protectedRoute(taskboard, {
      path: '/v2/extra',
      answer: () => Promise.resolve({ status: 200, headers: {}, body: 'never' }),
      refuse: ({ status, body }) => ({ status, headers: {}, body: `refused: ${body.error.code}` }),
    })
    const handle = toFetchHandler(taskboard, { basePath: '/tasks', routes: [route] })
    const response = await handle(new Request('http://host.example/tasks/v2/extra'))
    expect(response.status).toBe(401)
    expect(await response.text()).toBe('refused: AUTHENTICATION_FAILED')
    expect(response.headers.get('www-authenticate')).toBe('Bearer')
    expect(response.headers.get('x-request-id')).toMatch(/^req_/)
    await taskboard.close()
  })
})

describe('a base path', () => {
  const taskboard = createTaskboard({ storage: memoryStorage() })

  it.each([
    ['/kanban', '/kanban/v2/tasks'],
    ['/kanban/', '/kanban/v2/tasks'],
    ['/', '/v2/tasks'],
    ['/k%C3%A4se/@us', '/k%C3%A4se/@us/v2/tasks'],
  ])('%j is where the routes are', async (basePath, path) => {
    const handle = toFetchHandler(taskboard, { basePath })
    expect((await handle(new Request(`http://host.example${path}`))).status).toBe(401)
  })

  it.each(['kanban', '//', '/kanban//', '/a/../b', '/käse', '/a?b', 7 as never])(
    '%j is refused',
    (basePath) => {
      expect(() => toFetchHandler(taskboard, { basePath })).toThrow(
        expect.objectContaining({ code: 'INVALID_CONFIG', field: 'basePath' }),
      )
    },
  )

  it('of any characters is refused, or is where the routes are', async () => {
    const unit = fc.constantFrom(
      'a',
      'Z',
      '9',
      '-',
      '.',
      '~',
      '%2e',
      '%2F',
      '%',
      'é',
      ':',
      '@',
      '?',
      '#',
      '/',
      ' ',
    )
    const segment = fc.string({ unit, maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(fc.array(segment, { maxLength: 3 }), async (segments) => {
        const basePath = segments.map((one) => `/${one}`).join('')
        let handle: ReturnType<typeof toFetchHandler>
        try {
          handle = toFetchHandler(taskboard, { basePath })
        } catch (error) {
          expect(error).toMatchObject({ code: 'INVALID_CONFIG', field: 'basePath' })
          return
        }
        const url = `http://host.example${basePath.replace(/\/$/, '')}/v2/tasks`
        expect((await handle(new Request(url))).status).toBe(401)
      }),
    )
  })
})

describe('paths of routes', () => {
  it('lose a final slash, too', async () => {
    const taskboard = createTaskboard({ storage: memoryStorage(), paths: { v2: '/tasks/' } })
    const routes = [healthRoutes(taskboard, { livePath: '/alive/' })]
    const handle = toFetchHandler(taskboard, { routes })
    const statusOf = async (path: string) => (await handle(new Request(`http://host.example${path}`))).status
    expect([await statusOf('/tasks/tasks'), await statusOf('/alive')]).toEqual([401, 200])
    for (const v2 of ['/', '/:tenant', 'tasks']) {
      expect(() => createTaskboard({ storage: memoryStorage(), paths: { v2 } })).toThrow(
        expect.objectContaining({ code: 'INVALID_CONFIG', field: 'paths.v2' }),
      )
    }
    expect(() => healthRoutes(taskboard, { readyPath: '/' })).toThrow(
      expect.objectContaining({ code: 'INVALID_CONFIG', field: 'readyPath' }),
    )
  })
})
