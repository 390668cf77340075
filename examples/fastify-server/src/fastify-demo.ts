import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { healthRoutes } from '@taskboard/core/transport'
import { drainable, START_PAGE_HEADERS, startPage, type DemoServer } from '@taskboard/example-demo'
import { taskboardPlugin } from '@taskboard/fastify'
import { graphqlSubscriptions, taskboardGraphql } from '@taskboard/graphql'
import { taskboardMcp } from '@taskboard/mcp'
import { attachRealtime } from '@taskboard/ws'
import Fastify from 'fastify'

/** Serves a board with Fastify, next to a route of the host's own. */
export const fastifyDemo: DemoServer = {
  framework: 'Fastify',
  async listen(taskboard, { host, port }, { dashboard, commands }) {
    const app = Fastify()
    const routes = [taskboardGraphql(taskboard), taskboardMcp(taskboard), dashboard, healthRoutes(taskboard)]
    await app.register(taskboardPlugin, { taskboard, routes, notFound: 'envelope' })
    app.get('/', (_request, reply) => reply.headers(START_PAGE_HEADERS).send(startPage('Fastify')))
    app.get('/commands', (_request, reply) => reply.type('text/plain; charset=utf-8').send(commands()))
    app.get('/health', () => ({ ok: true }))

    const connections = drainable(app.server)
    attachRealtime(app.server, taskboard, { protocols: [graphqlSubscriptions(taskboard)] })
    await app.listen({ host, port })
    return {
      port: (app.server.address() as AddressInfo).port,
      // `app.close` ends the WebSockets, whose clients must first receive the last agents' events, so the server closes first.
      drain: (drainMs) => connections.drain(promisify(app.server.close.bind(app.server)), drainMs),
      async ended() {
        await connections.ended()
        await app.close()
      },
    }
  },
}
