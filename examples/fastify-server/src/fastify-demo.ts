import type { AddressInfo } from 'node:net'
import { drainServer, type DemoServer } from '@taskboard/example-demo'
import { taskboardPlugin } from '@taskboard/fastify'
import Fastify from 'fastify'

/** Serves a board with Fastify, beside a route of the host's own. */
export const fastifyDemo: DemoServer = {
  framework: 'Fastify',
  async listen(taskboard, { host, port }) {
    const app = Fastify()
    await app.register(taskboardPlugin, { taskboard })
    app.get('/health', () => ({ ok: true }))

    await app.listen({ host, port })
    return {
      port: (app.server.address() as AddressInfo).port,
      close: (drainMs) => drainServer(app.server, () => app.close(), drainMs),
    }
  },
}
