import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { memoryStorage } from '@taskboard/memory'
import { transportConformance, type MountedHost, type TransportHost } from '@taskboard/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createTaskboard, type Taskboard } from '../wiring/taskboard.js'
import type { Route } from './http.js'
import { toNodeHandler, type NodeHandlerOptions, type NodeServerRequest } from './node-handler.js'

async function mountNodeHandler(
  taskboard: Taskboard,
  { mountPath, notFound, routes }: TransportHost,
): Promise<MountedHost> {
  const handle = toNodeHandler(taskboard, {
    basePath: mountPath,
    routes,
    ...(notFound === 'host' && {
      notFound: (request: IncomingMessage, response: ServerResponse) =>
        void answerHostRoutes(request, response),
    }),
  })
  const server = createServer((request, response) => {
    response.setHeader('x-host', 'hook')
    handle(request, response)
  })
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

async function answerHostRoutes(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.url === '/host/hello') return void response.end('hello')
  if (request.url === '/host/echo') {
    const chunks: Buffer[] = await request.toArray()
    return void response.setHeader('content-type', 'application/json').end(Buffer.concat(chunks))
  }
  if (request.url === '/host/boom') return void response.writeHead(500).end('host error')
  response.writeHead(404).end('host 404')
}

describe('toNodeHandler', () => {
  const cases = transportConformance({
    storage: memoryStorage,
    mount: mountNodeHandler,
    hostBodies: ['unread'],
  })
  it.each(cases)('$id: $name', async ({ run }) => expect(await run()).toBeUndefined())

  it('limits wrong keys by the address of the socket, or by that of the host', async () => {
    const limits = { failedCredentialsPerMinute: 1 }
    const waits = async (options?: NodeHandlerOptions) => {
      const taskboard = createTaskboard({ storage: memoryStorage(), limits })
      const server = createServer(toNodeHandler(taskboard, options)).listen(0, '127.0.0.1')
      onTestFinished(() => server.close().closeAllConnections())
      await once(server, 'listening')
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v2/tasks`
      const guess = async (address: string) => {
        const headers = { authorization: 'Bearer tb_wrong', 'x-real-ip': address }
        return (await fetch(url, { headers })).headers.get('retry-after')
      }
      return [await guess('203.0.113.1'), await guess('203.0.113.2'), await guess('203.0.113.2')]
    }
    expect(await waits()).toEqual([null, '60', expect.any(String)])
    const byHeader = { clientAddress: ({ headers }: NodeServerRequest) => String(headers['x-real-ip']) }
    expect(await waits(byHeader)).toEqual([null, null, '60'])
  })

  it('answers 500 where a route of the host fails, and goes on', async () => {
    const failures: readonly (readonly [path: string, handle: Route['handle']])[] = [
      ['/rejects', () => Promise.reject(new Error('rejected'))],
      [
        '/throws',
        () => {
          throw new Error('thrown')
        },
      ],
      ['/header', () => Promise.resolve({ status: 200, headers: { 'x-note': 'two\nlines' }, body: '' })],
    ]
    const routes = [
      ...failures.map(([path, handle]) => ({ path, handle })),
      {
        path: '/stream',
        async handle() {
          const stream = new ReadableStream<Uint8Array>()
          stream.getReader()
          return { status: 200, headers: {}, body: '', stream }
        },
      },
    ]
    const logged: string[] = []
    const ignore = (): void => undefined
    const logger = {
      debug: ignore,
      info: ignore,
      warn: ignore,
      fatal: ignore,
      error: ({ path }: { readonly path?: string }, message: string) => logged.push(`${path}: ${message}`),
    }
    const taskboard = createTaskboard({ storage: memoryStorage(), logger })
    const server = createServer(toNodeHandler(taskboard, { routes })).listen(0, '127.0.0.1')
    onTestFinished(() => server.close().closeAllConnections())
    await once(server, 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    for (const [path] of failures) {
      const answer = await fetch(url + path)
      expect([answer.status, await answer.json()]).toEqual([
        500,
        { success: false, error: 'internal error', code: 'INTERNAL_ERROR' },
      ])
    }
    // Its headers are sent, so the connection ends.
    await expect(fetch(`${url}/stream`).then((answer) => answer.text())).rejects.toThrow(TypeError)
    const paths = [...failures.map(([path]) => path), '/stream']
    expect(logged).toEqual(paths.map((path) => `${path}: a request failed`))
  })

  it('answers other paths with 404 unless the host does', async () => {
    const server = createServer(toNodeHandler(createTaskboard({ storage: memoryStorage() }))).listen(
      0,
      '127.0.0.1',
    )
    onTestFinished(() => server.close().closeAllConnections())
    await once(server, 'listening')
    const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/elsewhere`)
    expect([answer.status, await answer.json()]).toEqual([
      404,
      expect.objectContaining({ code: 'NOT_FOUND' }),
    ])
  })
})
