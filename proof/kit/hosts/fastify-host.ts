import type { AddressInfo } from 'node:net'
import type { Taskboard } from '@taskboard/core'
import type { MountedHost, TransportHost } from '@taskboard/testing'
import { fastify, type FastifyInstance } from 'fastify'
import { taskboardPlugin } from '@taskboard/fastify'

/** The host that the transport suite requires. Its parsers belong to the root, so they exist before the plugin. */
export async function mountOnFastify(
  taskboard: Taskboard,
  { mountPath, bodies, notFound, routes }: TransportHost,
): Promise<MountedHost> {
  const app = fastify()
  app.addHook('onSend', async (_request, reply) => {
    reply.header('x-host', 'hook')
  })
  if (bodies !== 'unread') addParser(app, bodies)
  app.setNotFoundHandler((_request, reply) => reply.code(404).type('text/plain').send('host 404'))
  app.setErrorHandler((_error, _request, reply) => reply.code(500).type('text/plain').send('host error'))
  app.get('/host/hello', (_request, reply) => reply.type('text/plain').send('hello'))
  app.get('/host/boom', () => {
    throw new Error('boom')
  })
  await app.register(taskboardPlugin, {
    taskboard,
    notFound,
    routes,
    ...(mountPath === '' ? {} : { prefix: mountPath }),
  })
  app.post('/host/echo', ({ body }) => {
    const isText = typeof body === 'string' || Buffer.isBuffer(body)
    return isText ? (JSON.parse(body.toString()) as unknown) : body
  })
  return listen(app)
}

function addParser(app: FastifyInstance, bodies: 'json' | 'text' | 'bytes'): void {
  const parseAs = bodies === 'bytes' ? 'buffer' : 'string'
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser('application/json', { parseAs }, (_request, body, done) =>
    done(null, bodies === 'json' ? JSON.parse(body.toString()) : body),
  )
}

/** Serves an application on a free port of the loopback interface. */
export async function listen(app: FastifyInstance): Promise<MountedHost> {
  await app.listen({ host: '127.0.0.1', port: 0 })
  return {
    url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`,
    async close() {
      app.server.closeAllConnections()
      await app.close()
    },
  }
}
