import type { AddressInfo } from 'node:net'
import { drainable, type DemoServer } from '@taskboard/example-demo'
import { taskboardPlugin } from '@taskboard/fastify'
import { graphqlSubscriptions, taskboardGraphql } from '@taskboard/graphql'
import { attachRealtime } from '@taskboard/ws'
import Fastify from 'fastify'

/** Serves a board with Fastify, beside a route of the host's own. */
export const fastifyDemo: DemoServer = {
  framework: 'Fastify',
  async listen(taskboard, { host, port }) {
    const app = Fastify()
    await app.register(taskboardPlugin, { taskboard, routes: [taskboardGraphql(taskboard)] })
    app.get('/health', () => ({ ok: true }))

    const connections = drainable(app.server)
    attachRealtime(app.server, taskboard, { protocols: [graphqlSubscriptions(taskboard)] })
    await app.listen({ host, port })
    return {
      port: (app.server.address() as AddressInfo).port,
      drain: (drainMs) => connections.drain(() => app.close(), drainMs),
      ended: () => connections.ended(),
    }
  },
}
