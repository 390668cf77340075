import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Taskboard } from '@taskboard/core'
import type { HostBodies, MountedHost, TransportHost } from '@taskboard/testing'
import type express from 'express'
import type { Application, ErrorRequestHandler, RequestHandler } from 'express'
import { taskboardRouter } from '@taskboard/express'

/** The host that the transport suite requires, on either major version of Express. Reports each response that it has sent. */
export function mountOn(
  framework: typeof express,
  onSent: (method: string, path: string, status: number) => void = () => undefined,
) {
  return (
    taskboard: Taskboard,
    { mountPath, bodies, notFound, routes }: TransportHost,
  ): Promise<MountedHost> => {
    const app = framework()
    app.use(({ method, path }, response, next) => {
      response.on('finish', () => onSent(method, path, response.statusCode))
      response.setHeader('x-host', 'hook')
      next()
    })
    const parsers: Record<HostBodies, RequestHandler | null> = {
      unread: null,
      json: framework.json({ strict: false, limit: '5mb' }),
      text: framework.text({ type: 'application/json', limit: '5mb' }),
      bytes: framework.raw({ type: 'application/json', limit: '5mb' }),
    }
    const parser = parsers[bodies]
    if (parser !== null) app.use(parser)
    app.get('/host/hello', (_request, response) => void response.type('text').send('hello'))
    app.get('/host/boom', () => {
      throw new Error('boom')
    })
    app.use(mountPath === '' ? '/' : mountPath, taskboardRouter(taskboard, { notFound, routes }))
    app.post('/host/echo', ...(parser === null ? [framework.json()] : []), (request, response) => {
      const body: unknown = request.body
      const isText = typeof body === 'string' || Buffer.isBuffer(body)
      response.json(isText ? JSON.parse(body.toString()) : body)
    })
    app.use((_request, response) => void response.status(404).type('text').send('host 404'))
    app.use(onError)
    return listen(app)
  }
}

const onError: ErrorRequestHandler = (_error, _request, response, _next) => {
  response.status(500).type('text').send('host error')
}

/** Serves an application on a free port of the loopback interface. */
export async function listen(app: Application): Promise<MountedHost> {
  const server = createServer(app as never)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
