import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import type { Taskboard } from '@taskboard/core'
import { type Route, type RouteGroup, toFetchHandler } from '@taskboard/core/transport'
import { taskboardRouter } from '@taskboard/express'
import { taskboardPlugin } from '@taskboard/fastify'
import { attachRealtime } from '@taskboard/ws'
import express from 'express'
import { fastify } from 'fastify'

/** How a host serves the board. */
export interface HostOptions {
  /** Empty for the root, or a path such as `/nested`. */
  readonly mountPath: string
  readonly routes: readonly (Route | RouteGroup)[]
  /** Default: any free one. */
  readonly port?: number
}

export interface Host {
  /** `http://127.0.0.1:<port>` with the mount path. */
  readonly url: string
  close(): Promise<void>
}

type Serve = (taskboard: Taskboard, options: HostOptions) => Promise<Host>

async function serveExpress(taskboard: Taskboard, { mountPath, routes, port }: HostOptions): Promise<Host> {
  const app = express()
  app.use(mountPath === '' ? '/' : mountPath, taskboardRouter(taskboard, { routes }))
  return listen(taskboard, app, { mountPath, port })
}

async function serveFetchHandler(
  taskboard: Taskboard,
  { mountPath, routes, port }: HostOptions,
): Promise<Host> {
  const handle = toFetchHandler(taskboard, { basePath: mountPath, routes })
  return listen(taskboard, (message, response) => void relay(handle, message, response), { mountPath, port })
}

async function serveFastify(
  taskboard: Taskboard,
  { mountPath, routes, port = 0 }: HostOptions,
): Promise<Host> {
  const app = fastify()
  await app.register(taskboardPlugin, {
    taskboard,
    routes,
    ...(mountPath === '' ? {} : { prefix: mountPath }),
  })
  attachRealtime(app.server, taskboard, { basePath: mountPath })
  await app.listen({ host: '127.0.0.1', port })
  return {
    url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}${mountPath}`,
    async close() {
      app.server.closeAllConnections()
      await app.close()
    },
  }
}

/** Every kind of host that the package is for. */
export const hosts = [
  { name: 'Express', serve: serveExpress },
  { name: 'Fastify', serve: serveFastify },
  { name: 'fetch handler', serve: serveFetchHandler },
] as const satisfies readonly { readonly name: string; readonly serve: Serve }[]

async function listen(
  taskboard: Taskboard,
  listener: RequestListener,
  { mountPath, port = 0 }: { readonly mountPath: string; readonly port: number | undefined },
): Promise<Host> {
  const server = createServer(listener)
  const realtime = attachRealtime(server, taskboard, { basePath: mountPath })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${mountPath}`,
    async close() {
      realtime.close()
      server.close().closeAllConnections()
      await once(server, 'close')
    },
  }
}

async function relay(
  handle: (request: Request) => Promise<Response>,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = 'GET', headers } = message
  const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
  const request = new Request(`http://${headers.host}${message.url}`, {
    method,
    headers: Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]),
    ...(hasBody ? { body: Readable.toWeb(message), duplex: 'half' } : {}),
  })
  const answer = await handle(request)
  response.writeHead(answer.status, Object.fromEntries(answer.headers))
  response.end(Buffer.from(await answer.arrayBuffer()))
}
